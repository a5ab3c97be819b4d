// The commands of `sworn`, each a function from its options to an exit code.
#pragma once

#include <filesystem>
#include <string>

#include "proxy/cli/client.h"

namespace sworn::cli {

struct ListOptions {
    ControlHints control;
    std::string outcome, phase, route, caller, token, since;
    std::size_t limit = 50;
    bool json = false;
};
struct ShowOptions {
    ControlHints control;
    std::string id;
    bool json = false;
};
struct ResultOptions {
    ControlHints control;
    std::string id, stream;
    std::uint32_t from_part = 0;
    std::filesystem::path output;
};
struct AttestOptions {
    ControlHints control;
    std::string id, by, reason;
    bool applied = false, not_applied = false;
};

// records.cc
int run_list(const ListOptions& options);
int run_show(const ShowOptions& options);
int run_result(const ResultOptions& options);
int run_ack(const ShowOptions& options);
int run_attest(const AttestOptions& options);
int run_retry(const ShowOptions& options);
int run_reconcile(const ShowOptions& options);
// setup.cc
int run_check(const std::filesystem::path& config);
int run_init(const std::filesystem::path& directory);
int run_ca_init(const std::filesystem::path& directory);
int run_ca_show(const std::filesystem::path& config);
int run_ca_export(const std::filesystem::path& config);
// journal_commands.cc
int run_journal_verify(const ControlHints& hints);
int run_journal_export(const ControlHints& hints);

/// "sworn: …" on stderr; returns the exit code.
int fail(const CliError& error);

}  // namespace sworn::cli
