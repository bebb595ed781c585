#include "service/documents/subtitles/subtitle_lines.h"

#include <gmock/gmock.h>

#include <string>

namespace dietmt::service {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(const std::string& text, const LinePieces& pieces,
                                  const std::vector<LinePieces::Run>& runs) {
  std::vector<std::string> texts;
  for (const LinePieces::Run run : runs)
    texts.push_back(text.substr(pieces.begin_of(run), pieces.end_of(run) - pieces.begin_of(run)));
  return texts;
}

std::vector<std::string> lines_of(const std::string& text, size_t count, size_t most = 42) {
  const LinePieces pieces(text);
  return texts_of(text, pieces, pieces.lines(pieces.all(), count, most));
}

TEST(SubtitleLinesTest, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns_of("abc é"), 5);
  EXPECT_EQ(columns_of("e\u0301"), 1);
  EXPECT_EQ(columns_of("会議한글"), 8);
}

TEST(SubtitleLinesTest, LinesAreBalanced) {
  EXPECT_THAT(lines_of("one two three four five six", 2),
              ElementsAre("one two three", "four five six"));
  EXPECT_THAT(lines_of("one two", 3), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of("one two three four", 1, 10), ElementsAre("one two", "three four"));
  EXPECT_THAT(lines_of("I see, but it is late", 2), ElementsAre("I see,", "but it is late"));
}

TEST(SubtitleLinesTest, ScriptsWithoutSpacesBreakBetweenCharacters) {
  EXPECT_THAT(lines_of("会議が終わった。", 2), ElementsAre("会議が終", "わった。"));
  EXPECT_THAT(lines_of("한국어 자막", 2), ElementsAre("한국어", "자막"));
  EXPECT_TRUE(are_written_together("会", "議"));
  EXPECT_FALSE(are_written_together("한", "국"));
}

TEST(SubtitleLinesTest, RunsFollowTheirWeights) {
  const std::string text = "a b c d e f g h";
  const LinePieces pieces(text);
  EXPECT_THAT(texts_of(text, pieces, pieces.split(pieces.all(), {1, 3})),
              ElementsAre("a b", "c d e f g h"));
  EXPECT_THAT(texts_of("a", LinePieces("a"), LinePieces("a").split({0, 1}, {1, 1})),
              ElementsAre("a", ""));
}

}  // namespace
}  // namespace dietmt::service
