#include "proxy/cli/arguments.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "proxy/cli/exit_code.h"
#include "tests/proxy/cli/cli_rig.h"

namespace sworn::cli {
namespace {

TEST(Arguments, AreRefusedWithTwo) {
    const std::vector<std::vector<std::string>> table = {
        {},
        {"nothing"},
        {"--nothing"},
        {"journal"},
        {"ca"},
        {"show"},
        {"show", "act_1", "act_2"},
        {"show", "act_1", "--json", "--text"},
        {"show", "act_1", "--verbose"},
        {"list", "act_1"},
        {"list", "--limit", "0"},
        {"list", "--limit", "-1"},
        {"list", "--limit", "ten"},
        {"list", "--outcome"},
        {"list", "--outcome", "Unknown"},
        {"list", "--phase", "dispatch"},
        {"list", "--since", "yesterday"},
        {"list", "--since", "60"},
        {"journal", "verify", "--data-dir"},
        {"journal", "verify", "--data-dir", "data", "--config", "sworn.yaml"},
        {"journal", "export", "--data-dir", "data", "--control", "unix:./control.sock"},
        {"result", "act_1", "--stream", "stdin"},
        {"result", "act_1", "--from-part", "-1"},
        {"attest", "act_1", "--applied"},
        {"attest", "act_1", "--applied", "--by", "ops"},
        {"attest", "act_1", "--by", "ops", "--reason", "seen"},
        {"attest", "act_1", "--applied", "--not-applied", "--by", "ops", "--reason", "seen"},
        {"init"},
        {"serve", "--log-format", "xml"},
        {"--log-level", "loud", "list"},
    };
    for (const auto& arguments : table) {
        std::string trace = "sworn";
        for (const auto& argument : arguments)
            trace += " " + argument;
        SCOPED_TRACE(trace);
        Home home;
        const auto ran = sworn(arguments);
        EXPECT_EQ(ran.exit_code, exit_usage);
        EXPECT_TRUE(ran.err.starts_with("sworn: ")) << ran.err;
        EXPECT_EQ(ran.out, "");
    }
}

TEST(Arguments, NeedABrokerToSpeakTo) {
    if (std::filesystem::exists("/etc/sworn/sworn.yaml")) GTEST_SKIP() << "this machine has one";
    const std::vector<std::vector<std::string>> table = {
        {"list"},  {"show", "act_1"}, {"journal", "verify"}, {"journal", "export"},
        {"serve"}, {"check"},         {"ca", "show"},        {"ca", "export"},
    };
    for (const auto& arguments : table) {
        SCOPED_TRACE(arguments.front());
        Home home;
        const auto ran = sworn(arguments);
        EXPECT_EQ(ran.exit_code, exit_usage);
        EXPECT_TRUE(ran.err.starts_with("sworn: no ")) << ran.err;
        EXPECT_NE(ran.err.find("--config"), std::string::npos) << ran.err;
    }
}

TEST(Arguments, TakeALogLevelBeforeAndBehindTheCommand) {
    const std::vector<std::vector<std::string>> table = {
        {"--log-level", "debug", "show", "act_1"},
        {"show", "--log-level", "debug", "act_1"},
        {"show", "act_1", "--log-level=error"},
        {"journal", "verify", "--log-level", "warn"},
    };
    for (const auto& arguments : table) {
        Home home;
        home.configure("\"unix:./nobody.sock\"");
        const auto ran = sworn(arguments);
        EXPECT_NE(ran.exit_code, exit_usage) << ran.err;
    }
}

TEST(Arguments, TakeEveryWordThatARecordMayHave) {
    const std::vector<std::vector<std::string>> table = {
        {"--outcome", "not_attempted", "rejected", "committed", "unknown"},
        {"--phase", "validation", "credential_injection", "connection_setup", "remote_execution",
         "result_delivery"},
        {"--since", "30m", "7d", "2026-11-30T12:00:00Z"},
    };
    for (const auto& row : table) {
        for (std::size_t i = 1; i < row.size(); ++i) {
            Home home;
            home.configure("\"unix:./nobody.sock\"");
            const auto ran = sworn({"list", row.front(), row[i]});
            EXPECT_EQ(ran.exit_code, exit_unreachable) << row[i] << "\n" << ran.err;
        }
    }
}

TEST(Help, NamesEveryCommandAndTheExitCodes) {
    const auto ran = sworn({"--help"});
    EXPECT_EQ(ran.exit_code, exit_done);
    for (const char* part :
         {"\n  serve ", "\n  check ", "\n  init ", "\n  ca ", "\n  list ", "\n  show ",
          "\n  result ", "\n  ack ", "\n  retry ", "\n  reconcile ", "\n  attest ", "\n  journal ",
          "The broker:", "Records:", "The journal:", "--log-level", "--version",
          "Exit codes: 0 done", "SWORN_CONTROL"}) {
        EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
    }
    for (std::size_t from = 0; from < ran.out.size();) {
        const auto end = std::min(ran.out.find('\n', from), ran.out.size());
        EXPECT_LE(end - from, 100u) << ran.out.substr(from, end - from);
        from = end + 1;
    }
}

TEST(Help, IsThereForEveryCommand) {
    for (const char* command : {"serve", "check", "init", "ca", "list", "show", "result", "ack",
                                "retry", "reconcile", "attest", "journal"}) {
        const auto ran = sworn({command, "--help"});
        EXPECT_EQ(ran.exit_code, exit_done) << command;
        EXPECT_NE(ran.out.find("Usage: sworn " + std::string{command}), std::string::npos)
            << ran.out;
        EXPECT_EQ(ran.out.find("Excludes"), std::string::npos) << ran.out;
        EXPECT_EQ(ran.out.find(":{"), std::string::npos) << ran.out;
    }
}

/// The words of a help text that begin with "--".
std::vector<std::string> options_of(const std::string& help) {
    std::vector<std::string> options;
    const std::regex pattern{"\\n  (?:-\\w,)?(--[a-z-]+)"};
    for (std::sregex_iterator found{help.begin(), help.end(), pattern}, end; found != end; ++found)
        options.push_back((*found)[1]);
    return options;
}

/// The commands that a help text lists.
std::vector<std::string> commands_of(const std::string& help) {
    std::vector<std::string> commands;
    const std::regex pattern{"\\n  ([a-z][a-z-]*) {2,}"};
    const auto from = help.find("\n\n", help.find("Options:"));
    for (std::sregex_iterator
             found{help.begin() + static_cast<std::ptrdiff_t>(from), help.end(), pattern},
         end;
         found != end; ++found)
        commands.push_back((*found)[1]);
    return commands;
}

TEST(Documentation, NamesEveryCommandAndOption) {
    std::ifstream file{std::string{SWORN_SOURCE_DIR} + "/docs/cli.md"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto expect = [&](const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part;
    };
    const auto commands = commands_of(sworn({"--help"}).out);
    EXPECT_GE(commands.size(), 12u);
    for (const auto& command : commands) {
        expect("sworn " + command);
        const auto help = sworn({command, "--help"}).out;
        for (const auto& option : options_of(help)) {
            if (option != "--help") expect(option);
        }
        if (help.find("SUBCOMMAND") == std::string::npos) continue;
        for (const auto& below : commands_of(help))
            expect("`sworn " + command + " " + below);
    }
}

TEST(Version, IsTheProjects) {
    const auto ran = sworn({"--version"});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_TRUE(ran.out.starts_with("sworn 0.")) << ran.out;
}

}  // namespace
}  // namespace sworn::cli
