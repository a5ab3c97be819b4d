// YAML to Snapshot. Every fault is reported, each with its place, its key and what would be right;
// a file with any fault yields no snapshot. Unknown keys are faults. Secrets are not read here.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "proxy/config/snapshot.h"

namespace sworn::config {

/// One fault: "sworn.yaml:12: routes[0].upstream.port: 70000 is not a port (1 to 65535)".
struct Fault {
    int line = 0;         ///< 1-based; 0 where the whole file is meant.
    std::string key;      ///< "routes[0].upstream.port"
    std::string message;  ///< What is wrong and what would be right; never a secret's value.
};
using Faults = std::vector<Fault>;

/// One line per fault, as people and editors read it: file:line: key: message.
[[nodiscard]] std::string format(const std::filesystem::path& file, const Faults& faults);

[[nodiscard]] Result<SnapshotPtr, Faults> load_file(const std::filesystem::path& file);
/// The same from text; `file` names it in messages and anchors relative paths.
[[nodiscard]] Result<SnapshotPtr, Faults> load_text(std::string_view yaml,
                                                    const std::filesystem::path& file);

}  // namespace sworn::config
