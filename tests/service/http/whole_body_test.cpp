#include "service/http/whole_body.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/service/http/echo_server.h"
#include "tests/service/http/test_client.h"

namespace dietmt::service {
namespace {

// POST /whole/NAME answers the name, the parameter q, the file f and the body, in brackets.
class WholeBodyTest : public ::testing::Test {
 protected:
  WholeBodyTest() {
    server_.Post(R"(/whole/(\w+))",
                 with_whole_body([](const httplib::Request& request, httplib::Response& response) {
                   response.set_content(
                       request.matches[1].str() + "[" + request.get_param_value("q") + "][" +
                           request.get_file_value("f").content + "][" + request.body + "]",
                       "text/plain");
                 }));
    port_ = server_.start();
  }

  TestResponse ask(const std::string& type, const std::string& body) {
    return TestClient(port_).ask(post("/whole/a", body, "Content-Type: " + type + "\r\n"));
  }

  EchoServer server_;
  int port_ = 0;
};

TEST_F(WholeBodyTest, FormsMayBeLarge) {
  const std::string text(20000, 'x');
  const std::string form = "p=1&q=" + text;
  EXPECT_EQ(ask("application/x-www-form-urlencoded", form).body, "a[" + text + "][][" + form + "]");
}

TEST_F(WholeBodyTest, ParametersAreDecoded) {
  EXPECT_EQ(ask("application/x-www-form-urlencoded; charset=utf-8", "q=a%26+b").body,
            "a[a& b][][q=a%26+b]");
}

TEST_F(WholeBodyTest, FilesAreRead) {
  EXPECT_EQ(ask("multipart/form-data; boundary=x",
                "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"n\"\r\n\r\n"
                "content\r\n--x--\r\n")
                .body,
            "a[][content][]");
}

TEST_F(WholeBodyTest, OtherBodiesAreLeftAlone) {
  EXPECT_EQ(ask("application/json", "{\"q\": 1}").body, "a[][][{\"q\": 1}]");
}

TEST_F(WholeBodyTest, MalformedFilesAreRefused) {
  EXPECT_EQ(ask("multipart/form-data; boundary=x", "nonsense").status, 400);
}

}  // namespace
}  // namespace dietmt::service
