// `sworn serve`: the broker in the foreground. Logs to stderr; exit 0 after a graceful drain.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace sworn::cli {

enum class LogFormat : std::uint8_t { text, json };

struct ServeOptions {
    std::filesystem::path config;
    LogFormat log_format = LogFormat::text;
    std::string log_level = "info";  ///< debug, info, warn, error
};

/// Exit code: 0 after a drain, 1 where the configuration, a listener or the journal stopped it.
int run_serve(const ServeOptions& options);

}  // namespace sworn::cli
