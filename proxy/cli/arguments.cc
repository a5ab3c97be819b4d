#include "proxy/cli/arguments.h"

#include <CLI/CLI.hpp>

#include <functional>

#include "proxy/cli/commands.h"
#include "proxy/cli/exit_code.h"
#include "proxy/cli/serve.h"
#include "proxy/cli/version.h"

namespace sworn::cli {

namespace {

/// Everything that the parser writes into; commands read it once parsing is done.
struct Parsed {
    ServeOptions serve;
    std::string log_format = "text";
    std::filesystem::path config, directory;
    ListOptions list;
    ShowOptions show;
    ResultOptions result;
    AttestOptions attest;
    ControlHints hints;
    std::function<int()> command;
};

void add_control(CLI::App& command, ControlHints& hints) {
    command.add_option("--control", hints.control, "control API: http://host:port or unix:/path");
    command.add_option("--config", hints.config, "configuration that names the control listener");
}

void add_serve(CLI::App& app, Parsed& parsed) {
    auto* serve = app.add_subcommand("serve", "run the proxy in the foreground");
    serve->add_option("--config", parsed.config, "configuration file");
    serve->add_option("--log-format", parsed.log_format, "text or json")
        ->check(CLI::IsMember({"text", "json"}));
    serve->add_option("--log-level", parsed.serve.log_level, "debug, info, warn or error")
        ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
    serve->callback([&parsed] {
        parsed.command = [&parsed] {
            parsed.serve.config = find_config(parsed.config);
            if (parsed.serve.config.empty()) {
                return fail(
                    CliError{"no configuration is named: give --config FILE", exit_usage});
            }
            parsed.serve.log_format =
                parsed.log_format == "json" ? LogFormat::json : LogFormat::text;
            return run_serve(parsed.serve);
        };
    });
}

void add_setup(CLI::App& app, Parsed& parsed) {
    auto* check = app.add_subcommand("check", "validate a configuration");
    check->add_option("--config", parsed.config, "configuration file");
    check->callback([&parsed] { parsed.command = [&parsed] { return run_check(parsed.config); }; });

    auto* init = app.add_subcommand("init", "write a starter configuration, a CA and a data folder");
    init->add_option("directory", parsed.directory, "where to")->required();
    init->callback([&parsed] { parsed.command = [&parsed] { return run_init(parsed.directory); }; });

    auto* ca = app.add_subcommand("ca", "the local certificate authority");
    ca->require_subcommand(1);
    auto* make = ca->add_subcommand("init", "make ca.pem and ca.key in a directory");
    make->add_option("directory", parsed.directory, "where to")->required();
    make->callback([&parsed] {
        parsed.command = [&parsed] { return run_ca_init(parsed.directory); };
    });
    auto* shown = ca->add_subcommand("show", "subject, dates and fingerprint");
    shown->add_option("--config", parsed.config, "configuration file");
    shown->callback([&parsed] { parsed.command = [&parsed] { return run_ca_show(parsed.config); }; });
    auto* exported = ca->add_subcommand("export", "the certificate as PEM, to stdout");
    exported->add_option("--config", parsed.config, "configuration file");
    exported->callback([&parsed] {
        parsed.command = [&parsed] { return run_ca_export(parsed.config); };
    });
}

void add_list(CLI::App& app, Parsed& parsed) {
    auto& options = parsed.list;
    auto* list = app.add_subcommand("list", "invocations, newest first");
    add_control(*list, options.control);
    list->add_option("--outcome", options.outcome, "not_attempted, rejected, committed or unknown");
    list->add_option("--phase", options.phase, "where it stopped");
    list->add_option("--route", options.route, "route id");
    list->add_option("--caller", options.caller, "caller id");
    list->add_option("--token", options.token, "the caller's Sworn-Token");
    list->add_option("--since", options.since, "RFC 3339 time, or a duration such as 1h");
    list->add_option("--limit", options.limit, "how many at the most")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1000}));
    list->add_flag("--json", options.json, "JSON lines");
    list->callback([&parsed] { parsed.command = [&parsed] { return run_list(parsed.list); }; });
}

/// A command that takes one invocation id and prints the record.
void add_one(CLI::App& app, Parsed& parsed, const char* name, const char* what,
             int (*command)(const ShowOptions&)) {
    auto* one = app.add_subcommand(name, what);
    one->add_option("id", parsed.show.id, "act_…")->required();
    add_control(*one, parsed.show.control);
    one->add_flag("--json", parsed.show.json, "JSON");
    one->callback([&parsed, command] {
        parsed.command = [&parsed, command] { return command(parsed.show); };
    });
}

void add_records(CLI::App& app, Parsed& parsed) {
    add_list(app, parsed);
    add_one(app, parsed, "show", "one record and its events", run_show);
    add_one(app, parsed, "ack", "acknowledge a result", run_ack);
    add_one(app, parsed, "retry", "ask what may be repeated", run_retry);
    add_one(app, parsed, "reconcile", "ask the remote what happened", run_reconcile);

    auto& result = parsed.result;
    auto* fetch = app.add_subcommand("result", "fetch a stored result: a read");
    fetch->add_option("id", result.id, "act_…")->required();
    add_control(*fetch, result.control);
    fetch->add_option("--from-part", result.from_part, "resume from this part");
    fetch->add_option("--stream", result.stream, "stdout or stderr")
        ->check(CLI::IsMember({"stdout", "stderr"}));
    fetch->add_option("-o,--output", result.output, "write to a file");
    fetch->callback([&parsed] { parsed.command = [&parsed] { return run_result(parsed.result); }; });

    auto& attest = parsed.attest;
    auto* attested = app.add_subcommand("attest", "say what happened to an unsettled invocation");
    attested->add_option("id", attest.id, "act_…")->required();
    add_control(*attested, attest.control);
    attested->add_flag("--applied", attest.applied, "it was applied");
    attested->add_flag("--not-applied", attest.not_applied, "it was not applied");
    attested->add_option("--by", attest.by, "who says so")->required();
    attested->add_option("--reason", attest.reason, "how that is known")->required();
    attested->callback(
        [&parsed] { parsed.command = [&parsed] { return run_attest(parsed.attest); }; });
}

void add_journal(CLI::App& app, Parsed& parsed) {
    auto* journal = app.add_subcommand("journal", "the journal as a whole");
    journal->require_subcommand(1);
    auto* verify = journal->add_subcommand("verify", "replay every record; report corruption");
    add_control(*verify, parsed.hints);
    verify->callback([&parsed] {
        parsed.command = [&parsed] { return run_journal_verify(parsed.hints); };
    });
    auto* exported = journal->add_subcommand("export", "every event, as JSON lines");
    add_control(*exported, parsed.hints);
    exported->callback([&parsed] {
        parsed.command = [&parsed] { return run_journal_export(parsed.hints); };
    });
}

}  // namespace

int run(int argc, char** argv) {
    CLI::App app{"Sworn: an egress proxy that holds the secrets and swears only to what its journal "
                 "proves."};
    app.name("sworn");
    app.set_version_flag("--version", "sworn " + std::string{version});
    app.require_subcommand(1);
    Parsed parsed;
    add_serve(app, parsed);
    add_setup(app, parsed);
    add_records(app, parsed);
    add_journal(app, parsed);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& wrong) {
        return app.exit(wrong) == 0 ? exit_done : exit_usage;
    }
    return parsed.command();
}

}  // namespace sworn::cli
