// Security headers and metrics, which all answers share.
#include <gmock/gmock.h>

#include "service/page/page.h"
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

}  // namespace
}  // namespace dietmt::service
