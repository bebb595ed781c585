#include "service/jobs/chunk_translation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/service/jobs/fake_translator.h"

namespace dietmt::service {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;

bool never() { return false; }

ChunkResult translated(const std::string& text, LineKind kind = LineKind::kTxt,
                       std::vector<std::string>* asked = nullptr) {
  TakenChunk chunk;
  chunk.first_line = 201;
  chunk.input.text = text;
  chunk.options.format.kind = kind;
  return translate_chunk(
      chunk,
      [&](const JobOptions&, const ConnectedTexts& lines, const auto&) {
        if (asked != nullptr) *asked = texts_of(lines);
        return fake_translations(lines);
      },
      never);
}

TEST(ChunkTranslationTest, LineEndsStay) {
  EXPECT_EQ(translated("a\nb\n").text, "<a>\n<b>\n");
  EXPECT_EQ(translated("a\r\nb\n").text, "<a>\r\n<b>\n");
  EXPECT_EQ(translated("a\nb").text, "<a>\n<b>");
  EXPECT_EQ(translated("a\rb\n").text, "<a b>\n"s);
}

// They end documents for models that read context.
TEST(ChunkTranslationTest, BlankLinesStayAsTheyAre) {
  std::vector<std::string> asked;
  EXPECT_EQ(translated("\n\r\n \t\na\n\n", LineKind::kTxt, &asked).text, "\n\r\n \t\n<a>\n\n");
  EXPECT_THAT(asked, ElementsAre("", "", "", "a", ""));
  EXPECT_TRUE(translated("\n\n").bad_lines.empty());
}

TEST(ChunkTranslationTest, BadLinesAreHandedThroughAndReported) {
  const ChunkResult result =
      translated("{\"text\":\"a\"}\n{\"text\":\r\n\xFF\n{\"text\":\"b\"}", LineKind::kJsonl);
  EXPECT_EQ(result.text, "{\"text\":\"<a>\"}\n{\"text\":\r\n\xFF\n{\"text\":\"<b>\"}");
  ASSERT_EQ(result.bad_lines.size(), 2U);
  EXPECT_EQ(result.bad_lines[0].line, 202);
  EXPECT_EQ(result.bad_lines[0].reason, "is not valid JSON");
  EXPECT_EQ(result.bad_lines[1].line, 203);
  EXPECT_EQ(result.bad_lines[1].reason, "is not valid UTF-8");
}

TEST(ChunkTranslationTest, SegmentsWithMarksAreContext) {
  TakenChunk chunk;
  chunk.input.text = R"({"text":"a"})"
                     "\n"
                     R"({"text":"bc","marks":[[1,"<b>"]]})"
                     "\n";
  chunk.options.document = DocumentKind::kHtml;
  std::vector<std::vector<bool>> asked;
  std::vector<std::string> decoding;
  const auto same = [&](const JobOptions& options, const ConnectedTexts& lines, const auto&) {
    asked.push_back(lines.only_context);
    decoding.push_back(options.decoding.dump());
    return unchanged(lines);
  };
  EXPECT_EQ(translate_chunk(chunk, same, never).text,
            "{\"parts\":[\"a\"]}\n{\"parts\":[\"b\",0,\"c\"]}\n");
  EXPECT_THAT(asked, ElementsAre(ElementsAre(false, true), ElementsAre(true, false)));
  EXPECT_THAT(decoding, ElementsAre("{}", "{\"markup\":true}"));
}

// A segment with tags is translated again; only the second result counts.
TEST(ChunkTranslationTest, LinesThatWereCutAreReported) {
  TakenChunk chunk;
  chunk.first_line = 201;
  chunk.input.text = "a\n\n<b>c</b>\nd\n";
  const auto cutting = [&](const JobOptions& options, const ConnectedTexts& lines, const auto&) {
    TranslatedLines translated(unchanged(lines));
    const bool is_marked = options.decoding.contains("markup");
    translated.cut = {!is_marked, false, is_marked, false};
    translated.cut.resize(translated.lines.size());
    return translated;
  };
  EXPECT_THAT(translate_chunk(chunk, cutting, never).cut_lines, ElementsAre(201));
  chunk.options.document = DocumentKind::kHtml;
  chunk.input.text = R"({"text":"a"})"
                     "\n"
                     R"({"text":"b"})"
                     "\n"
                     R"({"text":"<b>c</b>"})"
                     "\n";
  EXPECT_THAT(translate_chunk(chunk, cutting, never).cut_lines, ElementsAre(201, 203));
}

TEST(ChunkTranslationTest, LinesWhoseTranslationWentWrongAreReported) {
  TakenChunk chunk;
  chunk.first_line = 201;
  chunk.input.text = "a\nb\n";
  const auto guarding = [&](const JobOptions&, const ConnectedTexts& lines, const auto&) {
    TranslatedLines translated(unchanged(lines));
    translated.guarded = {false, true};
    return translated;
  };
  EXPECT_THAT(translate_chunk(chunk, guarding, never).guarded_lines, ElementsAre(202));
}

TEST(ChunkTranslationTest, AnotherNumberOfLinesIsAnError) {
  TakenChunk chunk;
  chunk.input.text = "a\nb\n";
  const auto one = [](const auto&, const auto&, const auto&) {
    return std::vector<Translation>(1);
  };
  EXPECT_THROW(translate_chunk(chunk, one, never), Error);
}

}  // namespace
}  // namespace dietmt::service
