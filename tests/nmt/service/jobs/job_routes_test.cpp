#include "nmt/service/jobs/job_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "common/files.h"
#include "common/text_io.h"
#include "nmt/service/jobs/job_service.h"
#include "nmt/service/jobs/job_worker.h"
#include "tests/common/file_size_limit.h"
#include "tests/common/gzipped.h"
#include "tests/nmt/service/jobs/fake_translator.h"
#include "tests/nmt/service/jobs/test_database.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr size_t kMaxLine = 100'000;

// A server on both databases, with or without a worker.
class JobRoutesTest : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    if (IsSkipped()) return;
    queue_ = std::make_unique<JobQueue>(open(), RetryPolicy{3, 1ms, 3});
    JobServiceOptions options;
    options.data_directory = scratch();
    options.max_line_bytes = kMaxLine;
    options.max_text_bytes = 100'000'000;
    service_ = std::make_unique<JobService>(*queue_, options, [](const JobOptions& job) {
      if (job.target == "xx") throw RequestError("no model translates to xx");
    });
    register_job_routes(
        server_, *service_,
        {.owner_of = [](const httplib::Request& r) { return r.get_header_value("X-Owner"); },
         .measure =
             [this](const std::string& endpoint, const httplib::Response& response,
                    const std::function<void()>& answer) {
               answer();
               const std::lock_guard lock(mutex_);
               measured_.push_back(endpoint + " " + std::to_string(response.status));
             }});
    server_.set_payload_max_length(60'000'000);
    const int port = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // A stop before that would be overlooked.
    while (!server_.is_running()) std::this_thread::sleep_for(1ms);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", port);
    client_->set_read_timeout(60s);
  }

  void TearDown() override {
    worker_.reset();
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  void start_worker() {
    worker_ = std::make_unique<JobWorker>(
        *queue_,
        [](const JobOptions&, const std::vector<std::string>& lines, const auto&) {
          return fake_translations(lines);
        },
        JobWorkerOptions{2, 10'000ms, 10ms});
  }

  // Queues the body of a request; its job.
  json submit_body(const std::string& query, const std::string& body) {
    const auto answer = client_->Post("/v1/jobs" + query, body, "text/plain");
    EXPECT_EQ(answer->status, 201) << answer->body;
    EXPECT_TRUE(answer->has_header("Location"));
    return json::parse(answer->body);
  }

  json job(const std::string& id) { return json::parse(client_->Get("/v1/jobs/" + id)->body); }

  json wait_for(const std::string& id) {
    for (int i = 0; i < 12000; ++i) {
      const json status = job(id);
      if (status.at("state") != "queued" && status.at("state") != "running") return status;
      std::this_thread::sleep_for(5ms);
    }
    ADD_FAILURE() << "job " << id << " does not end";
    return job(id);
  }

  // The file that comes back for a body.
  std::string round_trip(const std::string& query, const std::string& body) {
    if (!worker_) start_worker();
    const json ended = wait_for(submit_body(query, body).at("id"));
    EXPECT_EQ(ended.at("state"), "done");
    const auto answer = client_->Get("/v1/jobs/" + std::string(ended.at("id")) + "/result");
    EXPECT_EQ(answer->status, 200);
    return answer->body;
  }

  // Expects an error of this status, as JSON, and returns its text.
  static std::string error_of(const httplib::Result& answer, int status) {
    EXPECT_TRUE(answer);
    if (!answer) return "";
    EXPECT_EQ(answer->status, status) << answer->body;
    return json::parse(answer->body).at("error");
  }

  int64_t rows() {
    return queue_->database()
        .execute("SELECT (SELECT COUNT(*) FROM dietmt_jobs) + (SELECT COUNT(*) FROM dietmt_chunks)")
        .rows.at(0)
        .integer(0);
  }

  // gzip data, unpacked.
  std::string gunzipped(const std::string& bytes) {
    LineReader reader(write("unpack", bytes));
    std::string text;
    for (std::string line; reader.next(line);) text += line + (reader.ended_in_lf() ? "\n" : "");
    return text;
  }

  std::unique_ptr<JobQueue> queue_;
  std::unique_ptr<JobService> service_;
  std::mutex mutex_;
  std::vector<std::string> measured_;  // guarded by mutex_
  httplib::Server server_;
  std::thread thread_;
  std::unique_ptr<httplib::Client> client_;
  std::unique_ptr<JobWorker> worker_;
};

TEST_P(JobRoutesTest, FilesOfText) {
  EXPECT_EQ(round_trip("", "a\nb\n"), "<a>\n<b>\n");
  EXPECT_EQ(round_trip("", "a\r\n\r\nb"), "<a>\r\n\r\n<b>");
  EXPECT_EQ(round_trip("", "\n\n"), "\n\n");
  EXPECT_EQ(round_trip("", ""), "");
  EXPECT_EQ(round_trip("", "a\xFF\nb\n"), "a\xFF\n<b>\n");
  EXPECT_EQ(round_trip("", "a\0b\n"s), "<a\0b>\n"s);
  EXPECT_EQ(round_trip("", numbered_lines(1, 1001)), numbered_lines(1, 1001, "<line ", ">\n"));
}

TEST_P(JobRoutesTest, EveryRequestIsMeasuredUnderItsPath) {
  const std::string id = submit_body("", "a\n").at("id");
  client_->Post("/v1/jobs?format=pdf", "a\n", "text/plain");
  client_->Get("/v1/jobs");
  client_->Get("/v1/jobs/" + id);
  client_->Get("/v1/jobs/" + id + "/result");
  client_->Get("/v1/jobs/" + id + "/result?partial=1");
  client_->Delete("/v1/jobs/" + id);
  client_->Delete("/v1/jobs/" + id);
  client_->Delete("/v1/jobs/" + id);
  const std::lock_guard lock(mutex_);
  EXPECT_THAT(measured_,
              ElementsAre("/v1/jobs 201", "/v1/jobs 400", "/v1/jobs 200", "/v1/jobs/{id} 200",
                          "/v1/jobs/{id}/result 409", "/v1/jobs/{id}/result 200",
                          "/v1/jobs/{id} 200", "/v1/jobs/{id} 204", "/v1/jobs/{id} 404"));
}

TEST_P(JobRoutesTest, ColumnsAndFields) {
  EXPECT_EQ(round_trip("?format=tsv&column=2", "1\ta\tx\n2\n3\tb\n"), "1\t<a>\tx\n2\n3\t<b>\n");
  EXPECT_EQ(round_trip("?name=f.tsv&output=add", "a\tx\r\nb\ty\r\n"), "a\tx\t<a>\r\nb\ty\t<b>\r\n");
  EXPECT_EQ(round_trip("?format=jsonl&field=t&output=add&output_field=de",
                       "{\"t\": \"a\", \"n\": 1.0}\n{\"t\"\n"),
            "{\"t\": \"a\", \"n\": 1.0, \"de\": \"<a>\"}\n{\"t\"\n");
}

TEST_P(JobRoutesTest, PackedFilesComeBackPacked) {
  const std::string text = numbered_lines(1, 500) + "last";
  const std::string back = round_trip("", gzipped(text));
  EXPECT_THAT(back, StartsWith("\x1f\x8b"));
  EXPECT_EQ(gunzipped(back), numbered_lines(1, 500, "<line ", ">\n") + "<last>");
  EXPECT_EQ(gunzipped(round_trip("", gzipped(""))), "");
}

TEST_P(JobRoutesTest, FormsInAnyOrder) {
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

TEST_P(JobRoutesTest, ReportsTellBadLines) {
  start_worker();
  std::string body;
  for (int i = 1; i <= 450; ++i) body += i % 3 == 0 ? "\xFF\n" : "a\n";
  const json status = wait_for(submit_body("", body).at("id"));
  EXPECT_EQ(status.at("bad_lines"), 150);
  EXPECT_EQ(status.at("lines_done"), 450);
  ASSERT_EQ(status.at("bad_line_reports").size(), 100U);
  EXPECT_EQ(status.at("bad_line_reports")[99],
            json({{"line", 300}, {"reason", "is not valid UTF-8"}}));
  EXPECT_GT(status.at("lines_per_second"), 0);
  EXPECT_TRUE(status.at("seconds_left").is_null());
  EXPECT_TRUE(status.at("expires").is_string());
}

TEST_P(JobRoutesTest, WrongRequestsAreRefusedAndLeaveNothing) {
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

TEST_P(JobRoutesTest, ABombOfZeroesIsRefused) {
  const std::string bomb = gzipped(std::string(50'000'000, 'x'));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", bomb, "application/gzip"), 400),
              HasSubstr("longer than"));
  const std::string lines = gzipped(numbered_lines(1, 110'000, std::string(920, 'x')));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs", lines, "application/gzip"), 413),
              HasSubstr("bytes of text"));
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobRoutesTest, ABodyAboveTheServersLimitIsRefused) {
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", std::string(60'000'001, 'x'), "text/plain"), 413),
            "the file is too large");
  const httplib::MultipartFormDataItems form = {{"file", std::string(60'000'001, 'x'), "f", ""}};
  EXPECT_EQ(error_of(client_->Post("/v1/jobs", form), 413), "the file is too large");
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobRoutesTest, CancelPartialResultAndRemoval) {
  const std::string id = submit_body("", numbered_lines(1, 500)).at("id");
  const std::string path = "/v1/jobs/" + id;
  EXPECT_EQ(job(id).at("state"), "queued");
  EXPECT_THAT(error_of(client_->Get(path + "/result"), 409), HasSubstr("queued"));
  EXPECT_EQ(client_->Get(path + "/result?partial=1")->body, "");

  const TakenChunk first = queue_->take("w", 60s).value();
  const TakenChunk second = queue_->take("w", 60s).value();
  const TakenChunk third = queue_->take("w", 60s).value();
  EXPECT_TRUE(queue_->complete(first, {"one\n", {}}));
  EXPECT_TRUE(queue_->complete(third, {"three\n", {}}));
  EXPECT_EQ(client_->Get(path + "/result?partial=1")->body, "one\n");
  EXPECT_GT(job(id).at("seconds_left"), 0);

  const auto cancelled = client_->Delete(path);
  EXPECT_EQ(cancelled->status, 200);
  EXPECT_EQ(json::parse(cancelled->body).at("state"), "cancelled");
  EXPECT_FALSE(queue_->is_wanted(second));
  EXPECT_EQ(client_->Get(path + "/result?partial=1")->body, "one\n");
  error_of(client_->Get(path + "/result"), 409);
  error_of(client_->Get(path + "/result?partial=2"), 400);

  EXPECT_EQ(client_->Delete(path)->status, 204);
  error_of(client_->Delete(path), 404);
  error_of(client_->Get(path), 404);
  error_of(client_->Get(path + "/result"), 404);
  EXPECT_EQ(rows(), 0);
}

TEST_P(JobRoutesTest, ListsAndOwners) {
  const httplib::Headers alice = {{"X-Owner", "alice"}};
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    const auto answer = client_->Post("/v1/jobs", alice, "a\n", "text/plain");
    ids.push_back(json::parse(answer->body).at("id"));
  }
  json page = json::parse(client_->Get("/v1/jobs?limit=2", alice)->body);
  ASSERT_EQ(page.at("jobs").size(), 2U);
  EXPECT_EQ(page.at("jobs")[0].at("id"), ids[2]);
  page = json::parse(
      client_->Get("/v1/jobs?limit=2&before=" + std::string(page.at("next")), alice)->body);
  ASSERT_EQ(page.at("jobs").size(), 1U);
  EXPECT_EQ(page.at("jobs")[0].at("id"), ids[0]);
  EXPECT_TRUE(page.at("next").is_null());

  EXPECT_TRUE(json::parse(client_->Get("/v1/jobs")->body).at("jobs").empty());
  error_of(client_->Get("/v1/jobs/" + ids[0]), 404);
  error_of(client_->Delete("/v1/jobs/" + ids[0]), 404);
  for (const std::string limit : {"0", "101", "x", "-1", ""})
    error_of(client_->Get("/v1/jobs?limit=" + limit), 400);
  error_of(client_->Get("/v1/jobs?before=here"), 400);
}

TEST_P(JobRoutesTest, AFullDiskIsSaidAndLeavesNothing) {
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

TEST_P(JobRoutesTest, LargeFilesAreNeverInMemory) {
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

// What the description of the API promises, and nothing else.
TEST_P(JobRoutesTest, JobsAreAsDescribed) {
  const json api = json::parse(read_file(DIETMT_JOBS_OPENAPI));
  const json& described = api.at("components").at("schemas").at("Job");
  start_worker();
  const std::string id = submit_body("", "a\n\xFF\n").at("id");
  const json shown = wait_for(id);
  for (const json& name : described.at("required")) EXPECT_TRUE(shown.contains(name)) << name;
  for (const auto& [name, value] : shown.items()) {
    ASSERT_TRUE(described.at("properties").contains(name)) << name;
    const json& types = described.at("properties").at(name).at("type");
    const std::string type = value.is_number_integer() ? "integer" : value.type_name();
    const std::set<std::string> allowed =
        types.is_array() ? types.get<std::set<std::string>>() : std::set<std::string>{types};
    EXPECT_TRUE(allowed.contains(type)) << name << " is " << type;
  }
  for (const json& listed : json::parse(client_->Get("/v1/jobs")->body).at("jobs"))
    EXPECT_FALSE(listed.contains("bad_line_reports"));
  for (const std::string& path : {"/v1/jobs"s, "/v1/jobs/{id}"s, "/v1/jobs/{id}/result"s})
    EXPECT_TRUE(api.at("paths").contains(path));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobRoutesTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
