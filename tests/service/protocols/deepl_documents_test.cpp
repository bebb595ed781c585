// DeepL's documents as jobs, with SQLite and a worker.
#include <gmock/gmock.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "service/http/http_server.h"
#include "service/jobs/job_service.h"
#include "service/jobs/job_worker.h"
#include "service/protocols/protocol_routes.h"
#include "tests/common/scratch.h"
#include "tests/service/jobs/fake_translator.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DeeplDocumentsTest : public ScratchTest {
 protected:
  void SetUp() override {
    const auto owner_of = [](const Call& call) { return call.request->head.field("X-Owner"); };
    for (Route& route : deepl_document_routes(jobs_, owner_of)) router_.add(std::move(route));
    client_ = std::make_unique<httplib::Client>("127.0.0.1", server_.listen("127.0.0.1", 0));
  }

  void start_worker() {
    worker_ = std::make_unique<JobWorker>(
        queue_,
        [this](const JobOptions& options, const ConnectedTexts& lines, const auto&) {
          seen_ = options;
          return fake_translations(lines);
        },
        JobWorkerOptions{1, std::chrono::milliseconds(10'000), std::chrono::milliseconds(10)});
  }

  std::pair<int, json> submit(const httplib::MultipartFormDataItems& parts) {
    const auto answer = client_->Post("/v2/document", parts);
    return {answer->status, json::parse(answer->body)};
  }

  httplib::Result ask(const json& document, const std::string& what = "",
                      const httplib::Headers& headers = {}) {
    const std::string path = "/v2/document/" + std::string(document.at("document_id")) + what;
    return client_->Post(path, headers,
                         httplib::Params{{"document_key", document.at("document_key")}});
  }

  JobQueue queue_{open_job_database("", scratch())};
  JobService jobs_{queue_, {}};
  Metrics metrics_;
  Router router_{{}, metrics_};
  HttpServer server_{HttpOptions{.spool_directory = scratch()}, router_};
  std::unique_ptr<httplib::Client> client_;
  JobOptions seen_;
  std::unique_ptr<JobWorker> worker_;
};

TEST_F(DeeplDocumentsTest, ADocumentIsTranslatedInTheBackground) {
  const auto [status, document] = submit({{"file", "<p>One</p>", "a.html", ""},
                                          {"target_lang", "DE", "", ""},
                                          {"formality", "more", "", ""}});
  ASSERT_EQ(status, 200) << document;
  EXPECT_EQ(json::parse(ask(document)->body)["status"], "queued");
  EXPECT_EQ(ask(document, "/result")->status, 409);
  start_worker();
  json shown = json::object();
  for (int i = 0; i < 2000 && shown.value("status", "") != "done"; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    shown = json::parse(ask(document)->body);
  }
  EXPECT_EQ(shown, json({{"document_id", document["document_id"]}, {"status", "done"}}));
  EXPECT_EQ(ask(document, "/result")->body, "<p>&lt;One&gt;</p>");
  EXPECT_EQ(seen_.source, "auto");
  EXPECT_EQ(seen_.target, "DE");
}

TEST_F(DeeplDocumentsTest, AGlossaryNeedsTheSourceLanguage) {
  httplib::MultipartFormDataItems parts = {{"file", "One", "a.txt", ""},
                                           {"target_lang", "DE", "", ""},
                                           {"glossary_id", "office", "", ""}};
  EXPECT_THAT(submit(parts).second.at("message").get<std::string>(), HasSubstr("source_lang"));
  parts.push_back({"source_lang", "EN", "", ""});
  EXPECT_EQ(submit(parts).first, 200);
  EXPECT_EQ(queue_.take("w", std::chrono::seconds(60)).value().options.decoding["glossary"],
            "office");
  parts.push_back({"glossary_ids", "one,two", "", ""});
  EXPECT_THAT(submit(parts).second.at("message").get<std::string>(), HasSubstr("one glossary"));
}

TEST_F(DeeplDocumentsTest, ErrorsHaveTheFormOfDeepl) {
  const auto refused = [&](const httplib::MultipartFormDataItems& parts) {
    const auto [status, error] = submit(parts);
    EXPECT_EQ(status, 400);
    return error.at("message").get<std::string>();
  };
  EXPECT_THAT(refused({{"file", "x", "a.txt", ""}}), HasSubstr("target_lang"));
  EXPECT_THAT(refused({{"target_lang", "DE", "", ""}}), HasSubstr("file"));
  EXPECT_THAT(refused({{"file", "x", "a.xyz", ""}, {"target_lang", "DE", "", ""}}),
              HasSubstr("a.xyz"));
  json document = submit({{"file", "x", "a.txt", ""}, {"target_lang", "DE", "", ""}}).second;
  EXPECT_EQ(ask(document, "", {{"X-Owner", "another"}})->status, 404);
  document["document_key"] = "wrong";
  EXPECT_EQ(ask(document)->status, 400);
}

}  // namespace
}  // namespace dietmt::service
