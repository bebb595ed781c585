// Text, HTML, subtitles and gettext catalogues, read and written back.
#include <algorithm>

#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TextDocumentTest, ParagraphsAreTextsIfAsked) {
  const std::string file = "One line\nof two.\n\n  Another\r\n  one. \n \n12\n";
  const DocumentOptions options{.source = "en", .target = "de", .paragraphs = true};
  const auto document = open_document(DocumentKind::kTxt, file, options);
  ASSERT_EQ(document->segments().size(), 2);
  EXPECT_EQ(document->segments()[0].text, "One line of two.");
  EXPECT_EQ(document->segments()[1].text, "Another one.");
  EXPECT_EQ(
      document->translated({in_source_order(document->segments()[0]), {{.text = "Noch einer."}}}),
      "One line\nof two.\n\n  Noch einer. \n \n12\n");
}

TEST(DocumentKindTest, ByExtension) {
  EXPECT_EQ(kind_of_file("a.b.DOCX"), DocumentKind::kDocx);
  EXPECT_EQ(kind_of_file("page.htm"), DocumentKind::kHtml);
  EXPECT_EQ(kind_of_file("de.xlf"), DocumentKind::kXliff);
  EXPECT_FALSE(kind_of_file("docx"));
  EXPECT_FALSE(kind_of_file("a.pdf"));
  for (const std::string& extension : document_extensions())
    EXPECT_TRUE(kind_of_file("a" + extension)) << extension;
}

TEST(TxtDocumentTest, LinesWithLettersAreSegments) {
  const std::string text = "One. Two.\r\n\r\n  3.14  \n indented \nlast";
  EXPECT_THAT(segments_of(DocumentKind::kTxt, text), ElementsAre("One. Two.", "indented", "last"));
  EXPECT_EQ(bracketed(DocumentKind::kTxt, text),
            "[One. Two.]\r\n\r\n  3.14  \n [indented] \n[last]");
  EXPECT_EQ(unchanged(DocumentKind::kTxt, ""), "");
}

TEST(TxtDocumentTest, Utf16WithItsMarkIsRead) {
  using namespace std::string_literals;
  EXPECT_EQ(bracketed(DocumentKind::kTxt, "\xFF\xFE"s + "a\0\xE4\0\x3D\xD8\x00\xDE"s), "[aä😀]");
  EXPECT_EQ(bracketed(DocumentKind::kTxt, "\xFE\xFF"s + "\0a\0\xE4"s), "[aä]");
  EXPECT_EQ(bracketed(DocumentKind::kTxt,
                      "\xEF\xBB\xBF"
                      "a"s),
            "[a]");
}

TEST(TxtDocumentTest, WhatIsNoTextIsRefusedWithAReason) {
  using namespace std::string_literals;
  EXPECT_THAT(problem_of(DocumentKind::kTxt, "a\0b, and more text"s),
              HasSubstr("is binary: byte 2 is zero"));
  EXPECT_THAT(problem_of(DocumentKind::kTxt, std::string(70'000, '\xFF') + "\0\n"s),
              HasSubstr("is binary: byte 70001 is zero"));
  EXPECT_THAT(problem_of(DocumentKind::kTxt, "a\0b\0c\0"s),
              HasSubstr("UTF-16 without a byte-order mark"));
  EXPECT_THAT(problem_of(DocumentKind::kTxt, "%PDF-1.7"), HasSubstr("is a PDF file"));
  EXPECT_THAT(problem_of(DocumentKind::kTxt, "caf\xE9"), HasSubstr("is not valid UTF-8 at byte 4"));
  EXPECT_THAT(problem_of(DocumentKind::kTxt, std::string(11, 'x'), {.bytes = 10}),
              HasSubstr("longer than 10 bytes"));
}

TEST(TxtDocumentTest, OtherEncodingsAreDetectedOrGiven) {
  const std::string french =
      "Il \xE9tait une fois une petite fille qui vivait pr\xE8s de la for\xEAt avec sa m\xE8re.";
  EXPECT_EQ(unchanged(DocumentKind::kTxt, french),
            "Il était une fois une petite fille qui vivait près de la forêt avec sa mère.");
  const auto given = [](const std::string& bytes, const std::string& charset) {
    return open_document(DocumentKind::kTxt, bytes, {"en", "de", true, charset})
        ->segments()
        .front()
        .text;
  };
  EXPECT_EQ(given("caf\xE9 \x80", "windows-1252"), "café €");
  EXPECT_EQ(given("\xC4\xE3\xBA\xC3", "gb18030"), "你好");
  EXPECT_THROW(given("a", "no-such"), DataError);
  EXPECT_THROW(given("a \x80", "iso-8859-1"), DataError);
  EXPECT_THROW(given("a \xFF", "utf-8"), DataError);
}

TEST(HtmlDocumentTest, TagsScriptsAndMarkedElementsStay) {
  const std::string html =
      "<!DOCTYPE html><title>A &amp; B</title><style>p {}</style>\n<p class=\"x\">One <b>two</b> "
      "<i translate=\"no\">three</i> &copy; 4<br>&copy; Anna</p>";
  EXPECT_THAT(segments_of(DocumentKind::kHtml, html),
              ElementsAre("A & B", "One <b>two</b> <i translate=\"no\">three</i> © 4", "© Anna"));
  EXPECT_EQ(bracketed(DocumentKind::kHtml, html),
            "<!DOCTYPE html><title>[A &amp; B]</title><style>p {}</style>\n<p class=\"x\">[One "
            "<b>two</b> <i translate=\"no\">three</i> © 4]<br>[© Anna]</p>");
  const std::string no_words = "<p><b>&copy;</b> 4 <!-- c --></p>";
  EXPECT_EQ(bracketed(DocumentKind::kHtml, no_words), no_words);
}

TEST(HtmlDocumentTest, ALineBreakIsASpaceExceptInPre) {
  const std::string html =
      "<p>\n  One\r\n  <b>two\n  three</b>.\n</p><ul>\n  <li>a<br>\n  b</li></ul><pre>c\nd</pre>";
  EXPECT_THAT(segments_of(DocumentKind::kHtml, html),
              ElementsAre("One <b>two three</b>.", "a", "b", "c\nd"));
  EXPECT_EQ(bracketed(DocumentKind::kHtml, html),
            "<p>\n  [One <b>two three</b>.]\n</p><ul>\n  <li>[a]<br>\n  [b]</li></ul>"
            "<pre>[c\nd]</pre>");
}

TEST(HtmlDocumentTest, InlineMarkupMovesWithItsWords) {
  const std::string html =
      "<p><i>a <b>b</b> <img src=x></i> <code>&lt;</code> &lt;b&gt;</b> <u>c</p>";
  EXPECT_THAT(segments_of(DocumentKind::kHtml, html),
              ElementsAre("<i>a <b>b</b> <img src=x></i> <code>&lt;</code> <b></b> <u>c"));
  EXPECT_EQ(open_document(DocumentKind::kHtml, html, {"en", "de"})->segments().front().text,
            "a b   <b> c");
  EXPECT_EQ(translated(DocumentKind::kHtml, html,
                       {"<u>C</b> <code>&lt;</code> <i><img src=x> <b>B</b> A</i> & <g>"}),
            "<p><u>C</b> <code>&lt;</code> <i><img src=x> <b>B</b> A</i> &amp; &lt;g&gt;</p>");
}

TEST(HtmlDocumentTest, CodeInsideOfCodeStays) {
  for (const std::string code :
       {"<code class=f><em><code>TRANSPORT</code></em>trans.c</code>", "<code>a<code/>b</code>",
        "<code>a <codex>b</codex></code>", "<script>if (a < script) '<script>' </script>"}) {
    const std::string html = "<p>See " + code + " now</p>";
    EXPECT_EQ(open_document(DocumentKind::kHtml, html, {"en", "de"})->segments().front().text,
              code.starts_with("<code") ? "See  now" : "See");
    EXPECT_EQ(unchanged(DocumentKind::kHtml, html), html);
  }
}

TEST(HtmlDocumentTest, ReferencesStay) {
  const std::string html = "<p>&check; One &starf; two&nbsp</p><p>&check;</p>";
  EXPECT_THAT(segments_of(DocumentKind::kHtml, html), ElementsAre("&check; One &starf; two\u00A0"));
  EXPECT_EQ(bracketed(DocumentKind::kHtml, html),
            "<p>[&check; One &starf; two\u00A0]</p><p>&check;</p>");
}

// The translation is UTF-8.
TEST(HtmlDocumentTest, TheDocumentDeclaresUtf8) {
  for (const std::string head : {"<meta charset=\"*\">", "<META name=x charset = * >",
                                 "<meta content='text/html; charset=*' http-equiv=Content-Type>",
                                 "<?xml version=\"1.0\" encoding=\"*\"?><html>"}) {
    const auto declaring = [&](const std::string& encoding) {
      return std::string(head).replace(head.find('*'), 1, encoding) + "<p>";
    };
    for (const std::string other : {"iso-8859-1", "windows-1252", "UTF-16"})
      EXPECT_EQ(bracketed(DocumentKind::kHtml, declaring(other) + "a"), declaring("UTF-8") + "[a]");
    EXPECT_EQ(unchanged(DocumentKind::kHtml, declaring("utf-8")), declaring("utf-8"));
  }
  const std::string no_charset =
      "<meta name=\"a\" content=\"charset=x\"><meta http-equiv=content-type><meta><p>";
  EXPECT_EQ(unchanged(DocumentKind::kHtml, no_charset), no_charset);
  EXPECT_EQ(unchanged(DocumentKind::kHtml, "<meta charset=\"iso-8859-1\">caf\xE9"),
            "<meta charset=\"UTF-8\">café");
}

constexpr const char* kSubtitles =
    "1\r\n00:00:01,000 --> 00:00:03,000\r\n<i>It was a\r\nlong day.</i>\r\n\r\n"
    "2\r\n00:00:04,000 --> 00:00:05,000\r\n- Yes?\r\n- No.\r\n\r\n"
    "3\r\n00:00:06,000 --> 00:00:07,000\r\n\u266A\r\n\u266A\r\n";

TEST(SrtDocumentTest, CuesAreSegments) {
  EXPECT_THAT(segments_of(DocumentKind::kSrt, kSubtitles),
              ElementsAre("<i>It was a long day.</i>", "- Yes?", "- No."));
  EXPECT_EQ(unchanged(DocumentKind::kSrt, "1\n00:00:01,000 --> 00:00:02,000\nOne\n"),
            "1\n00:00:01,000 --> 00:00:02,000\nOne\n");
}

TEST(SrtDocumentTest, TimesAndNumbersOfLinesStay) {
  const std::string translated = bracketed(DocumentKind::kSrt, kSubtitles);
  EXPECT_THAT(translated, HasSubstr("1\r\n00:00:01,000 --> 00:00:03,000\r\n[<i>It was a"));
  EXPECT_THAT(translated, HasSubstr("\r\n[- Yes?]\r\n[- No.]\r\n\r\n3\r\n"));
  EXPECT_TRUE(translated.ends_with("\r\n\u266A\r\n\u266A\r\n"));
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(translated), lines(kSubtitles));
}

TEST(SrtDocumentTest, LinesOutsideOfCuesAreRefused) {
  const auto problem = [](const std::string& text) { return problem_of(DocumentKind::kSrt, text); };
  const std::string cue = "1\n00:00:01,000 --> 00:00:02,000\nOne\n";
  EXPECT_THAT(problem("One\nTwo\n"), HasSubstr("line 1: this is neither the number of a cue"));
  EXPECT_THAT(problem(cue + "\nstray\n"), HasSubstr("line 5: this is neither"));
  EXPECT_THAT(problem(cue + "\n2\n00:00:03 -> 00:00:04\nTwo\n"),
              HasSubstr("line 6: these are not the times of a cue"));
  EXPECT_THAT(problem(cue + "\n2\n\nTwo\n"), HasSubstr("line 6: these are not the times"));
  EXPECT_THAT(problem(cue + "2\n00:00:03,000 --> 00:00:04,000\nTwo\n"),
              HasSubstr("line 5: times in the text of a cue"));
  EXPECT_THAT(problem(cue + "\n2\n"), HasSubstr("line 5: the times of the last cue are missing"));
  EXPECT_THAT(problem("\n"), HasSubstr("no cue"));
  EXPECT_EQ(problem("\n\n00:01.5-->00:02.5 X1:1 X2:2\n\n\n 7 \n0:0:3 --> 0:0:4\n"), "none");
}

TEST(SrtDocumentTest, NoLineEndsInsideATagOrPlaceholder) {
  const std::string cue = "1\n00:00:01,000 --> 00:00:02,000\nOne\ntwo\n";
  const std::string tag = "Ja <font color=\"#ff0000\" face=\"Arial\">b</font>";
  EXPECT_THAT(translated(DocumentKind::kSrt, cue, {tag}), HasSubstr(tag));
  EXPECT_THAT(translated(DocumentKind::kSrt, cue, {"Ja { $name } b"}),
              HasSubstr("Ja { $name }\nb"));
}

TEST(TxtDocumentTest, AddressesAndNamesOfFilesStay) {
  EXPECT_THAT(segments_of(DocumentKind::kTxt,
                          "https://example.org/a?b=c\n  someone@example.org\nREADME.md\n"
                          "C:\\Windows\\System32\\drivers\n/etc/fstab\nsee README.md\nWhy?\n"),
              ElementsAre("see README.md", "Why?"));
}

// One line per tag.
TEST(SrtDocumentTest, ManyLinesAreBrokenInOnePass) {
  constexpr int kLines = 20'000;
  std::string cue = "1\n00:00:01,000 --> 00:00:02,000\n", text;
  for (int i = 0; i < kLines; ++i) cue += "One\n", text += "a <i>b</i> ";
  const std::string result = translated(DocumentKind::kSrt, cue, {text + "end"});
  EXPECT_EQ(std::count(result.begin(), result.end(), '\n'), kLines + 2);
}

}  // namespace
}  // namespace dietmt::service
