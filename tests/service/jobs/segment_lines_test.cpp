#include "service/jobs/segment_lines.h"

#include <gmock/gmock.h>

#include "common/error.h"

namespace dietmt::service {
namespace {

TEST(SegmentLinesTest, SegmentsAndTranslationsComeBack) {
  nmt::MarkedText segment{.text = "A \"red\"\n", .marks = {}};
  add_mark("<b \"x\">", segment);
  segment.text += "dog\xC3\xA9";
  add_mark("</b>", segment);
  const std::string line = segment_line(segment);
  EXPECT_EQ(line.find('\n'), line.npos);
  const nmt::MarkedText read = segment_in(line);
  EXPECT_EQ(read.text, segment.text);
  EXPECT_EQ(nmt::join(in_source_order(read)), "A \"red\"\n<b \"x\">dog\xC3\xA9</b>");
  EXPECT_EQ(read.marks.back().parts.front().mark, 1);

  const Translation translation = {{"a\n"}, {"</b>", true, 1}, {"{0}", true}, {"<b>", true, 0}};
  EXPECT_EQ(translation_line(translation), R"({"parts":["a\n",1,"{0}",0]})");
  const Translation back = translation_in(translation_line(translation));
  EXPECT_EQ(plain_text(back), "a\n{0}");
  EXPECT_EQ(back.at(1).mark, 1);
  EXPECT_EQ(back.at(3).mark, 0);
  EXPECT_EQ(translation_line({{"\xFF"}}), "{\"parts\":[\"\uFFFD\"]}");
}

TEST(SegmentLinesTest, LinesOfOtherVersionsAreRefused) {
  for (const char* line : {"", "{}", "[]", R"({"text":"a"})", R"({"parts":[{}]})"})
    EXPECT_THROW(translation_in(line), DataError) << line;
  for (const char* line : {"", "{}", R"({"text":1})", R"({"text":"a","marks":[1]})"})
    EXPECT_THROW(segment_in(line), DataError) << line;
}

}  // namespace
}  // namespace dietmt::service
