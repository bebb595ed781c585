#include <algorithm>

#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kVtt = DocumentKind::kVtt;

constexpr const char* kFile =
    "\xEF\xBB\xBFWEBVTT - Title\nKind: captions\n\n"
    "STYLE\n::cue { color: red }\n\nREGION\nid:a\n\nNOTE a note\nover two lines\n\n"
    "intro\n00:01.000 --> 00:02.000 line:0 align:start\n<v.loud Bob>Tom &amp; Jerry "
    "<c.big>run</c>.\n"
    "<v Ann>Why?\n\n"
    "01:00:02.000 --> 01:00:03.000\n- So<01:00:02.500><c> today</c>\n- Never\n\n"
    "NOTEWORTHY\n01:00:03.000 --> 01:00:04.000\nA note\n01:00:04.000 --> 01:00:05.000\nfollows.\n\n"
    "lost text\n";

TEST(VttDocumentTest, OnlyTheTextOfCuesIsTranslated) {
  EXPECT_THAT(segments_of(kVtt, kFile), ElementsAre("Tom & Jerry <c>run</c>.", "Why?", "So today",
                                                    "Never", "A note follows."));
  EXPECT_EQ(unchanged(kVtt, kFile), kFile);
  std::string result = bracketed(kVtt, kFile);
  EXPECT_THAT(result, HasSubstr("<v.loud Bob>[Tom &amp; Jerry <c.big>run</c>.]\n<v Ann>[Why?]\n"));
  EXPECT_THAT(result, HasSubstr("- [So <01:00:02.500><c>today]</c>\n- [Never]\n"));
}

// A cue with this text, and with its segment translated into another.
std::string cue(const std::string& text) { return "WEBVTT\n\n00:01.000 --> 00:09.000\n" + text; }

std::string cue_after(const std::string& text, const std::string& translation) {
  const std::string file = translated(kVtt, cue(text), {translation});
  return file.substr(std::min(cue("").size(), file.size()));
}

TEST(VttDocumentTest, TimesInsideACueStayInOrderBetweenWords) {
  const std::string song =
      "<00:02.000><c>Eve</c><00:03.000><c>ry</c> <00:04.000><c>night</c> <00:05.000><c>we sing</c>";
  EXPECT_THAT(segments_of(kVtt, cue(song)), ElementsAre("Every night we sing"));
  EXPECT_EQ(cue_after(song, "Jede Nacht singen wir"),
            "<00:02.000><c>Jede</c> <00:03.000><c></c><00:04.000><c>Nacht</c> "
            "<00:05.000><c>singen wir</c>");
  EXPECT_EQ(cue_after(song, "Nachts"),
            "<00:02.000><c></c><00:03.000><c></c><00:04.000><c>Nachts</c><00:05.000><c></c>");
  const std::string plain = "Never <00:03.000>give <i>you</i> <00:04.000>up";
  EXPECT_THAT(segments_of(kVtt, cue(plain)), ElementsAre("Never give <i>you</i> up"));
  EXPECT_EQ(cue_after(plain, "<i>Dich</i> gebe ich nie auf"),
            "<i>Dich</i> <00:03.000>gebe ich nie <00:04.000>auf");
}

TEST(VttDocumentTest, TextBetweenWrittenBracketsIsTranslated) {
  const std::string sighs = "&lt;sighs loudly&gt;", key = "Press &lt;Enter key&gt; now, 1 &lt; 2";
  EXPECT_THAT(segments_of(kVtt, cue(sighs)), ElementsAre("sighs loudly"));
  EXPECT_EQ(cue_after(sighs, "seufzt laut"), "&lt;seufzt laut&gt;");
  EXPECT_THAT(segments_of(kVtt, cue(key)), ElementsAre("Press <q>Enter key</q> now, 1 < 2"));
  EXPECT_EQ(cue_after(key, "Jetzt die <q>Eingabetaste</q> drücken, 1 < 2"),
            "Jetzt die &lt;Eingabetaste&gt; drücken, 1 &lt; 2");
  for (const std::string text : {"a &lt;b &lt;c d&gt; e", "x &lt;a <i>b&gt; c</i>", "a b&gt; &lt;"})
    EXPECT_EQ(unchanged(kVtt, cue(text)), cue(text));
}

TEST(VttDocumentTest, ReadingsOfTheSourceAreDropped) {
  const std::string ruby = "<ruby>The dog<rt>inu</rt></ruby> and <ruby>the cat<rt>neko</ruby>";
  EXPECT_THAT(segments_of(kVtt, cue(ruby)), ElementsAre("The dog and the cat"));
  EXPECT_EQ(cue_after(ruby, "Der Hund und die Katze"), "Der Hund und die Katze");
  EXPECT_EQ(unchanged(kVtt, cue(ruby)), cue(ruby));
  EXPECT_EQ(cue_after("- <i>A <ruby.loud>dog<rt>inu", "Ein Hund"), "- <i>Ein Hund");
}

TEST(VttDocumentTest, MarksOfDirectionStayUnlessTheDirectionChanges) {
  const std::string text = "&lrm;A value&rlm; (5).\u200E";
  EXPECT_THAT(segments_of(kVtt, cue(text)), ElementsAre("A value<wbr> (5)."));
  EXPECT_EQ(cue_after(text, "Ein Wert<wbr> (5)."), "&lrm;Ein Wert&rlm; (5).\u200E");
  EXPECT_EQ(bracketed(kVtt, cue("&lrm;- A value&rlm; (5).\u200E"), {"en", "ar"}),
            cue("- [A value (5).]"));
}

TEST(VttDocumentTest, TextIsEscaped) {
  EXPECT_EQ(translated(kVtt, "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n", {"a < b --> c & d"}),
            "WEBVTT\n\n00:01.000 --> 00:02.000\na &lt; b --&gt; c &amp; d\n");
}

TEST(VttDocumentTest, DamagedFilesAreRefused) {
  EXPECT_THAT(problem_of(kVtt, "WEBVTTX\n"), HasSubstr("begins with the line WEBVTT"));
  EXPECT_THAT(problem_of(kVtt, "1\n00:01.000 --> 00:02.000\nOne\n"), HasSubstr("line 1:"));
  EXPECT_THAT(problem_of(kVtt, "WEBVTT\n\n00:01.000 --> soon\nOne\n"),
              HasSubstr("line 3: these are not the times of a cue"));
  EXPECT_EQ(problem_of(kVtt, "WEBVTT"), "none");
}

}  // namespace
}  // namespace dietmt::service
