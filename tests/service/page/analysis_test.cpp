#include "service/page/analysis.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "service/api/call.h"
#include "tests/common/test_directory.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;

Call json_call(const std::string& body) {
  Call call;
  call.content_type = "application/json";
  call.body = body;
  return call;
}

std::string error_of(const std::string& body) {
  return message_of<RequestError>([&] { parse_analysis_request(json_call(body)); });
}

TEST(AnalysisTest, RequestsAreRead) {
  const AnalysisRequest request = parse_analysis_request(
      json_call(R"({"source": "en", "target": "de", "text": "Hello", "translation": "Hallo"})"));
  EXPECT_EQ(request.source, "en");
  EXPECT_EQ(request.target, "de");
  EXPECT_EQ(request.text, "Hello");
  EXPECT_EQ(request.translation, "Hallo");
  EXPECT_EQ(parse_analysis_request(json_call(R"({"model": "m", "text": "Hello"})")).model, "m");
}

TEST(AnalysisTest, MistakesAreNamed) {
  EXPECT_THAT(error_of("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(R"({"model": "m"})"), HasSubstr("missing text"));
  EXPECT_THAT(error_of(R"({"model": "m", "text": 5})"), HasSubstr("text must be a string"));
  EXPECT_THAT(error_of(R"({"model": "m", "text": ""})"), HasSubstr("text is empty"));
  EXPECT_THAT(error_of(R"({"text": "a", "source": "en"})"), HasSubstr("'source' and 'target'"));
  EXPECT_THAT(error_of(R"({"text": "a", "beam": "5"})"),
              HasSubstr("beam is not a field of this request"));
}

// They take 50 times the memory of their text.
TEST(AnalysisTest, TooManyValuesAreRefusedBeforeTheyAreRead) {
  std::string body = R"({"model": "m", "text": "a", "x": [)";
  for (int i = 0; i < 100'000; ++i) body += "[],";
  try {
    parse_analysis_request(json_call(body + "[]]}"));
    FAIL() << "not refused";
  } catch (const HttpError& error) {
    EXPECT_EQ(error.status(), 413);
  }
}

TEST(AnalysisTest, OneModelIsAnalysed) {
  std::string analysed;
  AnalysisRoute route(LanguagePairs({{"pt-en", "pt", "en", ""}, {"en-de", "en", "de", ""}}, "en"),
                      [&](const ModelSpec& spec, const AnalysisRequest&) {
                        analysed = spec.name;
                        return reporting::SentenceAnalysis();
                      });
  Call call = json_call(R"({"source": "pt", "target": "en", "text": "Olá"})");
  route.answer(call);
  EXPECT_EQ(analysed, "pt-en");
  call.body = R"({"source": "pt", "target": "de", "text": "Olá"})";
  EXPECT_THAT(message_of<HttpError>([&] { route.answer(call); }), HasSubstr("pt-en+en-de"));
}

}  // namespace
}  // namespace dietmt::service
