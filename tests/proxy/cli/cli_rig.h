// The command line as a user has it: arguments in, exit code and output out, in a folder and an
// environment of its own; and a control API that is scripted.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "tests/proxy/credentials/scratch.h"

namespace sworn::cli {

struct Ran {
    int exit_code;
    std::string out, err;
};

/// Runs `sworn` with these arguments; stdout is no terminal.
[[nodiscard]] Ran sworn(std::vector<std::string> arguments);
/// The same with a terminal as stdout.
[[nodiscard]] Ran sworn_on_terminal(std::vector<std::string> arguments);

/// An empty folder to be in, an environment that names no broker, and the usual umask; all of it
/// ends with the test.
class Home {
public:
    Home();
    ~Home();
    Home(const Home&) = delete;
    Home& operator=(const Home&) = delete;

    static void set(const char* name, const std::string& value);
    /// A configuration with these listeners, as "sworn.yaml" or another name.
    std::filesystem::path configure(std::string_view control, std::string_view name = "sworn.yaml",
                                    std::string_view more = {}) const;

    credentials::Scratch folder;

private:
    std::filesystem::path before_;
    mode_t mask_before_;
};

/// Answers on a unix socket or a loopback port, one connection per answer, in their order.
class ScriptedControl {
public:
    enum class On : std::uint8_t { unix_socket, loopback };

    /// Listens at once. `folder` is where the socket is.
    explicit ScriptedControl(const Home& home, On on = On::unix_socket);
    ~ScriptedControl();
    ScriptedControl(const ScriptedControl&) = delete;
    ScriptedControl& operator=(const ScriptedControl&) = delete;

    ScriptedControl& answer(int status, std::string_view body, std::string_view fields = {});
    /// Bytes as they are, then the end.
    ScriptedControl& answer_raw(std::string bytes);

    [[nodiscard]] const std::string& address() const { return address_; }
    /// What was asked so far: whole requests, head and body.
    [[nodiscard]] std::vector<std::string> asked() const;
    /// The request lines of it, without " HTTP/1.1".
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    void serve();
    [[nodiscard]] std::string next_answer(std::string request);

    int listener_ = -1;
    std::string address_;
    mutable std::mutex mutex_;
    std::vector<std::string> answers_, asked_;
    std::thread thread_;
};

/// A record as the API shows it; `state` and `more` are JSON members.
[[nodiscard]] std::string record_json(
    std::string_view state = R"("phase":"result_delivery","outcome":"committed","retry":"never")",
    std::string_view more = R"("route":"payments")");

}  // namespace sworn::cli
