// The commands about records, against a control API that is scripted.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "proxy/cli/exit_code.h"
#include "tests/proxy/cli/cli_rig.h"

namespace sworn::cli {
namespace {

constexpr std::string_view not_found =
    R"({"type":"urn:sworn:control:not_found","status":404,"detail":"No invocation has that id."})";
constexpr std::string_view unknown_envelope =
    R"({"type":"urn:sworn:error:REMOTE_OUTCOME_UNKNOWN","error":{"outcome":"unknown"}})";
constexpr std::string_view rejected_envelope =
    R"({"type":"urn:sworn:error:RESULT_EXPIRED","error":{"outcome":"rejected"}})";

/// A home whose sworn.yaml names the scripted API, so that commands need no option for it.
struct Rig {
    Rig() { home.configure("\"" + control.address() + "\""); }
    Home home;
    ScriptedControl control{home};
};

TEST(Records, ExitWithWhatTheAnswerStandsFor) {
    const std::vector<std::vector<std::string>> commands = {
        {"show", "act_1"},
        {"result", "act_1"},
        {"ack", "act_1"},
        {"retry", "act_1"},
        {"reconcile", "act_1"},
        {"attest", "act_1", "--applied", "--by", "ops", "--reason", "seen"},
        {"list"},
    };
    struct Answer {
        const char* name;
        int status;
        std::string_view body;
        int exit_code;
    };
    const Answer answers[] = {
        {"not found", 404, not_found, exit_refused},
        {"refused", 409, rejected_envelope, exit_refused},
        {"unknown", 409, unknown_envelope, exit_unknown},
        {"not let in", 401, R"({"type":"urn:sworn:control:unauthorized"})", exit_refused},
    };
    for (const auto& command : commands) {
        for (const auto& answer : answers) {
            SCOPED_TRACE(command.front() + ": " + answer.name);
            Rig rig;
            rig.control.answer(answer.status, answer.body);
            const auto ran = sworn(command);
            EXPECT_EQ(ran.exit_code, answer.exit_code);
            EXPECT_EQ(ran.out, "");
            EXPECT_EQ(ran.err, std::string{answer.body} + "\n");
        }
    }
}

TEST(Records, ExitWithThreeWhereNobodyAnswers) {
    Home home;
    home.configure("\"unix:./control.sock\"");
    for (const char* command : {"show", "result", "ack", "retry", "reconcile"}) {
        const auto ran = sworn({command, "act_1"});
        EXPECT_EQ(ran.exit_code, exit_unreachable);
        EXPECT_NE(ran.err.find("sworn: no broker answers at unix:"), std::string::npos) << ran.err;
        EXPECT_NE(ran.err.find("sworn serve --config"), std::string::npos);
        EXPECT_EQ(ran.out, "");
    }
}

TEST(Records, SayThatTheAnswerIsNoBrokers) {
    Rig rig;
    rig.control.answer(502, "<html>Bad gateway</html>");
    const auto ran = sworn({"show", "act_1"});
    EXPECT_EQ(ran.exit_code, exit_refused);
    EXPECT_EQ(ran.err, "sworn: the answer is no Sworn broker's: status 502\n");
    rig.control.answer(200, "[]");
    EXPECT_EQ(sworn({"show", "act_1"}).err, "sworn: the broker's answer is not a record\n");
    rig.control.answer(200, "{}");
    EXPECT_EQ(sworn({"list"}).err, "sworn: the broker's answer is not a list\n");
}

TEST(Records, AreAskedForByTheirCalls) {
    struct Row {
        std::vector<std::string> arguments;
        const char* line;
    };
    const Row table[] = {
        {{"show", "act_1"}, "GET /v1/invocations/act_1"},
        {{"show", "../a b"}, "GET /v1/invocations/..%2Fa%20b"},
        {{"ack", "act_1"}, "POST /v1/invocations/act_1/ack"},
        {{"retry", "act_1"}, "POST /v1/invocations/act_1/retry"},
        {{"reconcile", "act_1"}, "POST /v1/invocations/act_1/reconcile"},
        {{"result", "act_1"}, "GET /v1/invocations/act_1/result?from_part=0"},
        {{"result", "act_1", "--from-part", "7", "--stream", "stderr"},
         "GET /v1/invocations/act_1/result?from_part=7&stream=stderr"},
        {{"list"}, "GET /v1/invocations?limit=50"},
        {{"list", "--outcome", "unknown", "--phase", "validation", "--route", "r", "--caller", "c",
          "--token", "a&b=+", "--since", "2026-11-30T12:00:00Z", "--limit", "7"},
         "GET /v1/invocations?limit=7&outcome=unknown&phase=validation&route=r&caller=c"
         "&token=a%26b%3D%2B&since=2026-11-30T12%3A00%3A00Z"},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.line);
        Rig rig;
        rig.control.answer(404, not_found);
        EXPECT_EQ(sworn(row.arguments).exit_code, exit_refused);
        EXPECT_EQ(rig.control.lines(), std::vector<std::string>{row.line});
    }
}

TEST(Attest, SendsTheFinding) {
    Rig rig;
    rig.control.answer(200, record_json());
    const auto ran =
        sworn({"attest", "act_1", "--not-applied", "--by", "Jörg", "--reason", "no \"such\" row"});
    EXPECT_EQ(ran.exit_code, exit_done) << ran.err;
    EXPECT_EQ(ran.out, record_json());
    const auto asked = rig.control.asked().at(0);
    EXPECT_TRUE(asked.starts_with("POST /v1/invocations/act_1/reconcile HTTP/1.1\r\n"));
    EXPECT_NE(asked.find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_TRUE(asked.ends_with(
        "\r\n\r\n{\"finding\":\"not_applied\",\"source\":\"operator_attested\",\"by\":\"Jörg\","
        "\"reason\":\"no \\\"such\\\" row\"}"))
        << asked;
}

TEST(Show, PrintsJsonIntoAPipeAndTextWhereItIsAskedFor) {
    Rig rig;
    for (int i = 0; i < 4; ++i)
        rig.control.answer(200, record_json());
    EXPECT_EQ(sworn({"show", "act_1"}).out, record_json());
    EXPECT_EQ(sworn({"show", "act_1", "--json"}).out, record_json());
    const auto page = sworn({"show", "act_1", "--text"});
    EXPECT_EQ(page.exit_code, exit_done);
    EXPECT_TRUE(page.out.starts_with("act_01J  committed\n")) << page.out;
    EXPECT_EQ(page.out.find('\033'), std::string::npos);
    EXPECT_TRUE(sworn({"ack", "act_1", "--text"}).out.starts_with("act_01J  committed\n"));
}

TEST(Show, PrintsAPageOnATerminal) {
    Rig rig;
    for (int i = 0; i < 3; ++i)
        rig.control.answer(200, record_json());
    const auto page = sworn_on_terminal({"show", "act_1"});
    EXPECT_EQ(page.exit_code, exit_done);
    EXPECT_TRUE(page.out.starts_with("act_01J  \033[32mcommitted\033[0m\n")) << page.out;
    EXPECT_EQ(sworn_on_terminal({"show", "act_1", "--json"}).out, record_json());
    Home::set("NO_COLOR", "1");
    EXPECT_TRUE(sworn_on_terminal({"show", "act_1"}).out.starts_with("act_01J  committed\n"));
}

std::string page_json(const std::vector<std::string>& ids, std::string_view next) {
    std::string items;
    for (const auto& id : ids)
        items += (items.empty() ? "" : ",") + (R"({"invocation_id":")" + id + R"(","state":{}})");
    return R"({"items":[)" + items + R"(],"next_cursor":)" + std::string{next} + "}";
}

TEST(List, PrintsJsonLinesIntoAPipe) {
    Rig rig;
    rig.control.answer(200, page_json({"a", "b"}, "null"));
    const auto ran = sworn({"list"});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_EQ(ran.out,
              "{\"invocation_id\":\"a\",\"state\":{}}\n{\"invocation_id\":\"b\",\"state\":{}}\n");
    rig.control.answer(200, page_json({}, "null"));
    EXPECT_EQ(sworn({"list", "--json"}).out, "");
}

TEST(List, PrintsATableOnATerminalAndWhereItIsAskedFor) {
    Rig rig;
    for (int i = 0; i < 2; ++i)
        rig.control.answer(200, page_json({"a"}, "null"));
    EXPECT_TRUE(sworn_on_terminal({"list"}).out.starts_with("INVOCATION  AGE  OUTCOME"));
    EXPECT_TRUE(sworn({"list", "--text"}).out.starts_with("INVOCATION  AGE  OUTCOME"));
    rig.control.answer(200, page_json({}, "null"));
    EXPECT_EQ(sworn({"list", "--text"}).out, "no invocations\n");
    rig.control.answer(200, page_json({"a"}, "\"act_9\""));
    EXPECT_TRUE(sworn({"list", "--text", "--limit", "1"})
                    .out.ends_with("older ones are left out; --limit shows more\n"));
}

TEST(List, FollowsThePagesUpToItsLimit) {
    Rig rig;
    std::vector<std::string> thousand(1000, "x");
    rig.control.answer(200, page_json(thousand, "\"act_9\""))
        .answer(200, page_json({"y", "z"}, "\"act_7\""));
    const auto ran = sworn({"list", "--limit", "1002"});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_EQ(std::ranges::count(ran.out, '\n'), 1002);
    EXPECT_EQ(rig.control.lines(),
              (std::vector<std::string>{"GET /v1/invocations?limit=1000",
                                        "GET /v1/invocations?limit=2&cursor=act_9"}));
}

TEST(FetchedResult, IsPrintedByteForByte) {
    Rig rig;
    const std::string_view body{"\0\xff\x1b[31m\r\n", 9};
    rig.control.answer(200, body, "Sworn-Result-Status: 200\r\n");
    const auto ran = sworn({"result", "act_1"});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_EQ(ran.out, body);
}

TEST(FetchedResult, IsWrittenToAFileForItsOwnerOnly) {
    namespace fs = std::filesystem;
    Rig rig;
    rig.control.answer(200, "paid").answer(404, not_found).answer(200, "x");
    const auto file = rig.home.folder / "answer";
    const auto ran = sworn({"result", "act_1", "-o", file.string()});
    EXPECT_EQ(ran.exit_code, exit_done);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(rig.home.folder.read("answer"), "paid");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);

    EXPECT_EQ(sworn({"result", "act_1", "-o", file.string()}).exit_code, exit_refused);
    EXPECT_EQ(rig.home.folder.read("answer"), "paid") << "a refusal is no result";

    const auto nowhere = (rig.home.folder / "no/such/folder").string();
    const auto failed = sworn({"result", "act_1", "-o", nowhere});
    EXPECT_EQ(failed.exit_code, exit_refused);
    EXPECT_EQ(failed.err, "sworn: cannot write " + nowhere + "\n");
}

TEST(FetchedResult, IsNoneWhereItIsCutOff) {
    Rig rig;
    rig.control.answer_raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    const auto ran = sworn({"result", "act_1", "-o", (rig.home.folder / "answer").string()});
    EXPECT_EQ(ran.exit_code, exit_unreachable);
    EXPECT_NE(ran.err.find("did not answer completely"), std::string::npos) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(rig.home.folder / "answer"));
}

}  // namespace
}  // namespace sworn::cli
