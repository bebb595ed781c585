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

std::string text_after(const std::string& text, const std::string& translation) {
  const std::string file = translated(kAss, kHead + event(text), {translation});
  return file.substr(kHead.size() + event("").size() - 2,
                     file.size() - kHead.size() - event("").size());
}

TEST(AssDocumentTest, SyllablesAreWordsAndTheirTimesStayInOrder) {
  const std::string song = "{\\an8}{\\k20}Eve{\\kf30}ry {\\K40\\i1}night\\N{\\ko10}we sing";
  EXPECT_THAT(segments_of(kAss, kHead + event(song)), ElementsAre("Every night we sing"));
  EXPECT_EQ(text_after(song, "Jede Nacht singen wir"),
            "{\\an8}{\\k20}Jede {\\kf30}{\\K40\\i1}Nacht\\N{\\ko10}singen wir");
  EXPECT_EQ(text_after(song, "Nachts"), "{\\an8}{\\k20}{\\kf30}{\\K40\\i1}Nachts{\\ko10}");
}

TEST(AssDocumentTest, CodesInsideWordsStayBetweenWords) {
  const std::string letters = "{\\c&H1&}A d{\\c&H2&}o{\\c&H3&}g {\\fs20}ran";
  EXPECT_THAT(segments_of(kAss, kHead + event(letters)), ElementsAre("A dog {\\fs20}ran"));
  EXPECT_EQ(text_after(letters, "Ein Hund {\\fs20}lief"),
            "{\\c&H1&}Ein {\\c&H2&}{\\c&H3&}Hund {\\fs20}lief");
}

TEST(AssDocumentTest, DrawingsAreNoText) {
  const std::string drawing = "{\\an7\\p1}m 0 0 l 100 0{\\fs2}100 100{\\p0}";
  EXPECT_THAT(segments_of(kAss, kHead + event(drawing + "A dog")), ElementsAre("A dog"));
  EXPECT_EQ(text_after(drawing + "A dog", "Ein Hund"), drawing + "Ein Hund");
  EXPECT_THAT(segments_of(kAss, kHead + event("A dog {\\p4}m 0 0 l a dog")), ElementsAre("A dog"));
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
