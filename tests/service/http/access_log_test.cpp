#include "service/http/access_log.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/scratch.h"
#include "tests/common/soon.h"
#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(AccessLineTest, TextIsTheCombinedFormatWithIdAndSeconds) {
  const RequestHead head = {.method = "POST",
                            .target = "/translate?api_key=secret",
                            .fields = {{"User-Agent", "a\"b\n\\"}}};
  const AccessRecord record = {.id = "r1",
                               .client = "10.0.0.9",
                               .user = "news paper",
                               .head = head,
                               .status = 200,
                               .bytes = 17,
                               .time = std::chrono::milliseconds(250)};
  const std::chrono::system_clock::time_point at(std::chrono::seconds(1'700'000'000));
  EXPECT_EQ(
      access_line(record, LogFormat::kText, at),
      "10.0.0.9 - news paper [14/Nov/2023:22:13:20 +0000] \"POST /translate HTTP/1.1\" 200 17 "
      "\"-\" \"a\\x22b\\x0A\\x5C\" r1 0.250000");
  const json line = json::parse(access_line(record, LogFormat::kJson, at));
  EXPECT_EQ(line["time"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(line["path"], "/translate") << "a query may hold a key";
  EXPECT_EQ(line["agent"], "a\"b\n\\");
  EXPECT_EQ(line["user"], "news paper");
  EXPECT_EQ(line["seconds"], 0.25);
}

TEST(AccessLineTest, SecretsAreLeftOut) {
  for (const std::string target : {"/download_file/5b1c.docx", "/download%5Ffile/5b1c.docx?5b1c"}) {
    const RequestHead head = {.method = "GET",
                              .target = target,
                              .path = "/download_file/5b1c.docx",
                              .fields = {{"Referer", "https://a.example/page?api_key=5b1c#5b1c"}}};
    const AccessRecord record = {.id = "r1", .client = "10.0.0.9", .head = head};
    for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
      const std::string line = access_line(record, format, {});
      EXPECT_THAT(line, HasSubstr("/download_file/..."));
      EXPECT_THAT(line, testing::Not(HasSubstr("5b1c")));
    }
    EXPECT_THAT(access_line(record, LogFormat::kText, {}), HasSubstr("\"https://a.example/page\""));
  }
}

TEST(RequestIdTest, OnlyPlainOnesOfClientsAreTaken) {
  EXPECT_EQ(request_id("7f-3_a.b:1"), "7f-3_a.b:1");
  for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\"b"),
                                 std::string("\xc3\xa4"), std::string(129, 'x')})
    EXPECT_THAT(request_id(bad), MatchesRegex("[0-9a-f]+"));
  EXPECT_NE(request_id(""), request_id(""));
}

class AccessLogTest : public ScratchTest {
 protected:
  AccessLogTest() {
    server_.add("POST", "/user", [](const HttpRequest&) {
      LogRequest::set_user("newspaper");
      int piece = 0;
      return Answer{.pieces = [piece]() mutable {
        return piece++ < 3 ? std::optional<std::string>("12345") : std::nullopt;
      }};
    });
    port_ = server_.start();
  }

  // The record of the request with this id, once it exists.
  json record(const std::string& id) {
    json found;
    EXPECT_TRUE(soon([&] {
      std::istringstream lines(read_file(file_));
      for (std::string line; std::getline(lines, line);)
        if (json one = json::parse(line); one["request"] == id) found = std::move(one);
      return !found.is_null();
    })) << id;
    return found;
  }

  const std::string file_ = (scratch() / "access.log").string();
  const std::shared_ptr<AccessLog> log_ = std::make_shared<AccessLog>(file_, LogFormat::kJson);
  EchoServer server_{HttpOptions{
      .max_body = 100, .head_timeout = std::chrono::milliseconds(300), .access_log = log_}};
  int port_ = 0;
};

TEST_F(AccessLogTest, AnswersOfHandlersAreLoggedWithTheirId) {
  TestClient client(port_);
  const TestResponse response = client.ask(post("/echo", "body", "X-Request-ID: mine-1\r\n"));
  EXPECT_EQ(response.field("X-Request-ID"), "mine-1");
  const json one = record("mine-1");
  EXPECT_EQ(one["status"], 200);
  EXPECT_EQ(one["method"], "POST");
  EXPECT_EQ(one["path"], "/echo");
  EXPECT_EQ(one["bytes"], 4);
  EXPECT_EQ(one["client"], "127.0.0.1");
  EXPECT_EQ(one["user"], "");
  const json two = record(client.ask(post("/user", "")).field("X-Request-ID"));
  EXPECT_EQ(two["user"], "newspaper");
  EXPECT_EQ(two["bytes"], 15) << "all pieces, without their framing";
  EXPECT_EQ(record(client.ask(get("/hello")).field("X-Request-ID"))["user"], "");
}

TEST_F(AccessLogTest, AnswersOfTheConnectionLayerAreLoggedToo) {
  const TestResponse large =
      TestClient(port_).ask(post("/echo", std::string(101, 'x'), "X-Request-ID: large\r\n"));
  EXPECT_EQ(large.field("X-Request-ID"), "large");
  EXPECT_EQ(record("large")["status"], 413);
  EXPECT_EQ(record("large")["path"], "/echo");
  const TestResponse broken = TestClient(port_).ask("GET / HTTP/1.1\r\nX-Request-ID: bad\r\n\r\n");
  EXPECT_EQ(broken.field("X-Request-ID"), "bad");
  EXPECT_EQ(record("bad")["status"], 400);
  TestClient slow(port_);
  slow.send("GET /hello HTTP/1.1\r\nX-Request-ID: slow\r\n");
  EXPECT_EQ(slow.response().status, 408);
  EXPECT_GE(record("slow")["seconds"].get<double>(), 0.2);
}

TEST_F(AccessLogTest, ItGoesOnInANewFileWhenItIsRotated) {
  TestClient client(port_);
  client.ask(get("/hello", "X-Request-ID: old\r\n"));
  record("old");
  std::filesystem::rename(file_, file_ + ".1");
  log_->reopen();
  client.ask(get("/hello", "X-Request-ID: new\r\n"));
  record("new");
  EXPECT_THAT(read_file(file_), Not(HasSubstr("\"old\"")));
}

TEST_F(AccessLogTest, AFileThatCannotBeWrittenIsRefusedAndTheOldOneKept) {
  EXPECT_THROW(AccessLog("/dev/null/log", LogFormat::kText), ConfigError);
  std::filesystem::rename(file_, file_ + ".1");
  std::filesystem::create_directory(file_);
  EXPECT_THROW(log_->reopen(), ConfigError);
  TestClient(port_).ask(get("/hello", "X-Request-ID: still\r\n"));
  EXPECT_TRUE(soon([&] { return read_file(file_ + ".1").find("still") != std::string::npos; }));
}

}  // namespace
}  // namespace dietmt::service
