// The commands of `sworn`, each a function from its options to an exit code.
#pragma once

#include <filesystem>
#include <string>

#include "proxy/cli/client.h"

namespace sworn::cli {

/// What a record is printed as. Without either: text on a terminal, JSON elsewhere.
struct OutputOptions {
    bool json = false, text = false;
};

struct ListOptions {
    ControlHints control;
    std::string outcome, phase, route, caller, token, since;
    std::size_t limit = 50;
    OutputOptions output;
};
struct ShowOptions {
    ControlHints control;
    std::string id;
    OutputOptions output;
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
    bool applied = false, not_applied = false;  ///< Exactly one of them.
    OutputOptions output;
};
struct JournalOptions {
    ControlHints control;
    std::filesystem::path data_dir;  ///< Read instead of asking a broker; empty: ask one.
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
int run_journal_verify(const JournalOptions& options);
int run_journal_export(const JournalOptions& options);

// Shared by the commands.
/// "sworn: …" on stderr; returns the exit code.
int fail(const CliError& error);
/// An answer that is not 200: its body on stderr, and the exit code that it stands for.
int refused(const ControlAnswer& answer);
/// Bytes to stdout as they are.
void print(std::string_view bytes);

}  // namespace sworn::cli
