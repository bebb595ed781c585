#include "service/documents/pdf/pdf_paragraphs.h"

#include <gmock/gmock.h>

#include <random>

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kPageHeight = 800;
constexpr double kLineHeight = 12;

// The width of a character in a line of code.
constexpr double kCodeWidth = 6;

struct Given {
  std::string text;
  size_t block = 1;
  double left = 100;
  double right = 500;
  double height = kLineHeight;
  double character_width = 0;
};

PdfPage page_of(const std::vector<Given>& lines) {
  PdfPage page = {.height = kPageHeight};
  double top = 200;
  for (const Given& one : lines) {
    page.lines.push_back({.text = one.text,
                          .left = one.left,
                          .top = top,
                          .right = one.right,
                          .bottom = top + one.height,
                          .block = one.block,
                          .character_width = one.character_width});
    top += one.height + 2;
  }
  return page;
}

std::vector<std::string> texts_of(const std::vector<PdfPage>& pages) {
  std::vector<std::string> texts;
  for (const PdfParagraph& paragraph : pdf_paragraphs(pages).paragraphs)
    texts.push_back((paragraph.is_code ? "code:" : "") + paragraph.mark +
                    (paragraph.mark.empty() ? "" : "|") + paragraph.text +
                    (paragraph.page.empty() ? "" : "|") + paragraph.page);
  return texts;
}

Given code(const std::string& text, size_t block = 2, double left = 100) {
  return {text, block, left, 400, kLineHeight, kCodeWidth};
}

std::vector<std::string> texts_of(const std::vector<Given>& lines) {
  return texts_of(std::vector<PdfPage>{page_of(lines)});
}

TEST(PdfParagraphsTest, LinesOfABlockAreAParagraph) {
  EXPECT_THAT(texts_of({{"One line", 1}, {"and the next.", 1}, {"Another block.", 2}}),
              ElementsAre("One line and the next.", "Another block."));
}

TEST(PdfParagraphsTest, AnIndentedLineOrAShortLastLineBeginsAParagraph) {
  EXPECT_THAT(texts_of({{"The first.", 1}, {"Indented", 1, 120}, {"goes on", 1}}),
              ElementsAre("The first.", "Indented goes on"));
  EXPECT_THAT(texts_of({{"A long line", 1}, {"ends here.", 1, 100, 200}, {"New", 1}}),
              ElementsAre("A long line ends here.", "New"));
}

TEST(PdfParagraphsTest, ALargerFontIsAHeading) {
  EXPECT_THAT(texts_of({{"Heading", 1, 100, 200, 20}, {"Text below", 1}}),
              ElementsAre("Heading", "Text below"));
}

TEST(PdfParagraphsTest, AnOpenSentenceGoesOnInTheNextColumnAndPage) {
  EXPECT_THAT(texts_of({page_of({{"It ends", 1}, {"in the next column", 2}}),
                        page_of({{"and page.", 3}, {"Not this", 4, 100, 200}, {"Nor that", 5}})}),
              ElementsAre("It ends in the next column and page.", "Not this", "Nor that"));
}

TEST(PdfParagraphsTest, ALongOpenLineGoesOnInTheBlockBelow) {
  EXPECT_THAT(texts_of({{"A long line with a number such as", 1}, {"100 and more.", 2}}),
              ElementsAre("A long line with a number such as 100 and more."));
  EXPECT_THAT(texts_of({{"A heading", 1, 100, 200}, {"Text below", 2}}),
              ElementsAre("A heading", "Text below"));
}

TEST(PdfParagraphsTest, HyphensAtTheEndOfALine) {
  EXPECT_THAT(texts_of({{"A well-known ex-", 1}, {"ample of a well-", 1}, {"known kind", 1}}),
              ElementsAre("A well-known example of a well-known kind"));
  EXPECT_THAT(texts_of({{"soft\u00AD", 1}, {"ened, EN-", 1}, {"DE and -", 1}, {"5", 1}}),
              ElementsAre("softened, EN- DE and - 5"));
}

TEST(PdfParagraphsTest, ItemsOfLists) {
  EXPECT_THAT(texts_of({{"\u2022 one item on", 1},
                        {"two lines", 1, 120},
                        {"\u2022 another", 1},
                        {"1. first", 1},
                        {"(b) second", 1},
                        {"\u2022", 2, 100, 105, 9},
                        {"Its text", 3}}),
              ElementsAre("\u2022|one item on two lines", "\u2022|another", "1.|first",
                          "(b)|second", "\u2022|Its text"));
}

TEST(PdfParagraphsTest, LeadersOfDotsEndBeforeThePage) {
  EXPECT_THAT(texts_of({{"1 First part . . . . . . 5", 1},
                        {"Second part.......... xii", 1},
                        {"It ends... there.", 1}}),
              ElementsAre("1 First part|5", "Second part|xii", "It ends... there."));
}

TEST(PdfParagraphsTest, NotesComeAfterTheParagraphThatTheyInterrupt) {
  const auto note = [](const std::string& text, size_t block) {
    return Given{text, block, 100, 500, 8};
  };
  std::vector<Given> first(14, Given{"Text.", 7});
  first.push_back({"A long line of the text ends", 8});
  first.push_back(note("1 See the year", 9));
  first.push_back(note("1990 below.", 9));
  first.push_back(note("2 And that.", 9));
  const std::vector<std::string> texts = texts_of(
      {page_of(first), page_of({{"on the next page.", 10}, {"New text. 2 Not a note.", 11}})});
  EXPECT_THAT(std::vector(texts.begin() + 1, texts.end()),
              ElementsAre("A long line of the text ends on the next page.",
                          "1|See the year 1990 below.", "2|And that.", "New text. 2 Not a note."));
}

TEST(PdfParagraphsTest, ANoteInTheSameFontHasItsNumberWithoutASpace) {
  std::vector<Given> lines(15, Given{"Text.", 7});
  lines.push_back({"12See there.", 8});
  lines.push_back({"12 months", 9});
  lines.push_back({"3. item", 10});
  const std::vector<std::string> texts = texts_of(lines);
  EXPECT_THAT(std::vector(texts.begin() + 1, texts.end()),
              ElementsAre("12|See there.", "12 months", "3.|item"));
}

TEST(PdfParagraphsTest, CodeKeepsItsLinesAndItsSpaces) {
  EXPECT_THAT(texts_of({{"Some text that is longer than all of the code together:", 1},
                        code("int main() {"),
                        code("printf(\"Hello there\");", 2, 124),
                        code("}"),
                        {"More text.", 3},
                        code("make  install", 4),
                        {"Install", 5, 100, 200},
                        {"Word", 6, 100, 130, kLineHeight, kCodeWidth}}),
              ElementsAre("Some text that is longer than all of the code together:",
                          "code:int main() {\n    printf(\"Hello there\");\n}", "More text.",
                          "code:make  install", "Install", "Word"));
}

TEST(PdfParagraphsTest, TextOfOneWidthIsNoCodeWhereMostIs) {
  EXPECT_THAT(
      texts_of(
          {code("A letter that was", 1), code("written with a typewriter.", 1), {"A line.", 3}}),
      ElementsAre("A letter that was written with a typewriter.", "A line."));
  EXPECT_THAT(texts_of({{"A line of text that is longer.", 1}, code("Two words", 2)}),
              ElementsAre("A line of text that is longer.", "Two words"));
}

TEST(PdfParagraphsTest, DotsAndAbbreviationsAreNoItems) {
  EXPECT_THAT(texts_of({{"It goes on", 1}, {"... and ends", 1}, {"etc. here", 1}}),
              ElementsAre("It goes on ... and ends etc. here"));
}

TEST(PdfParagraphsTest, WhatPagesRepeatAtTheirEdgesIsLeftOutAndNamed) {
  std::vector<PdfPage> pages;
  for (int i = 1; i <= 4; ++i) {
    PdfPage page = page_of({{"Text of a page.", static_cast<size_t>(i)}});
    page.lines.push_back({.text = "Page " + std::to_string(i), .top = 760, .bottom = 772});
    pages.push_back(page);
  }
  pages[0].lines.push_back({.text = "A note.", .top = 760, .bottom = 772, .block = 9});
  const PdfText text = pdf_paragraphs(pages);
  EXPECT_THAT(texts_of(pages), ElementsAre("Text of a page.", "A note.", "Text of a page.",
                                           "Text of a page.", "Text of a page."));
  EXPECT_THAT(text.left_out, ElementsAre(HasSubstr("edges")));
  pages.resize(2);
  EXPECT_THAT(pdf_paragraphs(pages).left_out, IsEmpty());
}

TEST(PdfParagraphsTest, PagesWithoutTextAreNamed) {
  EXPECT_THAT(pdf_paragraphs({page_of({{"Text"}}), page_of({}), page_of({})}).left_out,
              ElementsAre(HasSubstr("(number 2, 3)")));
}

TEST(PdfParagraphsTest, NoCharacterIsLost) {
  std::mt19937 random(1);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string_view kWords[] = {"one", "Two.",          "3",  "\u2022", "(",
                                     "-",   "\u201Cq\u201D", "x-y"};
  const auto without_spaces = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '|'; });
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Given> lines;
    std::string all, found;
    for (int i = below(20); i >= 0; --i) {
      std::string text(kWords[below(8)]);
      for (int k = below(4); k > 0; --k) text += " " + std::string(kWords[below(8)]);
      if (text.ends_with("-")) text += "x";  // no divided word
      lines.push_back({text, static_cast<size_t>(below(4)), 100.0 + below(50), 300.0 + below(200),
                       10.0 + below(5)});
      all += text;
    }
    for (const std::string& text : texts_of(lines)) found += text;
    EXPECT_EQ(without_spaces(found), without_spaces(all));
  }
}

}  // namespace
}  // namespace dietmt::service
