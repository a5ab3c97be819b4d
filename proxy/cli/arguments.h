// The command line: subcommands and options to one of the commands.
#pragma once

namespace sworn::cli {

/// Runs what the arguments ask for; the exit codes of exit_code.h.
int run(int argc, char** argv);

}  // namespace sworn::cli
