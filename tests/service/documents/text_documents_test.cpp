// Text, HTML and gettext catalogues, read and written back.
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
  EXPECT_FALSE(kind_of_file("a.exe"));
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

TEST(TxtDocumentTest, CapitalLettersAndNumbersOfChaptersAreNoText) {
  const std::string text = "A\nb\nB.\nXIV\nC)\nI am\nI, too\nMIX\n\xC3\x89\n";
  EXPECT_THAT(segments_of(DocumentKind::kTxt, text),
              ElementsAre("b", "I am", "I, too", "MIX", "\xC3\x89"));
  EXPECT_THAT(segments_of(DocumentKind::kHtml, "<h1><b>I</b></h1>"), ElementsAre());
  EXPECT_THAT(segments_of(DocumentKind::kPo, "#, c-format\nmsgid \"A %s\"\nmsgstr \"\"\n"),
              ElementsAre("A %s"));
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

TEST(TxtDocumentTest, Utf32WithItsMarkIsRead) {
  using namespace std::string_literals;
  const std::string little = "\xFF\xFE\0\0"s + "a\0\0\0\x00\xF6\x01\0"s;
  const std::string big = "\0\0\xFE\xFF"s + "\0\0\0a\0\x01\xF6\x00"s;
  for (const std::string& bytes : {little, big}) {
    EXPECT_EQ(bracketed(DocumentKind::kTxt, bytes), "[a😀]");
    EXPECT_EQ(unchanged(DocumentKind::kMarkdown, bytes), bytes);
  }
}

// 12 o'clock is no text either.
TEST(TxtDocumentTest, FormatsOfDatesStay) {
  for (const std::string format : {"%d %B %Y %H:%M", "%a, %-d.%m.%Y", "dd/MM/yyyy", "MMM d, yyyy"})
    EXPECT_EQ(bracketed(DocumentKind::kTxt, format), format);
  for (const std::string text : {"%d of %B", "See %s", "as, my", "MM"})
    EXPECT_EQ(bracketed(DocumentKind::kTxt, text), "[" + text + "]");
}

TEST(TxtDocumentTest, AnEncodingThatTheBytesContradictIsNotDetected) {
  const std::string serbian =
      "\xEA\xF0\xE5\x9E\xF3\x9E\xE8 \xF1\xE5 \xF2\xE8\xF5\xEE \xEC\xE5\x90\xF3 \xE2\xE0\xEC\xE0 "
      "\xEA\xF0\xEE\xE7 \xE2\xE5\xEA\xEE\xE2\xE5. \x80\xE0\xE2\xEE \xE7\xED\xE0 \xF8\xF2\xE0 "
      "\xBC\xE5 \xF2\xEE \xE1\xE8\xEB\xEE, \x9F\xE0\xE1\xE5. \x8C\xE5\xEC\xF3 \xBC\xE5 "
      "\xE6\xE0\xEE.";
  EXPECT_EQ(unchanged(DocumentKind::kTxt, serbian),
            "крећући се тихо међу вама кроз векове. Ђаво зна шта је то било, џабе. Њему је жао.");
  const std::string croatian =
      "\xD0ino, do\xF0"
      "avola. Dolazi ovamo! Ne\xE6"
      "e da iza\xF0"
      "e odatle, \x9E"
      "ao mi je. \x8Ato \xE8"
      "e\x9A\xE6"
      "e \x9A\xE6u\xE6uri";
  EXPECT_EQ(problem_of(DocumentKind::kTxt, croatian), "none");
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
  EXPECT_THAT(problem_of(DocumentKind::kTxt, "\xE9\xE8 ca"),
              HasSubstr("is not valid UTF-8 at byte 1"));
  EXPECT_EQ(segments_of(DocumentKind::kTxt, "caf\xE9"), std::vector<std::string>{"café"});
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
  // ICU also suggests IBM420_ltr, which it cannot read.
  const std::string japanese =
      "\xF2\xE7,560,560,7716,\xC0\xDC\xC6\xAC\xBB\xEC,\xCC\xBE\xBB\xEC\xC0\xDC\xC2\xB3,*,*,*,*,"
      "\xF2\xE7,\xA5\xDE,\xA5\xDE";
  EXPECT_EQ(open_document(DocumentKind::kTxt, japanese, {"ja", "de"})->charset(), "EUC-JP");
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
            "<b>two</b> <i translate=\"no\">three</i> &copy; 4]<br>[&copy; Anna]</p>");
  const std::string no_words = "<p><b>&copy;</b> 4 <!-- c --></p>";
  EXPECT_EQ(bracketed(DocumentKind::kHtml, no_words), no_words);
}

TEST(HtmlDocumentTest, ALineBreakIsASpaceExceptInPre) {
  const std::string html =
      "<p>\n  One\r\n  <b>two\n  three</b>.\n</p><ul>\n  <li>a<br>\n  b</li></ul><pre>We do "
      "not\nknow him.</pre>";
  EXPECT_THAT(segments_of(DocumentKind::kHtml, html),
              ElementsAre("One <b>two three</b>.", "a", "b", "We do not\nknow him."));
  EXPECT_EQ(bracketed(DocumentKind::kHtml, html),
            "<p>\n  [One <b>two three</b>.]\n</p><ul>\n  <li>[a]<br>\n  [b]</li></ul>"
            "<pre>[We do not\nknow him.]</pre>");
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
                                 "<?xml version=\"1.0\" encoding=\"*\"?><div>"}) {
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

TEST(TxtDocumentTest, AddressesAndNamesOfFilesStay) {
  EXPECT_THAT(segments_of(DocumentKind::kTxt,
                          "https://example.org/a?b=c\n  someone@example.org\nREADME.md\n"
                          "C:\\Windows\\System32\\drivers\n/etc/fstab\nsee README.md\nWhy?\n"),
              ElementsAre("see README.md", "Why?"));
}

}  // namespace
}  // namespace dietmt::service
