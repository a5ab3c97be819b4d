// A blocking client of the control API, over a unix socket or TCP.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "common/secret.h"

namespace sworn::cli {

/// Where the control API is, and what opens it.
struct ControlAddress {
    std::string host;             ///< TCP: address or name …
    std::uint16_t port = 0;
    std::filesystem::path path;   ///< … or a socket path.
    Secret token;                 ///< TCP only; may be empty.

    [[nodiscard]] std::string text() const;
};

/// What the user and the environment say about it.
struct ControlHints {
    std::string control;                    ///< --control
    std::filesystem::path config;           ///< --config
};

struct CliError {
    std::string what;
    int exit_code;
};

/// --control, SWORN_CONTROL, else the first control listener of the config found by --config,
/// $SWORN_CONFIG, ./sworn.yaml, /etc/sworn/sworn.yaml (a unix socket is preferred).
[[nodiscard]] Result<ControlAddress, CliError> find_control(const ControlHints& hints);
/// The config file by the same order; empty where there is none.
[[nodiscard]] std::filesystem::path find_config(const std::filesystem::path& asked);

struct ControlAnswer {
    int status = 0;
    std::string body;
    std::map<std::string, std::string, std::less<>> fields;  ///< Lower-case names.
};

/// One request. Errors: exit_unreachable, with a sentence that says how to start a broker.
[[nodiscard]] Result<ControlAnswer, CliError> call(const ControlAddress& address,
                                                   std::string_view method, std::string_view target,
                                                   std::string_view body = {});

/// For a query part of a target.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace sworn::cli
