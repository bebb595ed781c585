// SubRip as players read it, and what all subtitles share: sentences over several cues, speakers,
// codes and lines.
#include <algorithm>

#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kSrt = DocumentKind::kSrt;

// Cues with these texts, one a second.
std::string file_of(const std::vector<std::string>& texts) {
  std::string file;
  for (size_t i = 0; i < texts.size(); ++i)
    file += std::to_string(i + 1) + "\n00:00:0" + std::to_string(i) + ",000 --> 00:00:0" +
            std::to_string(i + 1) + ",000\n" + texts[i] + "\n\n";
  return file;
}

std::vector<std::string> segments_of_cues(const std::vector<std::string>& texts) {
  EXPECT_EQ(unchanged(kSrt, file_of(texts)), file_of(texts));
  return segments_of(kSrt, file_of(texts));
}

// The segment of one cue, and what is written for its translation into this text.
std::string cue(const std::string& text, const std::string& translation) {
  const std::string file = translated(kSrt, file_of({text}), {translation});
  return file.substr(file.find(",000\n") + 5, file.size() - file.find(",000\n") - 7);
}

TEST(SrtDocumentTest, FilesAreReadAsPlayersReadThem) {
  const std::string first = "1\n00:00:01,000 --> 00:00:02,000\n",
                    second = "00:00:03.5 -->00:00:04.5";
  const std::vector<std::string> files = {
      first + "The dog\n\nruns.\n\n2\n" + second + "\nThe cat.\n",
      first + "The dog runs.\n2\n" + second + "\nThe cat.\n",
      first + "The dog runs.\n" + second + "\nThe cat.",
      first + "The dog runs.\n\n17\n\n" + second + " X1:10 X2:20 Y1:5 Y2:9\nThe cat.\n\n\n",
      "\xEF\xBB\xBF" + first + "The dog runs.\n\n \n2\n" + second + "\nThe cat.\n3\n",
      "Made by me\n\n" + first + "The dog runs.\r\n\r\n2\r\n" + second + "\r\nThe cat.\r\n",
      "1\r00:00: 1,00 --> 0:0:2\rThe dog runs.\r\r2\r-00:00:01,000 --> 00:00:04,000\rThe cat.\r"};
  for (const std::string& file : files) {
    EXPECT_THAT(segments_of(kSrt, file), ElementsAre("The dog runs.", "The cat.")) << file;
    EXPECT_EQ(unchanged(kSrt, file), file);
    std::string bracketed_file = bracketed(kSrt, file);
    for (const char c : std::string("[]")) std::erase(bracketed_file, c);
    EXPECT_EQ(bracketed_file, file);
  }
}

TEST(SrtDocumentTest, OtherEncodingsBecomeUtf8) {
  const std::string text = file_of({"Le caf\xE9 est ferm\xE9 jusqu'\xE0 demain."});
  for (const DocumentOptions& options :
       {DocumentOptions{"fr", "de"}, DocumentOptions{"en", "de", true, "windows-1252"}})
    EXPECT_EQ(bracketed(kSrt, text, options), file_of({"[Le café est fermé jusqu'à demain.]"}));
}

TEST(SrtDocumentTest, FilesWithoutCuesAreRefused) {
  const auto problem = [](const std::string& text) { return problem_of(kSrt, text); };
  EXPECT_THAT(problem("\nOne\nTwo\n"), HasSubstr("line 2: this is neither the number of a cue"));
  EXPECT_THAT(problem(file_of({"One"}) + "2\n00:00:03 -> 00:00:04\nTwo\n"),
              HasSubstr("line 6: these are not the times of a cue"));
  for (const std::string times : {"00:0x:03,000 --> 00:00:04,000", "1;2 -->", "x --> 0:04"})
    EXPECT_THAT(problem(file_of({"One"}) + "2\n" + times + "\nTwo\n"),
                HasSubstr("line 6: these are not the times of a cue"));
  EXPECT_EQ(problem(file_of({"One --> two"})), "none");
  EXPECT_THAT(problem("\n"), HasSubstr("no cue"));
  EXPECT_EQ(problem(file_of({"We met at 10:30 - 11:00.\n10:30 - 11:00 is free."})), "none");
}

TEST(SrtDocumentTest, ASentenceOverSeveralCuesIsOneSegment) {
  EXPECT_THAT(segments_of_cues({"The printer", "is ready.", "Go on,", "John."}),
              ElementsAre("The printer is ready.", "Go on, John."));
  EXPECT_THAT(segments_of_cues({"We went to", "London.", "Yes.", "I see Mr.", "Smith."}),
              ElementsAre("We went to London.", "Yes.", "I see Mr. Smith."));
  EXPECT_THAT(segments_of_cues({"Directed by", "John Smith", "Music by", "Mary Jones"}),
              ElementsAre("Directed by", "John Smith", "Music by", "Mary Jones"));
  EXPECT_THAT(segments_of_cues({"I was", "- late.", "♪ la la", "la ♪", "CHAPTER ONE", "It was."}),
              ElementsAre("I was", "late.", "la la la", "CHAPTER ONE", "It was."));
  EXPECT_THAT(segments_of(kSrt,
                          "00:00:01,000 --> 00:00:02,000\nThe printer\n"
                          "00:00:09,000 --> 00:00:10,000\nis ready.\n"),
              ElementsAre("The printer", "is ready."));
}

TEST(SrtDocumentTest, ATranslationIsSpreadByTime) {
  const std::string file =
      "1\n00:00:01,000 --> 00:00:04,000\nThe printer\n\n"
      "2\n00:00:04,000 --> 00:00:05,000\nis ready.\n";
  EXPECT_EQ(translated(kSrt, file, {"a b c d e f g h"}),
            "1\n00:00:01,000 --> 00:00:04,000\na b c d e f\n\n"
            "2\n00:00:04,000 --> 00:00:05,000\ng h\n");
  EXPECT_EQ(translated(kSrt, file, {"Druckerbereitschaft"}),
            "1\n00:00:01,000 --> 00:00:04,000\nDruckerbereitschaft\n\n"
            "2\n00:00:04,000 --> 00:00:05,000\nDruckerbereitschaft\n");
  EXPECT_EQ(translated(kSrt, file_of({"<i>The printer</i>", "<i>is ready.</i>"}), {"Es ist so."}),
            file_of({"<i>Es ist</i>", "<i>so.</i>"}));
}

TEST(SrtDocumentTest, ACodeAroundTheEndOfACueIsClosedAndOpenedAgain) {
  const std::string file = file_of({"The <i>big", "printer</i> is ready."});
  EXPECT_THAT(segments_of(kSrt, file), ElementsAre("The <i>big printer</i> is ready."));
  EXPECT_EQ(translated(kSrt, file, {"Der <i>ganz große Drucker</i> ist bereit."}),
            file_of({"Der <i>ganz große</i>", "<i>Drucker</i> ist bereit."}));
}

TEST(SrtDocumentTest, SpeakersMusicAndDescriptionsAreTextsOfTheirOwn) {
  EXPECT_THAT(segments_of_cues({"- Yes?\n- No,\nnot now.", "[DOOR OPENS]\nJOHN: Who is it?",
                                "[DOOR SLAMS] MARY: Stay.", "[Mrs. Smith] Me.", "(sighs) Well.",
                                "♪ La la ♪\n♪ la ♪"}),
              ElementsAre("Yes?", "No, not now.", "DOOR OPENS", "Who is it?", "DOOR SLAMS", "Stay.",
                          "Me.", "sighs", "Well.", "La la", "la"));
  EXPECT_THAT(segments_of_cues({"Yes.\nNo.\nOK.", "-5 degrees", "(a door\nopens)", "# La la #"}),
              ElementsAre("Yes.", "No.", "OK.", "-5 degrees", "a door opens", "La la"));
  EXPECT_EQ(cue("- JOHN: <i>Yes?</i>", "Ja?"), "- JOHN: <i>Ja?</i>");
  EXPECT_EQ(cue("{\\an8}\n♪ La <b>la</b> ♪", "<b>Lo</b> lo"), "{\\an8}\n♪ <b>Lo</b> lo ♪");
  EXPECT_EQ(cue("<i>- Yes!\n</i>", "Ja!"), "<i>- Ja!\n</i>");
  EXPECT_EQ(translated(kSrt, file_of({"<i>- Yes?\n- No.</i>"}), {"Ja?", "Nein."}),
            file_of({"<i>- Ja?\n- Nein.</i>"}));
  EXPECT_EQ(translated(kSrt, file_of({"[man, softly] <i>Come.</i>"}), {"Mann, leise", "Komm."}),
            file_of({"[Mann, leise] <i>Komm.</i>"}));
}

TEST(SrtDocumentTest, CodesInsideATextAreMarks) {
  EXPECT_THAT(segments_of_cues({"It <font color=\"red\">was</font> a\n{\\i1}day{\\i0} so."}),
              ElementsAre("It <font>was</font> a {\\i1}day{\\i0} so."));
  EXPECT_EQ(cue("It <font color=\"red\">was</font>.", "Es <font>war</font> so."),
            "Es <font color=\"red\">war</font> so.");
  EXPECT_EQ(cue("1 < 2 and <3 forever", "1 < 2 und <3"), "1 < 2 und <3");
  const auto document = open_document(kSrt, file_of({"a <i>b</i> c"}), {"en", "de"});
  EXPECT_EQ(document->translated({{{"ohne"}}}), file_of({"a <i>b</i> c"}));
  EXPECT_EQ(document->refused(), 1);
}

TEST(SrtDocumentTest, LinesAreKeptAndAtMost42CharactersLong) {
  EXPECT_EQ(cue("It was\na long day.", "Es war ein langer Tag."), "Es war ein\nlanger Tag.");
  EXPECT_EQ(cue("It was a long day for us all here.",
                "Es war für uns alle hier ein sehr langer Tag, ja."),
            "Es war für uns alle hier\nein sehr langer Tag, ja.");
  EXPECT_EQ(cue("- A day so long that nobody forgets it.", "Tag und so fort, bis es zu lang ist."),
            "- Tag und so fort, bis es zu lang ist.");
  EXPECT_EQ(cue("One two three four five six seven eight nine ten.",
                std::string("a b c d e f g h i j k l m n o p q r s t u v w x")),
            "a b c d e f g h i j k l m n o p q r s t u v w x");
  EXPECT_EQ(cue("One\n\ntwo", "Eins zwei"), "Eins\n\nzwei");
  EXPECT_EQ(cue("One two", "昨日の会議では新しい計画について長い時間をかけて話し合いました。"),
            "昨日の会議では新しい計画について\n長い時間をかけて話し合いました。");
  EXPECT_EQ(cue("One\ntwo", "Ja { $name } b"), "Ja\n{ $name } b");
}

TEST(SrtDocumentTest, LinesWithoutSpacesAreJoinedWithoutOne) {
  EXPECT_THAT(segments_of_cues({"昨日の会議では\n新しい計画です。", "我们去\n北京。"}),
              ElementsAre("昨日の会議では新しい計画です。", "我们去北京。"));
}

TEST(SrtDocumentTest, ATranslationIsNoTimes) {
  EXPECT_EQ(cue("One", "00:00:01,000 --> 00:00:02,000 a"), "00:00:01,000 -> 00:00:02,000 a");
}

TEST(SrtDocumentTest, ManyLinesAreBrokenInOnePass) {
  constexpr int kLines = 20'000;
  std::string lines, text;
  for (int i = 0; i < kLines; ++i) lines += "one\n", text += "a <i>b</i> ";
  const std::string result = translated(kSrt, file_of({lines}), {text + "end"});
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), kLines + 4);
}

}  // namespace
}  // namespace dietmt::service
