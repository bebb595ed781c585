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
  EXPECT_THAT(segments_of(kVtt, kFile),
              ElementsAre("Tom & Jerry <c>run</c>.", "Why?", "So<wbr><c> today</c>", "Never",
                          "A note follows."));
  EXPECT_EQ(unchanged(kVtt, kFile), kFile);
  std::string result = bracketed(kVtt, kFile);
  EXPECT_THAT(result, HasSubstr("<v.loud Bob>[Tom &amp; Jerry <c.big>run</c>.]\n<v Ann>[Why?]\n"));
  EXPECT_THAT(result, HasSubstr("- [So<01:00:02.500><c> today</c>]\n- [Never]\n"));
  for (const char c : std::string("[]")) std::erase(result, c);
  EXPECT_EQ(result, kFile);
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
