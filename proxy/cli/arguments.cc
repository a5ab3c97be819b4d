#include "proxy/cli/arguments.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>

#include "common/clock.h"
#include "common/units.h"
#include "common/vocabulary.h"
#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/cli/serve.h"
#include "proxy/cli/version.h"

namespace sworn::cli {

namespace {

// Headings of --help.
constexpr const char* broker_group = "The broker";
constexpr const char* records_group = "Records";
constexpr const char* journal_group = "The journal";

constexpr std::size_t option_columns = 26;

constexpr const char* footer =
    "Which broker: --control, --config, SWORN_CONTROL, SWORN_CONFIG, ./sworn.yaml,\n"
    "/etc/sworn/sworn.yaml; the first that is there.\n"
    "Exit codes: 0 done, 1 refused or not found (the reason on stderr), 2 wrong usage,\n"
    "3 no broker answers, 4 the outcome is unknown.";

/// Everything that the parser writes into; commands read it once parsing is done.
struct Parsed {
    ServeOptions serve;
    std::string log_format = "text";
    std::filesystem::path config, directory;
    ListOptions list;
    ShowOptions show;
    ResultOptions result;
    AttestOptions attest;
    JournalOptions journal;
    std::function<int()> command;
};

/// What an option takes in one word; its values and what it excludes are in its description.
class HelpFormatter final : public CLI::Formatter {
public:
    HelpFormatter() { column_width(option_columns); }
    [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override {
        if (option->get_type_size() == 0) return {};
        const auto type = option->get_type_name();
        return " " + type.substr(0, type.find(':'));
    }
};

/// Usage errors look like every other error.
std::string usage_message(const CLI::App* /*app*/, const CLI::Error& wrong) {
    return std::string{"sworn: "} + wrong.what() + "\nRun with --help for more information.\n";
}

/// A subcommand that runs `command` once parsing is done.
CLI::App* add_command(CLI::App& app, const char* name, const char* what, Parsed& parsed,
                      std::function<int()> command) {
    auto* added = app.add_subcommand(name, what);
    added->callback([&parsed, command = std::move(command)] { parsed.command = command; });
    return added;
}

void add_control(CLI::App& command, ControlHints& hints) {
    command.add_option("--control", hints.control, "control API: http://host:port or unix:/path")
        ->type_name("URL");
    command.add_option("--config", hints.config, "configuration that names the control listener")
        ->type_name("FILE");
}

void add_output(CLI::App& command, OutputOptions& output) {
    auto* json = command.add_flag("--json", output.json, "JSON, on a terminal too");
    command.add_flag("--text", output.text, "text for people, through a pipe too")->excludes(json);
}

/// Takes these words of a closed vocabulary only.
template <class E>
CLI::Validator one_of(std::initializer_list<E> values) {
    std::vector<std::string> words;
    for (const E value : values)
        words.emplace_back(to_string(value));
    return CLI::IsMember(words);
}

/// What is wrong with a --since; empty: nothing. The broker reads it the same way.
std::string since_fault(const std::string& text) {
    const bool is_time = parse_duration(text) || parse_rfc3339(text);
    return is_time ? std::string{} : "not an RFC 3339 time or a duration such as 1h: " + text;
}

int serve(Parsed& parsed) {
    parsed.serve.config = find_config(parsed.config);
    if (parsed.serve.config.empty()) {
        return fail(CliError{"no configuration is named: give --config FILE", exit_usage});
    }
    parsed.serve.log_format = parsed.log_format == "json" ? LogFormat::json : LogFormat::text;
    return run_serve(parsed.serve);
}

void add_broker(CLI::App& app, Parsed& parsed) {
    auto* served = add_command(app, "serve", "run the proxy in the foreground", parsed,
                               [&parsed] { return serve(parsed); });
    served->group(broker_group);
    served->add_option("--config", parsed.config, "configuration file")->type_name("FILE");
    served->add_option("--log-format", parsed.log_format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));

    auto* check = add_command(app, "check", "validate a configuration", parsed,
                              [&parsed] { return run_check(parsed.config); });
    check->group(broker_group);
    check->add_option("--config", parsed.config, "configuration file")->type_name("FILE");

    auto* init = add_command(app, "init", "write a starter configuration, a CA and a data folder",
                             parsed, [&parsed] { return run_init(parsed.directory); });
    init->group(broker_group);
    init->add_option("directory", parsed.directory, "where to")->required();
}

void add_authority(CLI::App& app, Parsed& parsed) {
    auto* ca = app.add_subcommand("ca", "the local certificate authority");
    ca->group(broker_group)->require_subcommand(1);
    auto* made = add_command(*ca, "init", "make ca.pem and ca.key in a directory", parsed,
                             [&parsed] { return run_ca_init(parsed.directory); });
    made->add_option("directory", parsed.directory, "where to")->required();
    auto* shown = add_command(*ca, "show", "subject, dates and fingerprint", parsed,
                              [&parsed] { return run_ca_show(parsed.config); });
    shown->add_option("--config", parsed.config, "configuration file")->type_name("FILE");
    auto* exported = add_command(*ca, "export", "the certificate as PEM, to stdout", parsed,
                                 [&parsed] { return run_ca_export(parsed.config); });
    exported->add_option("--config", parsed.config, "configuration file")->type_name("FILE");
}

void add_list(CLI::App& app, Parsed& parsed) {
    auto& options = parsed.list;
    auto* list = add_command(app, "list", "invocations, newest first", parsed,
                             [&parsed] { return run_list(parsed.list); });
    list->group(records_group);
    add_control(*list, options.control);
    list->add_option("--outcome", options.outcome, "not_attempted, rejected, committed or unknown")
        ->check(one_of(
            {Outcome::not_attempted, Outcome::rejected, Outcome::committed, Outcome::unknown}));
    list->add_option("--phase", options.phase, "where it stopped")
        ->check(one_of({Phase::validation, Phase::credential_injection, Phase::connection_setup,
                        Phase::remote_execution, Phase::result_delivery}));
    list->add_option("--route", options.route, "route id");
    list->add_option("--caller", options.caller, "caller id");
    list->add_option("--token", options.token, "the caller's Sworn-Token");
    list->add_option("--since", options.since, "RFC 3339 time, or a duration such as 1h")
        ->check(since_fault);
    list->add_option("--limit", options.limit, "how many at the most; 50 without it")
        ->type_name("COUNT")
        ->check(CLI::PositiveNumber);
    add_output(*list, options.output);
}

/// A command that takes one invocation id and prints its record.
void add_one(CLI::App& app, Parsed& parsed, const char* name, const char* what,
             int (*command)(const ShowOptions&)) {
    auto* one =
        add_command(app, name, what, parsed, [&parsed, command] { return command(parsed.show); });
    one->group(records_group);
    one->add_option("id", parsed.show.id, "act_…")->required();
    add_control(*one, parsed.show.control);
    add_output(*one, parsed.show.output);
}

void add_result(CLI::App& app, Parsed& parsed) {
    auto& result = parsed.result;
    auto* fetch = add_command(app, "result", "fetch a stored result: a read", parsed,
                              [&parsed] { return run_result(parsed.result); });
    fetch->group(records_group);
    fetch->add_option("id", result.id, "act_…")->required();
    add_control(*fetch, result.control);
    fetch->add_option("--from-part", result.from_part, "resume from this part")->type_name("N");
    fetch->add_option("--stream", result.stream, "stdout or stderr")
        ->check(CLI::IsMember({"stdout", "stderr"}));
    fetch->add_option("-o,--output", result.output, "write to a file")->type_name("FILE");
}

void add_attest(CLI::App& app, Parsed& parsed) {
    auto& attest = parsed.attest;
    auto* said = add_command(app, "attest", "say what happened to an unsettled invocation", parsed,
                             [&parsed] { return run_attest(parsed.attest); });
    said->group(records_group);
    said->add_option("id", attest.id, "act_…")->required();
    add_control(*said, attest.control);
    said->add_flag("--applied", attest.applied, "it was applied");
    said->add_flag("--not-applied", attest.not_applied, "it was not applied");
    said->add_option("--by", attest.by, "who says so")->required();
    said->add_option("--reason", attest.reason, "how that is known")->required();
    add_output(*said, attest.output);
}

void add_records(CLI::App& app, Parsed& parsed) {
    add_list(app, parsed);
    add_one(app, parsed, "show", "one record and its events", run_show);
    add_result(app, parsed);
    add_one(app, parsed, "ack", "acknowledge a result", run_ack);
    add_one(app, parsed, "retry", "ask what may be repeated", run_retry);
    add_one(app, parsed, "reconcile", "ask the remote what happened", run_reconcile);
    add_attest(app, parsed);
}

void add_journal_source(CLI::App& command, JournalOptions& options) {
    add_control(command, options.control);
    command
        .add_option("--data-dir", options.data_dir,
                    "read this data_dir instead, without a broker or a configuration")
        ->type_name("DIR")
        ->excludes("--control")
        ->excludes("--config");
}

void add_journal(CLI::App& app, Parsed& parsed) {
    auto* journal = app.add_subcommand("journal", "the journal as a whole");
    journal->group(journal_group)->require_subcommand(1);
    auto* verify = add_command(*journal, "verify", "replay every record; report corruption", parsed,
                               [&parsed] { return run_journal_verify(parsed.journal); });
    add_journal_source(*verify, parsed.journal);
    auto* exported = add_command(*journal, "export", "every event, as JSON lines", parsed,
                                 [&parsed] { return run_journal_export(parsed.journal); });
    add_journal_source(*exported, parsed.journal);
}

/// It stands before or behind any command; only the broker logs.
void add_log_level(CLI::App& app, ServeOptions& serve) {
    app.add_option("--log-level", serve.log_level, "of the broker: debug, info, warn or error")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
    for (auto* command : app.get_subcommands({})) {
        add_log_level(*command, serve);
    }
}

/// What did not reach stdout (a full disk) was not done.
int flushed(int exit_code) {
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (written || exit_code != exit_done) return exit_code;
    return fail(CliError{"cannot write to standard output", exit_refused});
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app{
        "Sworn: an egress proxy that holds the secrets and swears only to what its "
        "journal proves."};
    app.name("sworn");
    app.set_version_flag("--version", "sworn " + std::string{version});
    app.require_subcommand(1);
    app.formatter(std::make_shared<HelpFormatter>());
    app.footer(footer);
    app.failure_message(usage_message);
    Parsed parsed;
    add_broker(app, parsed);
    add_authority(app, parsed);
    add_records(app, parsed);
    add_journal(app, parsed);
    add_log_level(app, parsed.serve);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        return app.exit(wrong) == 0 ? exit_done : exit_usage;
    }
    return flushed(parsed.command());
}

}  // namespace sworn::cli
