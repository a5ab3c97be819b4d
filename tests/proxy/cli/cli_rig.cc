#include "tests/proxy/cli/cli_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "proxy/cli/arguments.h"

namespace sworn::cli {

namespace {

constexpr const char* names[] = {"SWORN_CONTROL", "SWORN_CONTROL_TOKEN", "SWORN_CONFIG",
                                 "NO_COLOR"};

int run_arguments(std::vector<std::string>& arguments) {
    arguments.insert(arguments.begin(), "sworn");
    std::vector<char*> argv;
    for (auto& argument : arguments)
        argv.push_back(argument.data());
    argv.push_back(nullptr);
    return run(static_cast<int>(arguments.size()), argv.data());
}

/// A terminal that changes nothing of what is written to it.
int open_terminal(int& master) {
    master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_EQ(::grantpt(master), 0);
    EXPECT_EQ(::unlockpt(master), 0);
    const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios mode{};
    EXPECT_EQ(::tcgetattr(slave, &mode), 0);
    ::cfmakeraw(&mode);
    EXPECT_EQ(::tcsetattr(slave, TCSANOW, &mode), 0);
    return slave;
}

std::string read_to_end(int descriptor) {
    std::string all;
    char bytes[4096];
    for (;;) {
        const auto count = ::read(descriptor, bytes, sizeof bytes);
        if (count <= 0) return all;
        all.append(bytes, static_cast<std::size_t>(count));
    }
}

}  // namespace

Ran sworn(std::vector<std::string> arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = run_arguments(arguments);
    auto err = testing::internal::GetCapturedStderr();
    return Ran{exit_code, testing::internal::GetCapturedStdout(), std::move(err)};
}

Ran sworn_on_terminal(std::vector<std::string> arguments) {
    int master = -1;
    int slave = open_terminal(master);
    std::string out;
    std::thread reader{[&] { out = read_to_end(master); }};
    std::fflush(stdout);
    const int before = ::dup(STDOUT_FILENO);
    ::dup2(slave, STDOUT_FILENO);
    testing::internal::CaptureStderr();
    const int exit_code = run_arguments(arguments);
    std::fflush(stdout);
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    // The last end that writes: the reader sees the end of what was written.
    ::close(slave);
    reader.join();
    ::close(master);
    return Ran{exit_code, std::move(out), testing::internal::GetCapturedStderr()};
}

Home::Home() : before_{std::filesystem::current_path()}, mask_before_{::umask(022)} {
    for (const char* name : names)
        ::unsetenv(name);
    std::filesystem::current_path(folder.path());
}

Home::~Home() {
    for (const char* name : names)
        ::unsetenv(name);
    std::filesystem::current_path(before_);
    ::umask(mask_before_);
}

void Home::set(const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
}

std::filesystem::path Home::configure(std::string_view control, std::string_view name,
                                      std::string_view more) const {
    std::string yaml = "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]";
    if (!control.empty()) yaml.append(", control: [").append(control).append("]");
    return folder.write(name, yaml + "}\n" + std::string{more});
}

ScriptedControl::ScriptedControl(const Home& home, On on) {
    if (on == On::unix_socket) {
        sockaddr_un name{};
        name.sun_family = AF_UNIX;
        const auto path = (home.folder / "control.sock").string();
        path.copy(name.sun_path, sizeof name.sun_path - 1);
        listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        address_ = "unix:" + path;
    } else {
        sockaddr_in name{};
        name.sin_family = AF_INET;
        name.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof name;
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
        EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&name), &size), 0);
        address_ = "http://127.0.0.1:" + std::to_string(::ntohs(name.sin_port));
    }
    EXPECT_EQ(::listen(listener_, 8), 0);
    thread_ = std::thread{[this] { serve(); }};
}

ScriptedControl::~ScriptedControl() {
    ::shutdown(listener_, SHUT_RDWR);  // accept() returns.
    thread_.join();
    ::close(listener_);
}

ScriptedControl& ScriptedControl::answer(int status, std::string_view body,
                                         std::string_view fields) {
    std::string head = "HTTP/1.1 " + std::to_string(status) +
                       " Said\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    return answer_raw(head.append(fields).append("\r\n").append(body));
}

ScriptedControl& ScriptedControl::answer_raw(std::string bytes) {
    const std::lock_guard lock{mutex_};
    answers_.push_back(std::move(bytes));
    return *this;
}

std::vector<std::string> ScriptedControl::asked() const {
    const std::lock_guard lock{mutex_};
    return asked_;
}

std::vector<std::string> ScriptedControl::lines() const {
    std::vector<std::string> all;
    for (const auto& request : asked())
        all.push_back(request.substr(0, request.find(" HTTP/1.1")));
    return all;
}

std::string ScriptedControl::next_answer(std::string request) {
    const std::lock_guard lock{mutex_};
    asked_.push_back(std::move(request));
    if (answers_.size() < asked_.size()) return "HTTP/1.1 500 Nothing left to say\r\n\r\n";
    return answers_[asked_.size() - 1];
}

namespace {

/// A request with the body that its Content-Length promises.
std::string read_request(int connection) {
    std::string request;
    std::size_t wanted = std::string::npos;
    char bytes[4096];
    while (request.size() < wanted) {
        const auto count = ::read(connection, bytes, sizeof bytes);
        if (count <= 0) break;
        request.append(bytes, static_cast<std::size_t>(count));
        const auto end = request.find("\r\n\r\n");
        if (end == std::string::npos) continue;
        const auto length = request.find("Content-Length: ");
        const auto body =
            length < end ? std::strtoul(request.c_str() + length + 16, nullptr, 10) : 0ul;
        wanted = end + 4 + body;
    }
    return request;
}

}  // namespace

void ScriptedControl::serve() {
    for (;;) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        const auto said = next_answer(read_request(connection));
        EXPECT_EQ(::send(connection, said.data(), said.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(said.size()));
        ::close(connection);
    }
}

std::string record_json(std::string_view state, std::string_view more) {
    return R"({"invocation_id":"act_01J","state":{)" + std::string{state} + "}," +
           std::string{more} + "}\n";
}

}  // namespace sworn::cli
