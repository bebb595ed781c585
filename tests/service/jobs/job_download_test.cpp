// Downloads of results, whole and in parts.
#include <gmock/gmock.h>

#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class JobDownloadTest : public JobRoutesTest {
 protected:
  // The path of the result of a finished job.
  std::string done(const std::string& query, const std::string& body) {
    if (!worker_) start_worker();
    const json ended = wait_for(submit_body(query, body).at("id"));
    return "/v1/jobs/" + std::string(ended.at("id")) + "/result";
  }

  httplib::Result get(const std::string& path, const std::string& range,
                      const httplib::Headers& more = {}) {
    httplib::Headers headers = more;
    headers.emplace("Range", range);
    return client_->Get(path, headers);
  }
};

TEST_P(JobDownloadTest, ResultsHaveALengthAndATag) {
  const std::string path = done("", "a\nb\n");
  const auto whole = client_->Get(path);
  EXPECT_EQ(whole->get_header_value("Content-Length"), "8");
  EXPECT_EQ(whole->get_header_value("Accept-Ranges"), "bytes");
  EXPECT_EQ(whole->get_header_value("ETag").size(), 34U);
  const auto head = client_->Head(path);
  EXPECT_EQ(head->get_header_value("Content-Length"), "8");
  EXPECT_EQ(head->body, "");
}

TEST_P(JobDownloadTest, ADownloadContinuesAnywhere) {
  const std::string text = numbered_lines(1, 1001);  // six chunks
  for (const bool is_packed : {false, true}) {
    const std::string path = done("", is_packed ? gzipped(text) : text);
    const std::string whole = client_->Get(path)->body;
    const std::string size = std::to_string(whole.size());
    for (const size_t first : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 1}) {
      const auto rest = get(path, "bytes=" + std::to_string(first) + "-");
      ASSERT_EQ(rest->status, 206);
      EXPECT_EQ(rest->body, whole.substr(first));
      EXPECT_EQ(
          rest->get_header_value("Content-Range"),
          "bytes " + std::to_string(first) + "-" + std::to_string(whole.size() - 1) + "/" + size);
    }
    EXPECT_EQ(get(path, "bytes=2-5")->body, whole.substr(2, 4));
    EXPECT_EQ(get(path, "bytes=-3")->body, whole.substr(whole.size() - 3));
    const auto behind = get(path, "bytes=" + size + "-");
    EXPECT_EQ(behind->status, 416);
    EXPECT_EQ(behind->get_header_value("Content-Range"), "bytes */" + size);
  }
}

TEST_P(JobDownloadTest, AnotherResultIsSentWhole) {
  const std::string path = done("", "a\n");
  const std::string tag = client_->Get(path)->get_header_value("ETag");
  EXPECT_EQ(get(path, "bytes=1-", {{"If-Range", tag}})->status, 206);
  EXPECT_EQ(get(path, "bytes=1-", {{"If-Range", "\"other\""}})->body, "<a>\n");
  EXPECT_EQ(get(path, "lines=1-")->status, 200);
}

TEST_P(JobDownloadTest, OfDocumentsToo) {
  const std::string path = done("?name=a.html", "<p>One</p>");
  EXPECT_EQ(get(path, "bytes=3-11")->body, "&lt;One&g");
}

TEST_P(JobDownloadTest, ReadsWorkOnAFullDisk) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "the server writes in another process";
  const std::string path = done("", "a\nb\n");
  worker_.reset();
  const FileSizeLimit full(0);
  EXPECT_EQ(client_->Get(path)->body, "<a>\n<b>\n");
  EXPECT_EQ(get(path, "bytes=4-")->body, "<b>\n");
  EXPECT_EQ(client_->Get("/v1/jobs")->status, 200);
  EXPECT_EQ(client_->Get(path.substr(0, path.rfind('/')))->status, 200);
  for (const std::string& body : {std::string("a\n"), numbered_lines(1, 400'000)})
    EXPECT_THAT(error_of(client_->Post("/v1/jobs", body, "text/plain"), 507),
                HasSubstr("disk is full"));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobDownloadTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
