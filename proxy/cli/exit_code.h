#pragma once

namespace sworn::cli {

/// Exit codes of the command line; an interface (docs/cli.md).
enum ExitCode : int {
    exit_done = 0,
    exit_refused = 1,  ///< Refused or not found; the envelope is on stderr.
    exit_usage = 2,
    exit_unreachable = 3,  ///< No broker answers.
    exit_unknown = 4,      ///< The outcome is unknown.
};

}  // namespace sworn::cli
