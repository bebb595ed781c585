// A server with the job routes, on each database, with or without a worker.
#pragma once

#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/text_io.h"
#include "service/http/http_server.h"
#include "service/jobs/job_routes.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "tests/service/jobs/fake_translator.h"
#include "tests/service/jobs/test_database.h"

namespace dietmt::service {

class JobRoutesTest : public DatabaseTest {
 protected:
  static constexpr size_t kMaxLine = 100'000;

  void SetUp() override {
    DatabaseTest::SetUp();
    if (IsSkipped()) return;
    queue_ = std::make_unique<JobQueue>(open(), RetryPolicy{3, std::chrono::milliseconds(1), 3});
    JobServiceOptions options;
    options.max_line_bytes = kMaxLine;
    options.max_text_bytes = 100'000'000;
    options.quota.jobs = 20;
    service_ = std::make_unique<JobService>(*queue_, options, [](const JobOptions& job) {
      if (job.target == "xx") throw RequestError("no model translates to xx");
    });
    const auto owner_of = [](const Call& call) { return call.request->head.field("X-Owner"); };
    for (Route& route : job_routes(*service_, owner_of)) router_.add(measured(std::move(route)));
    server_ = std::make_unique<HttpServer>(
        HttpOptions{.max_body = 60'000'000, .spool_directory = scratch()}, router_);
    const int port = server_->listen("127.0.0.1", 0);
    client_ = std::make_unique<httplib::Client>("127.0.0.1", port);
    client_->set_read_timeout(std::chrono::seconds(60));
  }

  void TearDown() override {
    worker_.reset();
    server_.reset();
  }

  // Also records its answers.
  Route measured(Route route) {
    route.handler = [this, path = route.path, handle = std::move(route.handler)](const Call& call) {
      Answer answer;
      try {
        answer = handle(call);
      } catch (...) {
        answer = error_answer(std::current_exception());
      }
      const std::lock_guard lock(mutex_);
      measured_.push_back(path + " " + std::to_string(answer.status));
      return answer;
    };
    return route;
  }

  void start_worker() {
    worker_ = std::make_unique<JobWorker>(
        *queue_,
        [](const JobOptions&, const ConnectedTexts& lines, const auto&) {
          return fake_translations(lines);
        },
        JobWorkerOptions{2, std::chrono::milliseconds(10'000), std::chrono::milliseconds(10)});
  }

  // Queues the body of a request and returns its job.
  nlohmann::json submit_body(const std::string& query, const std::string& body) {
    const auto answer = client_->Post("/v1/jobs" + query, body, "text/plain");
    EXPECT_EQ(answer->status, 201) << answer->body;
    EXPECT_TRUE(answer->has_header("Location"));
    return nlohmann::json::parse(answer->body);
  }

  nlohmann::json job(const std::string& id) {
    return nlohmann::json::parse(client_->Get("/v1/jobs/" + id)->body);
  }

  nlohmann::json wait_for(const std::string& id) {
    for (int i = 0; i < 12000; ++i) {
      const nlohmann::json status = job(id);
      if (status.at("state") != "queued" && status.at("state") != "running") return status;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "job " << id << " does not end";
    return job(id);
  }

  // The file returned for a body.
  std::string round_trip(const std::string& query, const std::string& body) {
    if (!worker_) start_worker();
    const nlohmann::json ended = wait_for(submit_body(query, body).at("id"));
    EXPECT_EQ(ended.at("state"), "done");
    const auto answer = client_->Get("/v1/jobs/" + std::string(ended.at("id")) + "/result");
    EXPECT_EQ(answer->status, 200);
    return answer->body;
  }

  // Expects a JSON error with this status and returns its text.
  static std::string error_of(const httplib::Result& answer, int status) {
    EXPECT_TRUE(answer);
    if (!answer) return "";
    EXPECT_EQ(answer->status, status) << answer->body;
    return nlohmann::json::parse(answer->body).at("error");
  }

  int64_t rows() {
    return queue_->database()
        .execute("SELECT (SELECT COUNT(*) FROM dietmt_jobs) + (SELECT COUNT(*) FROM dietmt_chunks)")
        .rows.at(0)
        .integer(0);
  }

  // Unpacks gzip data.
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
  Metrics metrics_;
  Router router_{{}, metrics_};
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<httplib::Client> client_;
  std::unique_ptr<JobWorker> worker_;
};

}  // namespace dietmt::service
