#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kAss = DocumentKind::kAss;

const std::string kHead =
    "[Script Info]\r\nTitle: A title\r\nDialogue: no\r\n\r\n[V4+ Styles]\r\nFormat: Name, "
    "Fontname\r\nStyle: Default,Arial\r\n\r\n[Events]\r\nFormat: Layer, Start, End, Style, Name, "
    "MarginL, MarginR, MarginV, Effect, Text\r\n";

std::string event(const std::string& text, const std::string& start = "0:00:01.00",
                  const std::string& style = "Default") {
  return "Dialogue: 0," + start + ",0:00:02.50," + style + ",,0,0,0,," + text + "\r\n";
}

TEST(AssDocumentTest, OnlyTheTextOfDialoguesIsTranslated) {
  const std::string file = kHead + event("{\\an8}The dog, {\\i1}not{\\i0} the\\Ncat,\\hruns.") +
                           "Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,a comment\r\n" +
                           event("{\\p1}m 0 0 l 100 0 100 100{\\p0}") +
                           event("{\\pos(10,20)\\fad(1,2)}A sign{a remark}\\N\\Nup") +
                           "\r\n[Fonts]\r\nfontname: a.ttf\r\nDialogue: 0,x\r\n";
  EXPECT_THAT(segments_of(kAss, file),
              ElementsAre("The dog, {\\i1}not{\\i0} the cat,\u00A0runs.", "A sign{\\} up"));
  EXPECT_EQ(unchanged(kAss, file), file);
  std::string result = bracketed(kAss, file);
  EXPECT_THAT(result, HasSubstr(",,{\\an8}[The dog,\\N{\\i1}not{\\i0} the cat,\\hruns.]\r\n"));
  EXPECT_THAT(result, HasSubstr(",,{\\pos(10,20)\\fad(1,2)}[A sign{a remark}\\N\\Nup]\r\n"));
}

TEST(AssDocumentTest, OneStyleAndSpeakerGoesOn) {
  const std::string next = "0:00:02.60";
  EXPECT_THAT(segments_of(kAss, kHead + event("The printer") + event("is ready.", next)),
              ElementsAre("The printer is ready."));
  EXPECT_THAT(segments_of(kAss, kHead + event("The printer") + event("is ready.", next, "Sign")),
              ElementsAre("The printer", "is ready."));
}

TEST(AssDocumentTest, LinesAreNotAddedAndBracesAreEscaped) {
  const std::string line(100, 'a');
  EXPECT_EQ(translated(kAss, kHead + event("One."), {line + " {b} " + line}),
            kHead + event(line + " \\{b} " + line));
}

TEST(AssDocumentTest, TheFormatNamesTheFields) {
  const std::string ssa =
      "[Script Info]\nScriptType: v4.00\n[EVENTS]\nformat: Marked, End, Start, Text\n"
      "Dialogue: Marked=0,0:00:02.00,0:00:01.00,Yes, no.\n";
  EXPECT_THAT(segments_of(kAss, ssa), ElementsAre("Yes, no."));
}

TEST(AssDocumentTest, DamagedFilesAreRefused) {
  EXPECT_THAT(problem_of(kAss, "[Script Info]\n"), HasSubstr("no section [Events]"));
  EXPECT_THAT(problem_of(kAss, kHead + "Dialogue: 0,0:00:01.00\n"),
              HasSubstr("line 11: the line has 2 fields, not the 10"));
  EXPECT_THAT(problem_of(kAss, kHead + event("One", "soon")),
              HasSubstr("line 11: the line has no time"));
}

}  // namespace
}  // namespace dietmt::service
