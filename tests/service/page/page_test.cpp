// Tests of the page without a browser.
#include "service/page/page.h"

#include <gmock/gmock.h>
#include <httplib.h>

#include <regex>

#include "tests/service/page/fake_service.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PageTest : public testing::Test {
 protected:
  FakeService service_{{}};
  httplib::Client client_{service_.url().substr(0, service_.url().size() - 1)};
};

TEST_F(PageTest, EveryFileIsServedWithItsTypeAndPolicy) {
  const std::pair<const char*, const char*> types[] = {{"/", "text/html"},
                                                       {"/page/page.css", "text/css"},
                                                       {"/page/main.js", "text/javascript"},
                                                       {"/page/icon.svg", "image/svg+xml"}};
  for (const auto& [path, type] : types) {
    const auto answer = client_.Get(path);
    ASSERT_TRUE(answer) << path;
    EXPECT_EQ(answer->status, 200) << path;
    EXPECT_THAT(answer->get_header_value("Content-Type"), HasSubstr(type));
    const std::string policy = answer->get_header_value("Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_THAT(policy, Not(HasSubstr("http")));
  }
  EXPECT_EQ(client_.Get("/page/absent.js")->status, 404);
  EXPECT_EQ(client_.Get("/page/mainxjs")->status, 404) << "the dot is a dot";
}

TEST_F(PageTest, AnUnchangedFileIsNotSentAgain) {
  const auto first = client_.Get("/");
  ASSERT_TRUE(first);
  const auto again = client_.Get("/", {{"If-None-Match", first->get_header_value("ETag")}});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(again->body, "");
  EXPECT_EQ(client_.Get("/", {{"If-None-Match", "\"1\""}})->status, 200);
  EXPECT_NE(client_.Get("/page/main.js")->get_header_value("ETag"),
            first->get_header_value("ETag"));
}

TEST(PageFilesTest, NothingIsInlineOrFromElsewhere) {
  for (const PageFile& file : page_files()) {
    const std::string content(file.content);
    std::string without_namespace =
        std::regex_replace(content, std::regex("xmlns=\"http://www.w3.org/2000/svg\""), "");
    EXPECT_THAT(without_namespace, Not(HasSubstr("http://"))) << file.name;
    EXPECT_THAT(without_namespace, Not(HasSubstr("https://"))) << file.name;
    if (!file.name.ends_with(".html")) continue;
    EXPECT_FALSE(std::regex_search(content, std::regex("<style|style=|\\son[a-z]+=")));
    EXPECT_FALSE(std::regex_search(content, std::regex("<script[^>]*>[^<]")));
  }
}

TEST(PageFilesTest, EveryFileThatIsNamedIsThere) {
  std::vector<std::string> names;
  for (const PageFile& file : page_files()) names.emplace_back(file.name);
  const std::regex named("(?:page/|from '\\./)([a-z_]+\\.[a-z]+)");
  size_t found = 0;
  for (const PageFile& file : page_files()) {
    const std::string content(file.content);
    for (std::sregex_iterator at(content.begin(), content.end(), named), end; at != end; ++at) {
      EXPECT_THAT(names, testing::Contains((*at)[1].str())) << file.name;
      ++found;
    }
  }
  EXPECT_GT(found, 10u);
}

}  // namespace
}  // namespace dietmt::service
