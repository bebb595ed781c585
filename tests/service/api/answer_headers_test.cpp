// Security headers and metrics, common to all answers.
#include <gmock/gmock.h>

#include <ctime>

#include "service/page/page.h"
#include "tests/common/soon.h"
#include "tests/common/test_directory.h"
#include "tests/service/api/test_server.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;

TEST(HeadersTest, CorsAndSecurityHeaders) {
  const TestServer server({.api = {.cors_origins = {"https://a.example"}}});
  httplib::Client client = server.client();
  const auto good = client.Get("/health", {{"Origin", "https://a.example"}});
  EXPECT_EQ(good->get_header_value("Access-Control-Allow-Origin"), "https://a.example");
  EXPECT_EQ(good->get_header_value("Vary"), "Origin");
  EXPECT_EQ(good->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(good->get_header_value("X-Frame-Options"), "DENY");
  EXPECT_THAT(good->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  const auto other = client.Get("/health", {{"Origin", "https://b.example"}});
  EXPECT_FALSE(other->has_header("Access-Control-Allow-Origin"));
  const auto error = client.Get("/nothing", {{"Origin", "https://a.example"}});
  EXPECT_EQ(error->get_header_value("Access-Control-Allow-Origin"), "https://a.example");
  const auto preflight = client.Options(
      "/translate", {{"Origin", "https://a.example"}, {"Access-Control-Request-Method", "POST"}});
  EXPECT_EQ(preflight->status, 204);
  EXPECT_THAT(preflight->get_header_value("Access-Control-Allow-Headers"), HasSubstr("X-API-Key"));
}

TEST(HeadersTest, ThePageHasEachOnce) {
  const TestServer server({.extend = [](TranslationApi& api) {
    for (Route& route : page_routes()) api.add(std::move(route));
  }});
  const auto page = server.client().Get("/");
  ASSERT_EQ(page->status, 200);
  for (const char* name : {"X-Content-Type-Options", "Referrer-Policy", "X-Frame-Options",
                           "Content-Security-Policy", "Cache-Control"})
    EXPECT_EQ(page->get_header_value_count(name), 1U) << name;
}

TEST(HeadersTest, TraceIsNoMethodOfAnyPath) {
  const TestServer server;
  httplib::Request request;
  request.method = "TRACE";
  request.path = "/translate";
  const auto answer = server.client().send(request);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 405);
  EXPECT_EQ(answer->get_header_value("Allow"), "POST");
  EXPECT_TRUE(answer->has_header("X-Request-ID"));
}

TEST(MetricsTest, RoutesOfOthersAreMeasuredToo) {
  const TestServer server({.extend = [](TranslationApi& api) {
    api.add({"GET", "/v1/{what}", [&api](const Call& call) {
               EXPECT_EQ(call.path_part, "other");
               EXPECT_EQ(api.running(), 1);
               return Answer{.status = 418, .body = "{}"};
             }});
  }});
  EXPECT_EQ(server.get("/v1/other").first, 418);
  const auto result = server.client().Get("/metrics");
  for (const char* line :
       {"dietmt_http_requests_total{endpoint=\"/v1/{what}\",status=\"418\"} 1\n",
        "dietmt_http_request_duration_seconds_count{endpoint=\"/v1/{what}\"} 1\n"})
    EXPECT_THAT(result->body, HasSubstr(line));
}

TEST(MetricsTest, RequestsAndSentencesAreCounted) {
  const TestServer server;
  server.post("/v1/translate", {{"text", "ab. C."}, {"model", "en-de"}});
  server.post("/v1/translate", {{"text", 1}, {"model", "en-de"}});
  const auto result = server.client().Get("/metrics");
  EXPECT_EQ(result->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"dietmt_http_requests_total{endpoint=\"/v1/translate\",status=\"200\"} 1\n",
        "dietmt_http_requests_total{endpoint=\"/v1/translate\",status=\"400\"} 1\n",
        "dietmt_http_request_duration_seconds_count{endpoint=\"/v1/translate\"} 2\n",
        "dietmt_sentences_total{model=\"en-de\"} 2\n",
        "dietmt_source_tokens_total{model=\"en-de\"} 7\n",
        "dietmt_target_tokens_total{model=\"en-de\"} 7\n",
        "dietmt_queue_tokens{model=\"en-de\"} 0\n", "dietmt_queue_requests{model=\"en-de\"} 0\n",
        "dietmt_model_loads_total{model=\"en-de\",result=\"ok\"} 1\n",
        "dietmt_model_loads_total{model=\"de-en\",result=\"ok\"} 0\n",
        "dietmt_http_requests_in_flight 1\n"})
    EXPECT_THAT(result->body, HasSubstr(line));
  EXPECT_THAT(result->body,
              HasSubstr("dietmt_batch_fill_ratio_bucket{model=\"en-de\",le=\"0.1\"}"));
}

TEST(MetricsTest, ModelsThatAreUnloadedAreSeen) {
  const TestDirectory directory;
  write_text(directory / "model.safetensors", "weights");
  const TestServer server({.registry = {.unload_after = std::chrono::milliseconds(200)},
                           .specs = {{"en-de", "en", "de", directory.path()}}});
  const auto text = [&] { return server.client().Get("/metrics")->body; };
  const auto model = [&] { return server.get("/v1/models").second["models"][0]; };
  EXPECT_FALSE(model().contains("bytes"));
  server.post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}});
  EXPECT_THAT(text(), HasSubstr("dietmt_model_memory_bytes{model=\"en-de\"} 7\n"));
  EXPECT_EQ(model()["bytes"], 7);
  EXPECT_TRUE(soon([&] { return model()["state"] == "not_loaded"; }));
  EXPECT_FALSE(model().contains("bytes"));
  for (const char* line : {"dietmt_model_memory_bytes{model=\"en-de\"} 0\n",
                           "dietmt_model_unloads_total{model=\"en-de\"} 1\n",
                           "dietmt_model_state{model=\"en-de\",state=\"not_loaded\"} 1\n"})
    EXPECT_THAT(text(), HasSubstr(line));
  EXPECT_EQ(server.post("/translate", {{"q", "a"}, {"source", "en"}, {"target", "de"}}).first, 200);
  EXPECT_EQ(model()["loads"], 2);
}

// The value of a metric without labels.
double value_in(const std::string& text, const std::string& name) {
  const size_t at = text.find("\n" + name + " ");
  return at == text.npos ? -1.0 : std::stod(text.substr(at + name.size() + 2));
}

TEST(MetricsTest, TheProcessAndItsBuildAreThere) {
  const TestServer server;
  const std::string text = server.client().Get("/metrics")->body;
  const auto now = static_cast<double>(std::time(nullptr));
  EXPECT_NEAR(value_in(text, "process_start_time_seconds"), now, 3600.0);
  EXPECT_LE(value_in(text, "process_start_time_seconds"), now + 1.0);
  EXPECT_GT(value_in(text, "process_cpu_seconds_total"), 0.0);
  EXPECT_LT(value_in(text, "process_cpu_seconds_total"), 3600.0);
  EXPECT_GT(value_in(text, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value_in(text, "process_virtual_memory_bytes"),
            value_in(text, "process_resident_memory_bytes"));
  EXPECT_GE(value_in(text, "process_threads"), 2.0);
  EXPECT_GE(value_in(text, "process_open_fds"), 4.0);
  EXPECT_GT(value_in(text, "process_max_fds"), value_in(text, "process_open_fds"));
  EXPECT_THAT(text, HasSubstr("dietmt_build_info{version=\"" DIETMT_VERSION "\",compiler=\""));
}

}  // namespace
}  // namespace dietmt::service
