// The journal as a whole: through the broker where one runs, else from its directory.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <optional>

#include "common/json.h"
#include "journal/verify.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/config/load.h"

namespace sworn::cli {

namespace json = boost::json;

namespace {

/// A store that is read without a broker, and where its part files are.
struct Directory {
    std::unique_ptr<journal::Store> store;
    std::filesystem::path results;
};

Result<std::filesystem::path, CliError> data_dir_of(const std::filesystem::path& config) {
    const auto loaded = config::load_file(config);
    if (!loaded) return CliError{config::format(config, loaded.error()), exit_refused};
    return (*loaded)->data_dir;
}

/// The journal in a data_dir, read only.
Result<Directory, CliError> open_directory(const std::filesystem::path& data) {
    std::error_code hidden;
    if (!std::filesystem::exists(data / "journal", hidden)) {
        return CliError{"there is no journal in " + data.string(), exit_refused};
    }
    auto store = journal::open_rocksdb_store(data / "journal", true);
    if (!store) return CliError{store.error().what, exit_refused};
    return Directory{std::move(*store), data / "results"};
}

/// Whom to ask first. A broker that the user names is the only one; one of a configuration need not
/// run, and one without a control listener cannot be asked.
struct Journal {
    std::optional<ControlAddress> broker;
    std::filesystem::path config;  ///< Of the directory; empty: there is only the broker.
};

Result<Journal, CliError> find_journal(const ControlHints& hints) {
    auto address = find_control(hints);
    Journal found;
    if (address) {
        found.config = address->config;
        found.broker = std::move(*address);
        return found;
    }
    found.config = find_config(hints.config);
    if (!hints.control.empty() || found.config.empty()) return address.error();
    return found;
}

bool may_open(const Journal& found, const CliError& why) {
    return why.exit_code == exit_unreachable && !found.config.empty();
}

json::object report_json(const journal::VerifyReport& report) {
    json::array problems;
    for (const auto& one : report.problems) {
        problems.push_back(json::object{{"invocation_id", one.id.text()}, {"what", one.what}});
    }
    return json::object{
        {"sound", report.sound()},
        {"records", report.records},
        {"events", report.events},
        {"tombstones", report.tombstones},
        {"unreadable", report.unreadable},
        {"fault", report.fault.empty() ? json::value(nullptr) : json::value(report.fault)},
        {"problems", std::move(problems)}};
}

int print_report(const ControlAnswer& answer) {
    if (answer.status != 200) return refused(answer);
    print(answer.body);
    const auto body = parse_json(answer.body);
    const bool sound = body && json_pointer_text(*body, "/sound") == "true";
    return sound ? exit_done : exit_refused;
}

int verify_directory(const std::filesystem::path& data) {
    const auto opened = open_directory(data);
    if (!opened) return fail(opened.error());
    const auto report = journal::verify(*opened->store, opened->results);
    print(json::serialize(report_json(report)) + "\n");
    return report.sound() ? exit_done : exit_refused;
}

int export_directory(const std::filesystem::path& data) {
    const auto opened = open_directory(data);
    if (!opened) return fail(opened.error());
    const auto exported = journal::export_jsonl(*opened->store, [](std::string_view line) {
        print(line);
        print("\n");
    });
    if (!exported) return fail(CliError{exported.error().what, exit_refused});
    return exit_done;
}

/// `read` on the data_dir that a configuration names.
int on_data_dir(const std::filesystem::path& config, int (*read)(const std::filesystem::path&)) {
    const auto data = data_dir_of(config);
    return data ? read(*data) : fail(data.error());
}

}  // namespace

int run_journal_verify(const JournalOptions& options) {
    if (!options.data_dir.empty()) return verify_directory(options.data_dir);
    const auto found = find_journal(options.control);
    if (!found) return fail(found.error());
    if (!found->broker) return on_data_dir(found->config, verify_directory);
    const auto answer = call(*found->broker, "POST", "/v1/journal/verify");
    if (answer) return print_report(*answer);
    return may_open(*found, answer.error()) ? on_data_dir(found->config, verify_directory)
                                            : fail(answer.error());
}

int run_journal_export(const JournalOptions& options) {
    if (!options.data_dir.empty()) return export_directory(options.data_dir);
    const auto found = find_journal(options.control);
    if (!found) return fail(found.error());
    if (!found->broker) return on_data_dir(found->config, export_directory);
    std::size_t printed = 0;
    const auto answer =
        call_streaming(*found->broker, "/v1/journal/export", [&](std::string_view piece) {
            print(piece);
            printed += piece.size();
        });
    if (answer) return answer->status == 200 ? exit_done : refused(*answer);
    // What was printed already must not be printed twice.
    return printed == 0 && may_open(*found, answer.error())
               ? on_data_dir(found->config, export_directory)
               : fail(answer.error());
}

}  // namespace sworn::cli
