#include "proxy/cli/client.h"

#include <gtest/gtest.h>

#include "proxy/cli/exit_code.h"
#include "tests/proxy/cli/cli_rig.h"
#include "tests/support/loopback.h"

namespace sworn::cli {
namespace {

std::string found(const ControlHints& hints) {
    const auto address = find_control(hints);
    return address ? address->text() : "(" + address.error().what + ")";
}

TEST(FindConfig, TakesTheFirstThatIsThere) {
    Home home;
    const bool installed = std::filesystem::exists("/etc/sworn/sworn.yaml");
    EXPECT_EQ(find_config({}), installed ? "/etc/sworn/sworn.yaml" : "");
    home.configure("");
    EXPECT_EQ(find_config({}), std::filesystem::current_path() / "sworn.yaml");
    Home::set("SWORN_CONFIG", "named.yaml");
    EXPECT_EQ(find_config({}), "named.yaml");
    EXPECT_EQ(find_config("asked.yaml"), "asked.yaml");
    Home::set("SWORN_CONFIG", "");
    EXPECT_EQ(find_config({}), std::filesystem::current_path() / "sworn.yaml");
}

TEST(FindControl, TakesTheFirstThatNamesOne) {
    Home home;
    if (!std::filesystem::exists("/etc/sworn/sworn.yaml")) {
        EXPECT_EQ(find_control({}).error().exit_code, exit_usage);
        EXPECT_NE(found({}).find("no broker is named"), std::string::npos);
    }
    home.configure("\"unix:/run/here.sock\"");
    EXPECT_EQ(found({}), "unix:/run/here.sock");
    EXPECT_EQ(find_control({})->config, std::filesystem::current_path() / "sworn.yaml");
    const auto other = home.configure("\"unix:/run/other.sock\"", "other.yaml");
    Home::set("SWORN_CONFIG", other.string());
    EXPECT_EQ(found({}), "unix:/run/other.sock");
    Home::set("SWORN_CONTROL", "unix:/run/environment.sock");
    EXPECT_EQ(found({}), "unix:/run/environment.sock");
    EXPECT_TRUE(find_control({})->config.empty());
    EXPECT_EQ(found({.control = {}, .config = "sworn.yaml"}), "unix:/run/here.sock");
    EXPECT_EQ(found({.control = "unix:/run/asked.sock", .config = "sworn.yaml"}),
              "unix:/run/asked.sock");
}

TEST(FindControl, PrefersTheSocketOfAConfig) {
    Home home;
    home.folder.write("token", "from-the-file\n");
    constexpr std::string_view token = "control_token: {file: ./token}\n";
    home.configure("127.0.0.1:8119, \"unix:/run/s.sock\"", "sworn.yaml", token);
    const auto preferred = find_control({});
    ASSERT_TRUE(preferred) << preferred.error().what;
    EXPECT_EQ(preferred->text(), "unix:/run/s.sock");
    EXPECT_TRUE(preferred->token.empty()) << "a socket needs none";

    home.configure("127.0.0.1:8119, 127.0.0.1:8120", "sworn.yaml", token);
    const auto tcp = find_control({});
    ASSERT_TRUE(tcp) << tcp.error().what;
    EXPECT_EQ(tcp->text(), "http://127.0.0.1:8119");
    EXPECT_EQ(tcp->token.bytes(), "from-the-file");

    EXPECT_EQ(find_control({.control = "http://localhost:1", .config = {}})->token.bytes(),
              "from-the-file");
    Home::set("SWORN_CONTROL_TOKEN", "from-the-environment");
    EXPECT_EQ(find_control({})->token.bytes(), "from-the-environment");
    EXPECT_EQ(find_control({.control = "http://localhost:1", .config = {}})->token.bytes(),
              "from-the-environment");
}

TEST(FindControl, SendsAConfigsTokenToNoOtherMachine) {
    Home home;
    home.folder.write("token", "a-private-file\n");
    constexpr std::string_view token = "control_token: {file: ./token}\n";
    home.configure("203.0.113.7:8119", "sworn.yaml", token);
    EXPECT_TRUE(find_control({})->token.empty());
    for (const char* host :
         {"http://203.0.113.7:1", "http://broker.example:1", "http://[2001:db8::7]:1"}) {
        EXPECT_TRUE(find_control({.control = host, .config = {}})->token.empty()) << host;
    }
    EXPECT_EQ(find_control({.control = "http://[::1]:1", .config = {}})->token.bytes(),
              "a-private-file");
    Home::set("SWORN_CONTROL_TOKEN", "meant-for-it");
    EXPECT_EQ(find_control({})->token.bytes(), "meant-for-it");
}

TEST(FindControl, SaysWhatIsWrongWithAConfig) {
    Home home;
    home.folder.write("sworn.yaml", "data_dir: ./data\nlisten: {proxy: [127.0.0.1:0]}\nnam: x\n");
    const auto faulty = find_control({});
    ASSERT_FALSE(faulty);
    EXPECT_EQ(faulty.error().exit_code, exit_refused);
    EXPECT_NE(faulty.error().what.find("sworn.yaml:3"), std::string::npos) << faulty.error().what;

    home.configure("");
    const auto none = find_control({});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().exit_code, exit_usage);
    EXPECT_NE(none.error().what.find("opens no control listener"), std::string::npos);
}

TEST(FindControl, TakesAddressesAsTheyAreWritten) {
    struct Row {
        const char* given;
        const char* want;  ///< Null: refused.
    };
    const Row table[] = {
        {"http://127.0.0.1:8119", "http://127.0.0.1:8119"},
        {"http://broker.example:80/", "http://broker.example:80"},
        {"127.0.0.1:8119", "http://127.0.0.1:8119"},
        {"http://[::1]:8119", "http://[::1]:8119"},
        {"unix:/run/sworn.sock", "unix:/run/sworn.sock"},
        {"unix:sworn.sock", "unix:sworn.sock"},
        {"unix:", nullptr},
        {"https://127.0.0.1:8119", nullptr},
        {"http://127.0.0.1", nullptr},
        {"http://127.0.0.1:", nullptr},
        {"http://127.0.0.1:0", nullptr},
        {"http://127.0.0.1:65536", nullptr},
        {"http://127.0.0.1:80x", nullptr},
        {"http://127.0.0.1:8119/v1", nullptr},
        {"http://ops@127.0.0.1:8119", nullptr},
        {"http://:8119", nullptr},
        {"http://::1:8119", nullptr},
        {"8119", nullptr},
    };
    Home home;
    for (const auto& row : table) {
        SCOPED_TRACE(row.given);
        const auto address = find_control({.control = row.given, .config = {}});
        ASSERT_EQ(static_cast<bool>(address), row.want != nullptr);
        if (address) {
            EXPECT_EQ(address->text(), row.want);
        } else {
            EXPECT_EQ(address.error().exit_code, exit_usage);
            EXPECT_NE(address.error().what.find(row.given), std::string::npos);
        }
    }
    EXPECT_EQ(find_control({.control = "http://[::1]:8119", .config = {}})->host, "::1");
}

TEST(PercentEncoded, LeavesOnlyUnreservedCharacters) {
    EXPECT_EQ(percent_encoded("aZ09-_.~"), "aZ09-_.~");
    EXPECT_EQ(percent_encoded("a b/&=%+?#\n"), "a%20b%2F%26%3D%25%2B%3F%23%0A");
    EXPECT_EQ(percent_encoded("\xc3\xb6"), "%C3%B6");
}

TEST(Client, SendsTheTokenOverTcp) {
    Home home;
    ScriptedControl control{home, ScriptedControl::On::loopback};
    control.answer(200, "{}", "X-Said: Yes\r\n");
    Home::set("SWORN_CONTROL_TOKEN", "open-sesame");
    const auto address = find_control({.control = control.address(), .config = {}});
    const auto answer = call(*address, "GET", "/v1/routes");
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->fields.at("x-said"), "Yes");
    const auto asked = control.asked().at(0);
    EXPECT_NE(asked.find("Authorization: Bearer open-sesame\r\n"), std::string::npos);
    EXPECT_NE(asked.find("Host: " + control.address().substr(7) + "\r\n"), std::string::npos);
}

TEST(Client, SaysWhyNobodyAnswers) {
    Home home;
    const test::ClosedPort closed;
    const std::string long_path = "unix:/" + std::string(200, 'x');
    struct Row {
        std::string address;
        const char* why;
    };
    const Row table[] = {
        {"unix:./nothing.sock", "No such file or directory"},
        {"http://127.0.0.1:" + std::to_string(closed.port()), "Connection refused"},
        {long_path, "too long"},
    };
    for (const auto& row : table) {
        const auto address = find_control({.control = row.address, .config = {}});
        const auto answer = call(*address, "GET", "/v1/routes");
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().exit_code, exit_unreachable);
        EXPECT_NE(answer.error().what.find(row.address), std::string::npos);
        EXPECT_NE(answer.error().what.find(row.why), std::string::npos) << answer.error().what;
    }
}

TEST(Client, RefusesAnswersThatAreNotWhole) {
    const char* table[] = {
        "",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
    };
    for (const char* said : table) {
        SCOPED_TRACE(said);
        Home home;
        ScriptedControl control{home};
        control.answer_raw(said);
        const auto address = find_control({.control = control.address(), .config = {}});
        const auto answer = call(*address, "GET", "/v1/routes");
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().exit_code, exit_unreachable);
        EXPECT_NE(answer.error().what.find("did not answer completely"), std::string::npos);
    }
}

TEST(Client, HandsALargeBodyOnPieceByPiece) {
    Home home;
    ScriptedControl control{home};
    const std::string body(300'000, 'b');
    control.answer(200, body).answer(404, "{}");
    const auto address = find_control({.control = control.address(), .config = {}});
    std::string taken;
    int pieces = 0;
    const BodySink sink = [&](std::string_view piece) {
        taken += piece;
        ++pieces;
    };
    const auto answer = call_streaming(*address, "/v1/journal/export", sink);
    ASSERT_TRUE(answer) << answer.error().what;
    EXPECT_EQ(taken, body);
    EXPECT_GT(pieces, 1);
    EXPECT_EQ(answer->body, "");
    const auto refused = call_streaming(*address, "/v1/journal/export", sink);
    ASSERT_TRUE(refused) << refused.error().what;
    EXPECT_EQ(refused->body, "{}");
    EXPECT_EQ(taken.size(), body.size());
}

}  // namespace
}  // namespace sworn::cli
