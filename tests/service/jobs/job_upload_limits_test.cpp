// Uploads that are too large for a limit, the disk or the memory.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "service/http/http_server.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/common/measurable_memory.h"
#include "tests/common/soon.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class JobUploadLimitsTest : public JobRoutesTest {};

TEST_P(JobUploadLimitsTest, ABombOfZeroesIsRefused) {
  const std::string bomb = gzipped(std::string(50'000'000, 'x'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", bomb, "application/gzip"), 400),
              HasSubstr("longer than"));
  const std::string lines = gzipped(numbered_lines(1, 110'000, std::string(920, 'x')));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", lines, "application/gzip"), 413),
              HasSubstr("bytes of text"));
  const std::string empty_lines = gzipped(std::string(20'000'000, '\n'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", empty_lines, "application/gzip"), 413),
              HasSubstr("expands to more than text does"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadLimitsTest, ADocumentThatIsTooLargeIsRefused) {
  const std::string page(33'554'433, ' ');
  for (const std::string& body : {page, gzipped(page)})
    EXPECT_THAT(error_of(client_->Post("/v1/jobs?name=a.html", body, "text/plain"), 413),
                HasSubstr("file: the file is longer than 33554432 bytes"));
  const std::string nodes = "<tmx a=\"" + std::string(2'000'001, '=') + "\"/>";
  EXPECT_THAT(
      error_of(client_->Post("/v1/jobs?name=a.tmx&source=en&target=de", nodes, "text/plain"), 413),
      HasSubstr("2000000 elements and attributes"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadLimitsTest, ABodyAboveTheServersLimitIsRefused) {
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", std::string(60'000'001, 'x'), "text/plain"), 413),
            "The body is larger than 60000000 bytes.");
  const httplib::MultipartFormDataItems form = {{"file", std::string(60'000'001, 'x'), "f", ""}};
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", form), 413),
            "The body is larger than 60000000 bytes.");
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadLimitsTest, AFullDiskIsReportedAndLeavesNothing) {
  if (GetParam() == "postgresql") GTEST_SKIP() << "the server writes in another process";
  submit_body("", "a\n");
  const int64_t before = rows();
  const std::string large = numbered_lines(1, 400'000);  // 5 MB
  const std::string packed = gzipped(large);             // fits; its lines do not
  ASSERT_LT(packed.size(), 1'500'000U);
  {
    const FileSizeLimit limit(2'000'000);
    for (const std::string& body : {large, packed})
      EXPECT_THAT(error_of(client_->Post("/v1/jobs", body, "text/plain"), 507),
                  HasSubstr("disk is full"));
  }
  EXPECT_EQ(rows(), before);
  EXPECT_EQ(round_trip("", "b\n"), "<b>\n");
}

int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  return 0;
}

TEST_P(JobUploadLimitsTest, LargeFilesStayOutOfMemory) {
  constexpr int64_t kBytes = 50'000'000;
  const std::string block = numbered_lines(100'000, 1000, std::string(990, 'x'));
  const auto provider = [&](size_t offset, size_t length, httplib::DataSink& sink) {
    const size_t start = offset % block.size();
    return sink.write(block.data() + start, std::min(length, block.size() - start));
  };
  std::ofstream("/proc/self/clear_refs") << "5";  // forgets the peak so far
  const int64_t before = peak_memory();
  const auto answer = client_->Post("/v1/jobs", kBytes, provider, "text/plain");
  ASSERT_EQ(answer->status, 201);
  start_worker();
  const json status = wait_for(json::parse(answer->body).at("id"));
  EXPECT_EQ(status.at("state"), "done");
  int64_t received = 0;
  client_->Get("/v1/jobs/" + std::string(status.at("id")) + "/result",
               [&](const char*, size_t size) {
                 received += static_cast<int64_t>(size);
                 return true;
               });
  EXPECT_EQ(received, kBytes + 2 * status.at("lines").get<int64_t>());
  std::cout << (peak_memory() - before) / 1'000'000 << " MB for a file of 50 MB\n";
  if (kMemoryIsMeasurable) {
    EXPECT_LT(peak_memory() - before, 30'000'000);
  }
}

// An upload that is already in a file is only extracted there.
TEST_P(JobUploadLimitsTest, UploadsNeedRoomOnlyOnce) {
  Router router({}, metrics_);
  for (Route& route : job_routes(*service_)) router.add(std::move(route));
  const std::string text = numbered_lines(1, 200'000);
  HttpServer server(
      {.max_body = 10'000'000, .all_bodies_disk = text.size() + 1000, .spool_directory = scratch()},
      router);
  httplib::Client client("127.0.0.1", server.listen("127.0.0.1", 0));
  client.set_read_timeout(60);
  const auto upload = [&] {
    return client.Post("/v1/jobs", httplib::MultipartFormDataItems{{"file", text, "a.txt", ""}});
  };
  const auto first = upload();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->status, 201) << first->body;
  EXPECT_EQ(json::parse(first->body).at("lines"), 200'000);
  // The first one's space is free soon after its answer.
  EXPECT_TRUE(soon([&] {
    const auto next = upload();
    return next && next->status == 201;
  }));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobUploadLimitsTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
