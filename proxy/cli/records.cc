// Commands that look at one record, or many, through the control API.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "common/json.h"
#include "common/proxy_status.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/cli/render.h"

namespace sworn::cli {

namespace json = boost::json;

int fail(const CliError& error) {
    std::fprintf(stderr, "sworn: %s\n", error.what.c_str());
    return error.exit_code;
}

namespace {

bool on_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

Colour wanted_colour() {
    return on_terminal() && std::getenv("NO_COLOR") == nullptr ? Colour::on : Colour::off;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

/// An answer that is not 200: its body on stderr, and the exit code that it stands for.
int refused(const ControlAnswer& answer) {
    std::fprintf(stderr, "%s", answer.body.c_str());
    const auto body = parse_json(answer.body);
    const auto* outcome = body ? json_pointer(*body, "/error/outcome") : nullptr;
    const bool unknown =
        outcome != nullptr && outcome->is_string() && outcome->as_string() == "unknown";
    return unknown ? exit_unknown : exit_refused;
}

Result<ControlAnswer, CliError> ask(const ControlHints& hints, std::string_view method,
                                    std::string_view target, std::string_view body = {}) {
    const auto address = find_control(hints);
    if (!address) return address.error();
    return call(*address, method, target, body);
}

/// Prints a record as a page on a terminal, as JSON elsewhere.
int print_record(const ControlAnswer& answer, bool as_json) {
    const auto body = parse_json(answer.body);
    if (as_json || !on_terminal() || !body || !body->is_object()) {
        print(answer.body);
    } else {
        print(render_record(body->as_object(), wanted_colour()));
    }
    return exit_done;
}

int act(const ShowOptions& options, std::string_view verb) {
    const auto answer =
        ask(options.control, "POST",
            "/v1/invocations/" + percent_encoded(options.id) + "/" + std::string{verb});
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    return print_record(*answer, options.json);
}

std::string list_target(const ListOptions& options, const std::string& cursor) {
    std::string target = "/v1/invocations?limit=" + std::to_string(options.limit);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) target.append("&").append(name).append("=").append(percent_encoded(value));
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

}  // namespace

int run_list(const ListOptions& options) {
    const auto answer = ask(options.control, "GET", list_target(options, {}));
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    const auto body = parse_json(answer->body);
    const auto* items = body ? json_pointer(*body, "/items") : nullptr;
    if (items == nullptr || !items->is_array()) {
        return fail(CliError{"the broker's answer is not a list", exit_refused});
    }
    std::vector<json::object> records;
    for (const auto& item : items->as_array()) {
        if (item.is_object()) records.push_back(item.as_object());
    }
    if (options.json || !on_terminal()) {
        for (const auto& record : records) print(json::serialize(record) + "\n");
        return exit_done;
    }
    if (records.empty()) {
        print("no invocations\n");
    } else {
        print(render_table(records, SystemClock{}.now(), wanted_colour()));
    }
    return exit_done;
}

int run_show(const ShowOptions& options) {
    const auto answer =
        ask(options.control, "GET", "/v1/invocations/" + percent_encoded(options.id));
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    return print_record(*answer, options.json);
}

int run_result(const ResultOptions& options) {
    std::string target = "/v1/invocations/" + percent_encoded(options.id) +
                         "/result?from_part=" + std::to_string(options.from_part);
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
    if (!file) {
        return fail(CliError{"cannot write " + options.output.string(), exit_refused});
    }
    return exit_done;
}

int run_ack(const ShowOptions& options) { return act(options, "ack"); }
int run_retry(const ShowOptions& options) { return act(options, "retry"); }
int run_reconcile(const ShowOptions& options) { return act(options, "reconcile"); }

int run_attest(const AttestOptions& options) {
    if (options.applied == options.not_applied) {
        return fail(CliError{"attest takes exactly one of --applied and --not-applied", exit_usage});
    }
    const json::object finding{{"finding", options.applied ? "applied" : "not_applied"},
                               {"source", "operator_attested"},
                               {"by", options.by},
                               {"reason", options.reason}};
    const auto answer =
        ask(options.control, "POST",
            "/v1/invocations/" + percent_encoded(options.id) + "/reconcile",
            json::serialize(finding));
    if (!answer) return fail(answer.error());
    if (answer->status != 200) return refused(*answer);
    return print_record(*answer, false);
}

}  // namespace sworn::cli
