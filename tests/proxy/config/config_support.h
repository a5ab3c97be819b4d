// Verbs for the configuration tests: a smallest file that loads, and a table of bad ones.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "proxy/config/load.h"

namespace sworn::config {

/// Two lines that load by themselves; a snippet behind them starts in line 3.
inline constexpr std::string_view smallest = "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]}\n";

/// Two credentials (line 3 and 4) and "routes:" (line 5); a snippet behind them starts in line 6.
inline constexpr std::string_view routes_head =
    "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]}\n"
    "credentials: [{id: key, source: {env: KEY}, inject: {header: Authorization}},\n"
    "  {id: ssh, source: {file: ./id}, inject: {ssh_key: {username: deploy}}}]\n"
    "routes:\n";

/// The file stands in /etc/sworn, so that relative paths are known.
[[nodiscard]] Result<SnapshotPtr, Faults> load(std::string_view yaml);

/// The snapshot; a test failure and a fault listing where there is none.
[[nodiscard]] SnapshotPtr loaded(std::string_view yaml);

/// One file with exactly one fault.
struct FaultCase {
    std::string_view name;
    std::string_view head;  ///< Comes before `snippet`.
    std::string_view snippet;
    int line;
    std::string_view key;
    std::string_view message;  ///< A fragment.
};
std::ostream& operator<<(std::ostream& out, const FaultCase& value);

/// The one fault is the expected one, at its line and key.
void expect_fault(const FaultCase& want);

}  // namespace sworn::config
