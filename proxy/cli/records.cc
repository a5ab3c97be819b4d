// Commands that look at one record, or many, through the control API.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json.h"
#include "common/vocabulary.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/cli/render.h"

namespace sworn::cli {

namespace json = boost::json;

int fail(const CliError& error) {
    std::fprintf(stderr, "sworn: %s\n", error.what.c_str());
    return error.exit_code;
}

void print(std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

int refused(const ControlAnswer& answer) {
    const auto body = parse_json(answer.body);
    if (!body) {
        return fail(
            CliError{"the answer is no Sworn broker's: status " + std::to_string(answer.status),
                     exit_refused});
    }
    std::fputs(answer.body.c_str(), stderr);
    if (!answer.body.ends_with('\n')) std::fputc('\n', stderr);
    return json_pointer_text(*body, "/error/outcome") == to_string(Outcome::unknown) ? exit_unknown
                                                                                     : exit_refused;
}

namespace {

constexpr std::size_t page_max = 1000;

bool on_terminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

bool as_text(const OutputOptions& output) {
    return output.text || (!output.json && on_terminal());
}

Colour wanted_colour() {
    return on_terminal() && std::getenv("NO_COLOR") == nullptr ? Colour::on : Colour::off;
}

Result<ControlAnswer, CliError> ask(const ControlHints& hints, std::string_view method,
                                    std::string_view target, std::string_view body = {}) {
    const auto address = find_control(hints);
    if (!address) return address.error();
    return call(*address, method, target, body);
}

std::string target_of(const std::string& id, std::string_view verb = {}) {
    std::string target = "/v1/invocations/" + percent_encoded(id);
    if (!verb.empty()) target.append("/").append(verb);
    return target;
}

/// Prints the record of an answer, or its refusal.
int print_record(const Result<ControlAnswer, CliError>& answer, const OutputOptions& output) {
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    const auto body = parse_json(answer->body);
    if (!body || !body->is_object()) {
        return fail(CliError{"the broker's answer is not a record", exit_refused});
    }
    print(as_text(output) ? render_record(body->as_object(), wanted_colour()) : answer->body);
    return exit_done;
}

int act(const ShowOptions& options, std::string_view verb) {
    return print_record(ask(options.control, "POST", target_of(options.id, verb)), options.output);
}

std::string list_target(const ListOptions& options, std::size_t limit, const std::string& cursor) {
    std::string target = "/v1/invocations?limit=" + std::to_string(limit);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (value.empty()) return;
        target.append("&").append(name).append("=").append(percent_encoded(value));
    };
    add("outcome", options.outcome);
    add("phase", options.phase);
    add("route", options.route);
    add("caller", options.caller);
    add("token", options.token);
    add("since", options.since);
    add("cursor", cursor);
    return target;
}

/// What a listing came to, page after page.
struct Listed {
    std::vector<json::object> records;
    std::string next;  ///< Empty: there are no more.
};

/// False: the answer is not a page.
bool add_page(const ControlAnswer& answer, Listed& listed) {
    const auto body = parse_json(answer.body);
    const auto* items = body ? json_pointer(*body, "/items") : nullptr;
    if (items == nullptr || !items->is_array()) return false;
    for (const auto& item : items->as_array()) {
        if (item.is_object()) listed.records.push_back(item.as_object());
    }
    listed.next = json_pointer_text(*body, "/next_cursor").value_or("");
    return true;
}

void print_table(const Listed& listed) {
    if (listed.records.empty()) {
        print("no invocations\n");
        return;
    }
    print(render_table(listed.records, SystemClock{}.now(), wanted_colour()));
    if (!listed.next.empty()) print("older ones are left out; --limit shows more\n");
}

}  // namespace

int run_list(const ListOptions& options) {
    const auto address = find_control(options.control);
    if (!address) return fail(address.error());
    Listed listed;
    do {
        const auto wanted = std::min(options.limit - listed.records.size(), page_max);
        const auto answer = call(*address, "GET", list_target(options, wanted, listed.next));
        if (!answer) return fail(answer.error());
        if (answer->status != 200) return refused(*answer);
        if (!add_page(*answer, listed)) {
            return fail(CliError{"the broker's answer is not a list", exit_refused});
        }
    } while (!listed.next.empty() && listed.records.size() < options.limit);
    if (as_text(options.output)) {
        print_table(listed);
    } else {
        for (const auto& record : listed.records)
            print(json::serialize(record) + "\n");
    }
    return exit_done;
}

int run_show(const ShowOptions& options) {
    return print_record(ask(options.control, "GET", target_of(options.id)), options.output);
}

int run_result(const ResultOptions& options) {
    std::string target =
        target_of(options.id, "result") + "?from_part=" + std::to_string(options.from_part);
    if (!options.stream.empty()) target += "&stream=" + percent_encoded(options.stream);
    const auto answer = ask(options.control, "GET", target);
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    if (options.output.empty()) {
        print(answer->body);
        return exit_done;
    }
    ::umask(077);
    std::ofstream file{options.output, std::ios::binary | std::ios::trunc};
    file.write(answer->body.data(), static_cast<std::streamsize>(answer->body.size()));
    file.close();
    if (!file) return fail(CliError{"cannot write " + options.output.string(), exit_refused});
    return exit_done;
}

int run_ack(const ShowOptions& options) {
    return act(options, "ack");
}

int run_retry(const ShowOptions& options) {
    return act(options, "retry");
}

int run_reconcile(const ShowOptions& options) {
    return act(options, "reconcile");
}

int run_attest(const AttestOptions& options) {
    if (options.applied == options.not_applied) {
        return fail(
            CliError{"attest takes exactly one of --applied and --not-applied", exit_usage});
    }
    const json::object finding{{"finding", options.applied ? "applied" : "not_applied"},
                               {"source", "operator_attested"},
                               {"by", options.by},
                               {"reason", options.reason}};
    const auto target = target_of(options.id, "reconcile");
    return print_record(ask(options.control, "POST", target, json::serialize(finding)),
                        options.output);
}

}  // namespace sworn::cli
