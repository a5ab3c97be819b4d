// A blocking client of the control API, over a unix socket or TCP.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "common/result.h"
#include "common/secret.h"

namespace sworn::cli {

/// Where the control API is, and what opens it.
struct ControlAddress {
    std::string host;  ///< TCP: name, or address without brackets …
    std::uint16_t port = 0;
    std::filesystem::path path;    ///< … or a socket path.
    Secret token;                  ///< TCP only; may be empty.
    std::filesystem::path config;  ///< What named it; empty where the user or SWORN_CONTROL did.

    /// As --control takes it.
    [[nodiscard]] std::string text() const;
};

/// What the user says about it; empty: nothing.
struct ControlHints {
    std::string control;           ///< --control
    std::filesystem::path config;  ///< --config
};

struct CliError {
    std::string what;  ///< A sentence, without "sworn: ".
    int exit_code;
};

/// --control, else --config, else SWORN_CONTROL, else the config of find_config(); of a config, its
/// first control listener, a unix socket before TCP. SWORN_CONTROL_TOKEN outranks its token.
/// Errors: exit_usage where nothing names a broker; exit_refused where the config has faults.
[[nodiscard]] Result<ControlAddress, CliError> find_control(const ControlHints& hints);

/// What is asked for, $SWORN_CONFIG, ./sworn.yaml, /etc/sworn/sworn.yaml; empty where there is
/// none.
[[nodiscard]] std::filesystem::path find_config(const std::filesystem::path& asked);

struct ControlAnswer {
    int status = 0;
    std::string body;
    std::map<std::string, std::string, std::less<>> fields;  ///< Lower-case names.
};

/// One request. Errors: exit_unreachable, with a sentence that says how to start a broker; also
/// where the answer is cut off.
[[nodiscard]] Result<ControlAnswer, CliError> call(const ControlAddress& address,
                                                   std::string_view method, std::string_view target,
                                                   std::string_view body = {});

/// Takes the body of a 200 piece by piece, as it arrives.
using BodySink = std::function<void(std::string_view)>;

/// A GET whose answer may be large. The answer's own `body` is empty where `sink` had it; after an
/// error it had a part of it.
[[nodiscard]] Result<ControlAnswer, CliError> call_streaming(const ControlAddress& address,
                                                             std::string_view target,
                                                             const BodySink& sink);

/// For a query part of a target.
[[nodiscard]] std::string percent_encoded(std::string_view text);

}  // namespace sworn::cli
