#include "service/page/analysis.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string error_of(const std::string& body) {
  try {
    parse_analysis_request(body);
  } catch (const RequestError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AnalysisTest, RequestsAreRead) {
  const AnalysisRequest request = parse_analysis_request(
      R"({"source": "en", "target": "de", "text": "Hello", "translation": "Hallo"})");
  EXPECT_EQ(request.source, "en");
  EXPECT_EQ(request.target, "de");
  EXPECT_EQ(request.text, "Hello");
  EXPECT_EQ(request.translation, "Hallo");
  EXPECT_EQ(parse_analysis_request(R"({"model": "m", "text": "Hello"})").model, "m");
}

TEST(AnalysisTest, MistakesAreNamed) {
  EXPECT_THAT(error_of("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(R"({"model": "m"})"), HasSubstr("'text' is missing"));
  EXPECT_THAT(error_of(R"({"model": "m", "text": 5})"), HasSubstr("'text' must be a string"));
  EXPECT_THAT(error_of(R"({"text": "a", "source": "en"})"), HasSubstr("'source' and 'target'"));
  EXPECT_THAT(error_of(R"({"text": "a", "beam": "5"})"), HasSubstr("'beam' is not a known field"));
}

Analysis small_analysis() {
  Analysis analysis;
  analysis.model = "en-de";
  analysis.source_tokens = {"a", "b", "\xff"};  // a piece of one byte is not UTF-8
  analysis.target_tokens = {"x", "y"};
  analysis.cross_attention = {
      1, 2, 2, 3, {0.1f, 0.2f, 0.7f, 0.3f, 0.3f, 0.4f, 1.0f, 0.0f, 0.0f, 0.00004f, 0.5f, 0.49996f}};
  return analysis;
}

TEST(AnalysisTest, MatricesAreNestedByLayerHeadQueryAndKey) {
  const json answer = json::parse(analysis_json(small_analysis()));
  EXPECT_EQ(answer["attention"]["cross"],
            json::parse("[[[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], [[1, 0, 0], [0, 0.5, 0.5]]]]"));
  EXPECT_EQ(answer["attention"]["encoder"], json::array());
  EXPECT_EQ(answer["position"]["decoder"], json::array());
  EXPECT_EQ(answer["source_tokens"][2], "\xEF\xBF\xBD");
  EXPECT_EQ(answer["target_tokens"], json({"x", "y"}));
}

}  // namespace
}  // namespace dietmt::service
