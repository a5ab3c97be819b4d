// The journal as a whole: through the broker where one runs, else from its directory.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>

#include "common/json.h"
#include "journal/verify.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/config/load.h"

namespace sworn::cli {

namespace json = boost::json;

namespace {

/// The store of the config's data_dir, read only.
Result<std::unique_ptr<journal::Store>, CliError> open_directory(const std::filesystem::path& config,
                                                                 std::filesystem::path& results) {
    const auto loaded = config::load_file(config);
    if (!loaded) return CliError{config::format(config, loaded.error()), exit_refused};
    const auto directory = (*loaded)->data_dir;
    if (!std::filesystem::exists(directory / "journal")) {
        return CliError{"there is no journal in " + directory.string(), exit_refused};
    }
    results = directory / "results";
    auto store = journal::open_rocksdb_store(directory / "journal", true);
    if (!store) return CliError{store.error().what, exit_refused};
    return std::move(*store);
}

int print_report(bool sound, std::string_view body) {
    std::fwrite(body.data(), 1, body.size(), stdout);
    return sound ? exit_done : exit_refused;
}

json::object report_json(const journal::VerifyReport& report) {
    json::array problems;
    for (const auto& one : report.problems) {
        problems.push_back(json::object{{"invocation_id", one.id.text()}, {"what", one.what}});
    }
    return json::object{{"sound", report.sound()},
                        {"records", report.records},
                        {"events", report.events},
                        {"tombstones", report.tombstones},
                        {"unreadable", report.unreadable},
                        {"problems", std::move(problems)}};
}

/// The broker's answer, or nothing where none runs and the directory is to be opened.
Result<std::optional<ControlAnswer>, CliError> through_broker(const ControlHints& hints,
                                                              std::string_view method,
                                                              std::string_view target) {
    const auto address = find_control(hints);
    if (!address) return std::optional<ControlAnswer>{};
    auto answer = call(*address, method, target);
    if (answer) return std::optional<ControlAnswer>{std::move(*answer)};
    if (!hints.control.empty()) return answer.error();
    return std::optional<ControlAnswer>{};
}

}  // namespace

int run_journal_verify(const ControlHints& hints) {
    const auto answer = through_broker(hints, "POST", "/v1/journal/verify");
    if (!answer) return fail(answer.error());
    if (*answer) {
        const auto body = parse_json((*answer)->body);
        const auto* sound = body ? json_pointer(*body, "/sound") : nullptr;
        return print_report(sound != nullptr && sound->is_bool() && sound->as_bool(),
                            (*answer)->body);
    }
    std::filesystem::path results;
    auto store = open_directory(find_config(hints.config), results);
    if (!store) return fail(store.error());
    const auto report = journal::verify(**store, results);
    if (!report.fault.empty()) std::fprintf(stderr, "sworn: %s\n", report.fault.c_str());
    return print_report(report.sound(), json::serialize(report_json(report)) + "\n");
}

int run_journal_export(const ControlHints& hints) {
    const auto answer = through_broker(hints, "GET", "/v1/journal/export");
    if (!answer) return fail(answer.error());
    if (*answer) return print_report((*answer)->status == 200, (*answer)->body);
    std::filesystem::path results;
    auto store = open_directory(find_config(hints.config), results);
    if (!store) return fail(store.error());
    const auto exported = journal::export_jsonl(**store, [](std::string_view line) {
        std::fwrite(line.data(), 1, line.size(), stdout);
        std::fputc('\n', stdout);
    });
    if (!exported) return fail(CliError{exported.error().what, exit_refused});
    return exit_done;
}

}  // namespace sworn::cli
