#include "proxy/cli/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "common/ids.h"
#include "common/json.h"
#include "proxy/cli/text.h"

namespace sworn::cli {
namespace {

boost::json::object object_of(std::string_view text) {
    const auto parsed = parse_json(text);
    if (parsed && parsed->is_object()) return parsed->as_object();
    ADD_FAILURE() << "not an object: " << text;
    return {};
}

/// A record with this state; `more` follows as further members.
boost::json::object record(std::string_view state,
                           std::string_view more = "\"route\":\"payments\"") {
    return object_of(R"({"invocation_id":"act_01J","accepted_at":"2026-11-30T12:00:00.000000Z",)"
                     R"("request":{"method":"POST","host":"api.example.test","path":"/v1/pay"},)"
                     R"("state":{)" +
                     std::string{state} + "}," + std::string{more} + "}");
}

constexpr std::string_view committed =
    R"("phase":"result_delivery","outcome":"committed","retry":"never","code":null,"running":false)";
constexpr std::string_view unknown =
    R"("phase":"remote_execution","outcome":"unknown","retry":"reconcile",)"
    R"("code":"REMOTE_OUTCOME_UNKNOWN","running":false)";
constexpr std::string_view running =
    R"("phase":"remote_execution","outcome":"unknown","retry":"fetch_result","code":null,)"
    R"("running":true)";
constexpr std::string_view refused =
    R"("phase":"validation","outcome":"not_attempted","retry":"after_correction",)"
    R"("code":"TARGET_NOT_ALLOWED","running":false)";
constexpr std::string_view rejected =
    R"("phase":"remote_execution","outcome":"rejected","retry":"backoff",)"
    R"("code":"REMOTE_REJECTED","running":false)";

WallTime noon_plus(std::chrono::seconds later) {
    return *parse_rfc3339("2026-11-30T12:00:00.000000Z") + later;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in{text};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

/// The columns at which words begin, blanks being two or more.
std::vector<std::size_t> columns_of(const std::string& line) {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool after_gap = i == 0 || (i >= 2 && line[i - 1] == ' ' && line[i - 2] == ' ');
        if (line[i] != ' ' && after_gap) columns.push_back(width(line.substr(0, i)));
    }
    return columns;
}

TEST(Table, HasOneLinePerRecordUnderAHeading) {
    const auto lines = lines_of(render_table({record(committed), record(unknown)},
                                             noon_plus(std::chrono::seconds{90}), Colour::off));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0],
              "INVOCATION  AGE  OUTCOME    PHASE             RETRY      CODE                    "
              "ROUTE     REQUEST");
    EXPECT_EQ(lines[1],
              "act_01J     90s  committed  result_delivery   never      -                       "
              "payments  POST api.example.test/v1/pay");
    EXPECT_EQ(lines[2],
              "act_01J     90s  unknown    remote_execution  reconcile  REMOTE_OUTCOME_UNKNOWN  "
              "payments  POST api.example.test/v1/pay");
}

TEST(Table, KeepsItsColumnsUnderCharactersOfSeveralBytes) {
    const auto named = record(committed, R"("route":"zahlungsaufträge-€")");
    const auto lines = lines_of(
        render_table({named, record(running)}, noon_plus(std::chrono::seconds{5}), Colour::off));
    ASSERT_EQ(lines.size(), 3u);
    const auto want = columns_of(lines[0]);
    EXPECT_EQ(want.size(), 8u);
    EXPECT_EQ(columns_of(lines[1]), want);
    EXPECT_EQ(columns_of(lines[2]), want);
}

TEST(Table, CutsLongRequests) {
    const auto path = "/" + std::string(100, 'x');
    const auto target = R"("request":{"method":"GET","target":")" + path + "\"}";
    const auto shown_record = object_of(R"({"invocation_id":"a","state":{},)" + target + "}");
    const auto lines = lines_of(render_table({shown_record}, noon_plus({}), Colour::off));
    EXPECT_TRUE(lines[1].ends_with("x…"));
    EXPECT_EQ(width(lines[1].substr(lines[1].find("GET "))), 60u);
}

TEST(Table, SaysHowOldARecordIs) {
    struct Row {
        long seconds;
        const char* age;
    };
    const Row table[] = {{-5, "0s"},      {0, "0s"},      {119, "119s"},
                         {120, "2m"},     {7199, "119m"}, {7200, "2h"},
                         {172799, "47h"}, {172800, "2d"}, {8640000, "100d"}};
    for (const auto& row : table) {
        const auto lines = lines_of(render_table(
            {record(committed)}, noon_plus(std::chrono::seconds{row.seconds}), Colour::off));
        EXPECT_NE(lines[1].find("  " + std::string{row.age} + "  "), std::string::npos) << lines[1];
    }
}

TEST(Table, TakesTheAgeOfARefusedRecordFromItsId) {
    const auto id = first_id_at(noon_plus({})).text();
    const auto lines = lines_of(
        render_table({object_of(R"({"state":{},"invocation_id":")" + id + "\"}"), object_of("{}")},
                     noon_plus(std::chrono::seconds{61}), Colour::off));
    EXPECT_NE(lines[1].find("  61s  "), std::string::npos) << lines[1];
    EXPECT_NE(lines[2].find("  -  "), std::string::npos) << lines[2];
}

TEST(Table, PaintsTheOutcomeOnly) {
    const auto plain = render_table({record(unknown)}, noon_plus({}), Colour::off);
    EXPECT_EQ(plain.find('\033'), std::string::npos);
    const auto painted_table = render_table({record(unknown)}, noon_plus({}), Colour::on);
    EXPECT_NE(painted_table.find("\033[31munknown"), std::string::npos);
    EXPECT_EQ(std::ranges::count(painted_table, '\033'), 2);
}

TEST(Table, TakesRecordsWithNothingInThem) {
    const auto lines = lines_of(
        render_table({object_of("{}"), object_of(R"({"state":7})")}, noon_plus({}), Colour::off));
    EXPECT_EQ(lines.size(), 3u);
}

TEST(Page, SaysWhatIsKnownAndWhatMayBeDone) {
    struct Row {
        const char* name;
        std::string_view state;
        std::string_view more;
        std::vector<const char*> want;
    };
    const Row table[] = {
        {"running",
         running,
         R"("route":"payments")",
         {"act_01J  unknown (running)\n", "  outcome       unknown (running)\n",
          "what next     It still runs. Look again: sworn show act_01J\n"}},
        {"unknown",
         unknown,
         R"("message":"The connection broke.")",
         {"act_01J  unknown\n", "  code          REMOTE_OUTCOME_UNKNOWN\n",
          "  message       The connection broke.\n",
          "sworn attest act_01J --applied|--not-applied --by WHO --reason TEXT\n"}},
        {"committed",
         committed,
         R"("http_status":200,"token":"t-1","caller":"ci")",
         {"act_01J  committed\n", "  request       POST api.example.test/v1/pay\n",
          "  http status   200\n", "  token         t-1\n", "  caller        ci\n",
          "what next     Nothing: it is settled"}},
        {"rejected",
         rejected,
         R"("evidence":{"retry_at":"2026-11-30T12:05:00Z"})",
         {"act_01J  rejected\n", "not before 2026-11-30T12:05:00Z"}},
        {"refused",
         refused,
         R"("message":"No route has this host.")",
         {"act_01J  not_attempted\n", "  phase         validation\n",
          "what next     Correct what the code names"}},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        const auto page = render_record(record(row.state, row.more), Colour::off);
        for (const char* part : row.want)
            EXPECT_NE(page.find(part), std::string::npos) << part << "\nis not in\n" << page;
    }
}

TEST(Page, ListsAttemptsAndGenerations) {
    const auto page = render_record(
        record(
            unknown,
            R"("attempts":[{"n":1,"generation":1,"stage":"tcp_connect","outcome":"not_attempted",)"
            R"("code":"ECONNREFUSED","address":"192.0.2.1:443"},)"
            R"({"n":2,"generation":1,"stage":"tls_handshake","outcome":"unknown"}],)"
            R"("generations":[{"generation":1,"outcome":"rejected","code":"REMOTE_REJECTED",)"
            R"("received_status":429},{"generation":2,"outcome":"unknown","code":null}])"),
        Colour::off);
    EXPECT_NE(page.find("\nattempts\n"
                        "  n  generation  stage          address        code\n"
                        "  1  1           tcp_connect    192.0.2.1:443  ECONNREFUSED\n"
                        "  2  1           tls_handshake  -              -\n"),
              std::string::npos)
        << page;
    EXPECT_NE(page.find("\ngenerations\n"
                        "  generation  outcome   code             received_status\n"
                        "  1           rejected  REMOTE_REJECTED  429\n"
                        "  2           unknown   -                -\n"),
              std::string::npos)
        << page;
}

TEST(Page, TellsTheEventsWithTheirDistanceFromTheFirst) {
    const auto page = render_record(
        record(committed,
               R"("events":[{"seq":7,"type":"ACTION_ACCEPTED","at":"2026-11-30T12:00:00.000000Z",)"
               R"("fingerprint":"sha256:0123456789abcdef0123456789abcdef"},)"
               R"({"seq":8,"type":"DISPATCH_STARTED","at":"2026-11-30T12:00:00.012345Z","n":1},)"
               R"({"seq":9,"unreadable":true},)"
               R"({"seq":10,"type":"RESULT_DELIVERED","at":"2026-11-30T13:02:00Z"},)"
               R"({"seq":11,"type":"ATTESTED","at":"2026-12-02T15:00:00Z","by":"ops"},)"
               R"({"seq":12,"type":"RESULT_EXPIRED","at":"2026-11-30T11:00:00Z"}])"),
        Colour::off);
    const auto from = page.find("\nevents\n");
    ASSERT_NE(from, std::string::npos);
    EXPECT_EQ(page.substr(from),
              "\nevents\n"
              "  7     +0.000s   ACTION_ACCEPTED           fingerprint=sha256:0123456789ab…\n"
              "  8     +0.012s   DISPATCH_STARTED          n=1\n"
              "  9     -         (unreadable)\n"
              "  10    +1h 2m    RESULT_DELIVERED\n"
              "  11    +2d 3h    ATTESTED                  by=ops\n"
              "  12    earlier   RESULT_EXPIRED\n");
}

TEST(Page, TellsWhatAnEventSaysInItsOrder) {
    const auto page = render_record(
        record(committed,
               R"("events":[{"seq":7,"type":"ACTION_ACCEPTED",)"
               R"("at":"2026-11-30T12:00:00Z","generation":1,"method":"POST","host":"h",)"
               R"("path":"/p","port":80,"source":"transport_observed","caller":"local"}])"),
        Colour::off);
    EXPECT_NE(page.find("  method=POST  host=h  path=/p  port=80  caller=local\n"),
              std::string::npos)
        << page;
}

TEST(Page, LetsNothingOfARecordReachTheTerminal) {
    const auto page = render_record(
        object_of(R"({"invocation_id":"act_\u001b[2J","state":{"outcome":"\u001b[31m"},)"
                  R"("request":{"method":"GET","target":"/\u009b\u202e"},"token":"a\nb",)"
                  R"("attempts":[{"address":"\u0007"},7],)"
                  R"("events":[{"type":"\u001b","reason":"\u001b]0;title"},null]})"),
        Colour::off);
    for (const char bad : {'\033', '\a'})
        EXPECT_EQ(page.find(bad), std::string::npos) << page;
    EXPECT_EQ(page.find("\xc2\x9b"), std::string::npos);
    EXPECT_NE(page.find("token         a\\x0ab\n"), std::string::npos) << page;
}

TEST(NextStep, FollowsTheDirective) {
    struct Row {
        const char* name;
        const char* state;
        const char* evidence;
        const char* want;
    };
    const Row table[] = {
        {"fetch", R"("outcome":"committed","retry":"fetch_result")", "{}",
         "Fetch the result (a read): sworn result act_01J"},
        {"later", R"("outcome":"not_attempted","retry":"backoff")", "{}",
         "The same request may be sent again, later."},
        {"same key", R"("outcome":"unknown","retry":"same_idempotency_key")", "{}",
         "It may be sent again with the same idempotency key, and with no other."},
        {"an answer that tells nothing", R"("outcome":"committed","retry":"reconcile")", "{}",
         "The answer does not tell what it did. Find out, then say so: sworn attest act_01J "
         "--applied|--not-applied --by WHO --reason TEXT"},
        {"a refused repeat", R"("outcome":"not_attempted","retry":"reconcile")",
         R"({"unresolved":"act_00F"})",
         "It was not sent. Find out what happened to the first one (sworn show act_00F), then say "
         "so: sworn attest act_00F --applied|--not-applied --by WHO --reason TEXT"},
        {"a broken tunnel", R"("outcome":"unknown","retry":"never")", "{}",
         "Nothing by itself: what the remote did is not known, and nothing may repeat it."},
        {"denied", R"("outcome":"not_attempted","retry":"never")", "{}",
         "Nothing: it was not sent, and it is not to be sent as it is."},
        {"settled", R"("outcome":"rejected","retry":"never")", "{}",
         "Nothing: it is settled, and repeating it would be another operation."},
    };
    for (const auto& row : table) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(next_step(record(row.state, R"("evidence":)" + std::string{row.evidence})),
                  row.want);
    }
}

}  // namespace
}  // namespace sworn::cli
