#include "service/jobs/job_routes.h"

#include <gmock/gmock.h>

#include <set>

#include "common/files.h"
#include "tests/service/jobs/job_routes_fixture.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The type of a schema, which may refer to a component.
json type_of(const json& schema, const json& api) {
  if (!schema.contains("$ref")) return schema.at("type");
  return api.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))).at("type");
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

TEST_P(JobRoutesTest, ReportsTellCutLines) {
  const std::string id = submit_body("", "a\nb\n").at("id");
  EXPECT_EQ(job(id).at("cut_line_numbers"), json::array());
  const auto chunk = queue_->take("w", std::chrono::seconds(10));
  EXPECT_TRUE(queue_->complete(*chunk, {"A\nB\n", {}, 2, {2}, {1}}));
  EXPECT_EQ(job(id).at("cut_lines"), 1);
  EXPECT_EQ(job(id).at("cut_line_numbers"), json::array({2}));
  EXPECT_EQ(job(id).at("guarded_lines"), 1);
  EXPECT_EQ(job(id).at("guarded_line_numbers"), json::array({1}));
}

TEST_P(JobRoutesTest, SettingsOfDocumentsAreOnlyForThem) {
  EXPECT_THAT(error_of(client_->Post("/v1/jobs?fuzzy=true", "a\n", "text/plain"), 400),
              HasSubstr("fuzzy: only for the format po"));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs?fuzzy=maybe&format=po", "a\n", "text/plain"), 400),
              HasSubstr("fuzzy: \"maybe\" is neither true nor false"));
  EXPECT_THAT(error_of(client_->Post("/v1/jobs?charset=utf-8", "a\n", "text/plain"), 400),
              HasSubstr("charset: only for documents"));
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

TEST_P(JobRoutesTest, TooManyUnfinishedJobsAreRefused) {
  const auto submit_as = [&](const std::string& owner) {
    return client_->Post("/v1/jobs", {{"X-Owner", owner}}, "a\n", "text/plain");
  };
  for (const std::string owner : {"alice", ""}) {
    for (int i = 0; i < 20; ++i) ASSERT_EQ(submit_as(owner)->status, 201);
    EXPECT_THAT(error_of(submit_as(owner), 429),
                HasSubstr(owner.empty() ? "this address would exceed its limit of 20 jobs"
                                        : "this API key would exceed its limit of 20 jobs"));
  }
  EXPECT_EQ(submit_as("bob")->status, 201);
  const json api = json::parse(read_file(DIETMT_JOBS_OPENAPI));
  EXPECT_TRUE(api.at("paths").at("/v1/jobs").at("post").at("responses").contains("429"));
}

// Answers have exactly the fields that the API's description lists.
TEST_P(JobRoutesTest, JobsAreAsDescribed) {
  const json api = json::parse(read_file(DIETMT_JOBS_OPENAPI));
  const json& described = api.at("components").at("schemas").at("Job");
  start_worker();
  const std::string id = submit_body("", "a\n\xFF\n").at("id");
  const json shown = wait_for(id);
  for (const json& name : described.at("required")) EXPECT_TRUE(shown.contains(name)) << name;
  for (const auto& [name, value] : shown.items()) {
    ASSERT_TRUE(described.at("properties").contains(name)) << name;
    const json types = type_of(described.at("properties").at(name), api);
    const std::string type = value.is_number_integer() ? "integer" : value.type_name();
    const std::set<std::string> allowed =
        types.is_array() ? types.get<std::set<std::string>>() : std::set<std::string>{types};
    EXPECT_TRUE(allowed.contains(type)) << name << " is " << type;
  }
  const json list = json::parse(client_->Get("/v1/jobs")->body);
  ASSERT_FALSE(list.at("jobs").empty());
  for (const json& listed : list.at("jobs")) EXPECT_FALSE(listed.contains("bad_line_reports"));
  for (const std::string& path : {"/v1/jobs"s, "/v1/jobs/{id}"s, "/v1/jobs/{id}/result"s})
    EXPECT_TRUE(api.at("paths").contains(path));
}

INSTANTIATE_TEST_SUITE_P(Databases, JobRoutesTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
