// Uploads and downloads: formats, forms, limits, full disks.
#include <gmock/gmock.h>

#include <fstream>

#include "service/http/http_server.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class JobUploadTest : public JobRoutesTest {};

TEST_P(JobUploadTest, FilesOfText) {
  EXPECT_EQ(round_trip("", "a\nb\n"), "<a>\n<b>\n");
  EXPECT_EQ(round_trip("", "a\r\n\r\nb"), "<a>\r\n\r\n<b>");
  EXPECT_EQ(round_trip("", "\n\n"), "\n\n");
  EXPECT_EQ(round_trip("", ""), "");
  EXPECT_EQ(round_trip("", "a\xFF\nb\n"), "a\xFF\n<b>\n");
  EXPECT_EQ(round_trip("", "a\0b\n"s), "<a\0b>\n"s);
  EXPECT_EQ(round_trip("", numbered_lines(1, 1001)), numbered_lines(1, 1001, "<line ", ">\n"));
}

TEST_P(JobUploadTest, ColumnsAndFields) {
  EXPECT_EQ(round_trip("?format=tsv&column=2", "1\ta\tx\n2\n3\tb\n"), "1\t<a>\tx\n2\n3\t<b>\n");
  EXPECT_EQ(round_trip("?name=f.tsv&output=add", "a\tx\r\nb\ty\r\n"), "a\tx\t<a>\r\nb\ty\t<b>\r\n");
  EXPECT_EQ(round_trip("?format=jsonl&field=t&output=add&output_field=de",
                       "{\"t\": \"a\", \"n\": 1.0}\n{\"t\"\n"),
            "{\"t\": \"a\", \"n\": 1.0, \"de\": \"<a>\"}\n{\"t\"\n");
}

TEST_P(JobUploadTest, CompressedFilesComeBackCompressed) {
  const std::string text = numbered_lines(1, 500) + "last";
  const std::string back = round_trip("", gzipped(text));
  EXPECT_THAT(back, StartsWith("\x1f\x8b"));
  EXPECT_EQ(gunzipped(back), numbered_lines(1, 500, "<line ", ">\n") + "<last>");
  EXPECT_EQ(gunzipped(round_trip("", gzipped(""))), "");
}

TEST_P(JobUploadTest, ASettingIsGivenOnce) {
  const httplib::MultipartFormDataItems items = {
      {"file", "a\n", "a.txt", "text/plain"}, {"name", "b.txt", "", ""}, {"target", "de", "", ""}};
  EXPECT_EQ(client_->Post("/v1/jobs?source=en", items)->status, 201);
  const auto twice = client_->Post("/v1/jobs?target=en", items);
  EXPECT_EQ(twice->status, 400);
  EXPECT_THAT(twice->body, HasSubstr("target: the setting is given twice"));
  EXPECT_EQ(client_->Post("/v1/jobs?source=en&source=de", items)->status, 400);
}

TEST_P(JobUploadTest, FormPartsInAnyOrder) {
  start_worker();
  const httplib::MultipartFormDataItems items = {
      {"column", "2", "", ""},
      {"file", gzipped("1\ta\n2\tb\n"), "dir/caf\xC3\xA9 1.tsv.gz", "application/gzip"},
      {"target", "de", "", ""},
      {"options", "{\"beam\": 2}", "", "application/json"}};
  const auto answer = client_->Post("/v1/jobs", items);
  ASSERT_EQ(answer->status, 201) << answer->body;
  const json job = wait_for(json::parse(answer->body).at("id"));
  EXPECT_EQ(job.at("name"), "caf\xC3\xA9 1.tsv.gz");
  EXPECT_EQ(job.at("format"), "tsv");
  EXPECT_EQ(job.at("gzip"), true);
  EXPECT_EQ(job.at("target"), "de");
  EXPECT_EQ(job.at("options"), json({{"beam", 2}}));
  const auto result = client_->Get("/v1/jobs/" + std::string(job.at("id")) + "/result");
  EXPECT_EQ(gunzipped(result->body), "1\t<a>\n2\t<b>\n");
  // The client has decoded the name.
  EXPECT_EQ(result->get_header_value("Content-Disposition"),
            "attachment; filename=\"translated-caf___1.tsv.gz\"; "
            "filename*=UTF-8''translated-caf\xC3\xA9 1.tsv.gz");
}

TEST_P(JobUploadTest, WrongRequestsAreRefusedAndLeaveNothing) {
  const auto post = [&](const std::string& query, const std::string& body = "a\n") {
    return error_of(client_->Post("/v1/jobs" + query, body, "text/plain"), 400);
  };
  EXPECT_THAT(post("?format=csv"), HasSubstr("csv"));
  EXPECT_THAT(post("?formt=tsv"), HasSubstr("formt"));
  EXPECT_THAT(post("?column=0"), HasSubstr("column"));
  EXPECT_THAT(post("?column=two"), HasSubstr("column"));
  EXPECT_THAT(post("?output=add"), HasSubstr("output"));
  EXPECT_THAT(post("?options=[1]"), HasSubstr("options"));
  EXPECT_THAT(post("?target=xx"), HasSubstr("no model translates to xx"));
  EXPECT_THAT(post("?field=%FF"), HasSubstr("UTF-8"));
  const std::string packed = gzipped(numbered_lines(1, 5000));
  EXPECT_THAT(post("", packed.substr(0, packed.size() / 2)),
              ::testing::MatchesRegex("file:[0-9]+: .*cut short"));
  EXPECT_THAT(post("", "a\n" + std::string(kMaxLine + 1, 'x')),
              StartsWith("file:2: cannot be read: the line is longer than"));
  EXPECT_THAT(
      error_of(client_->Post("/v1/jobs", httplib::MultipartFormDataItems{{"target", "de", "", ""}}),
               400),
      HasSubstr("file"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, ABombOfZeroesIsRefused) {
  const std::string bomb = gzipped(std::string(50'000'000, 'x'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", bomb, "application/gzip"), 400),
              HasSubstr("longer than"));
  const std::string lines = gzipped(numbered_lines(1, 110'000, std::string(920, 'x')));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", lines, "application/gzip"), 413),
              HasSubstr("bytes of text"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, ABodyAboveTheServersLimitIsRefused) {
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", std::string(60'000'001, 'x'), "text/plain"), 413),
            "The body is larger than 60000000 bytes.");
  const httplib::MultipartFormDataItems form = {{"file", std::string(60'000'001, 'x'), "f", ""}};
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", form), 413),
            "The body is larger than 60000000 bytes.");
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobUploadTest, AFullDiskIsReportedAndLeavesNothing) {
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

TEST_P(JobUploadTest, LargeFilesStayOutOfMemory) {
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
  EXPECT_LT(peak_memory() - before, 30'000'000);
}

// The data directory does not exist, so the service must read the file that the connection layer
// has stored.
TEST_P(JobUploadTest, ALargeBodyIsNotCopied) {
  JobServiceOptions options;
  options.data_directory = scratch() / "absent";
  JobService service(*queue_, options);
  Router router({}, metrics_);
  for (Route& route : job_routes(service)) router.add(std::move(route));
  HttpServer server({.max_body = 10'000'000, .spool_directory = scratch()}, router);
  httplib::Client client("127.0.0.1", server.listen("127.0.0.1", 0));
  const std::string text = numbered_lines(1, 200'000);
  const auto answer = client.Post("/v1/jobs", text, "text/plain");
  ASSERT_EQ(answer->status, 201) << answer->body;
  EXPECT_EQ(json::parse(answer->body).at("lines"), 200'000);
  EXPECT_EQ(error_of(client.Post("/v1/jobs", "a\n", "text/plain"), 500),
            "the request failed; the server's log says why");
}

INSTANTIATE_TEST_SUITE_P(Databases, JobUploadTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
