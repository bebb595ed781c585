// PDF files, which become Word documents.
#include <chrono>

#include "common/interruption.h"
#include "service/documents/pdf/pdf_pages.h"
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A PDF with a page for each text, whose lines end with LF. Readers find its objects without a
// table.
std::string pdf_of(const std::vector<std::string>& pages, const std::string& font = "Helvetica") {
  std::string kids, objects;
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::string page = std::to_string(10 + 2 * i), content = std::to_string(11 + 2 * i);
    std::string drawn = "BT /F 12 Tf 14 TL 72 700 Td ";
    for (size_t begin = 0; begin < pages[i].size();) {
      const size_t end = std::min(pages[i].find('\n', begin), pages[i].size());
      drawn += "(" + pages[i].substr(begin, end - begin) + ") Tj T* ";
      begin = end + 1;
    }
    drawn += "ET";
    kids += page + " 0 R ";
    objects += page + " 0 obj <</Type/Page /Parent 2 0 R /Contents " + content +
               " 0 R /MediaBox [0 0 600 800] /Resources <</Font <</F 3 0 R>>>> >> endobj\n" +
               content + " 0 obj <</Length " + std::to_string(drawn.size()) + ">> stream\n" +
               drawn + "\nendstream endobj\n";
  }
  return "%PDF-1.4\n1 0 obj <</Type/Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages /Count " +
         std::to_string(pages.size()) + " /Kids [" + kids +
         "]>> endobj\n3 0 obj <</Type/Font /Subtype/Type1 /BaseFont/" + font + ">> endobj\n" +
         objects + "trailer <</Root 1 0 R>>\n%%EOF\n";
}

class PdfDocumentTest : public OfficeDocumentTest {
 protected:
  void SetUp() override {
    if (!can_read_pdf()) GTEST_SKIP() << "pdftotext (poppler-utils) is not installed";
  }
};

TEST_F(PdfDocumentTest, ParagraphsBecomeThoseOfAWordDocument) {
  const std::string pdf = pdf_of({"A sentence on\ntwo lines.", "Less < more & more."});
  EXPECT_THAT(segments_of(DocumentKind::kPdf, pdf),
              ElementsAre("A sentence on two lines.", "Less < more & more."));
  const std::string word = bracketed(DocumentKind::kPdf, pdf);
  EXPECT_THAT(segments_of(DocumentKind::kDocx, word),
              ElementsAre("[A sentence on two lines.]", "[Less < more & more.]"));
  const std::string body = part(word, "word/document.xml");
  EXPECT_THAT(body, HasSubstr("<w:lang w:val=\"de-DE\"/>"));
  EXPECT_THAT(body, HasSubstr("<w:sz w:val=\"24\"/>"));  // 12 points
  EXPECT_EQ(bracketed(DocumentKind::kPdf, pdf), word);
}

TEST_F(PdfDocumentTest, MarksOfItemsAreNoPartOfTheirText) {
  const std::string pdf = pdf_of({"- an item", "1. another"});
  EXPECT_THAT(segments_of(DocumentKind::kPdf, pdf), ElementsAre("an item", "another"));
  EXPECT_THAT(part(bracketed(DocumentKind::kPdf, pdf), "word/document.xml"),
              HasSubstr("1.</w:t><w:tab/>"));
}

TEST_F(PdfDocumentTest, CodeIsFoundByItsFont) {
  const std::string text = "for all x in range:\n    print x * 2";
  const auto widths = [&](const std::string& font) {
    std::vector<double> all;
    const std::vector<PdfPage> pages = pdf_pages(pdf_of({text}, font), {});
    for (const PdfLine& line : pages.at(0).lines) all.push_back(line.character_width);
    return all;
  };
  EXPECT_THAT(widths("Courier"),
              ElementsAre(testing::DoubleNear(7.2, 0.01), testing::DoubleNear(7.2, 0.01)));
  EXPECT_THAT(widths("Helvetica"), ElementsAre(0, 0));

  EXPECT_EQ(pdf_pages(pdf_of({text}, "Courier"), {}).at(0).lines.at(1).text, "print x * 2");
}

TEST_F(PdfDocumentTest, PagesWithoutTextAreLeftOut) {
  const auto document = open_document(DocumentKind::kPdf, pdf_of({"Text.", ""}), {"en", "de"});
  EXPECT_THAT(document->left_out(), ElementsAre(HasSubstr("pages without text (number 2)")));
  EXPECT_THAT(problem_of(DocumentKind::kPdf, pdf_of({"", ""})), HasSubstr("has no text"));
}

TEST_F(PdfDocumentTest, OtherFilesAndDamagedOnesAreRefused) {
  EXPECT_THAT(problem_of(DocumentKind::kPdf, "PK\3\4"), HasSubstr("is not a PDF"));
  EXPECT_THAT(problem_of(DocumentKind::kPdf, "%PDF-1.4\nnothing"), HasSubstr("damaged"));
  EXPECT_THAT(problem_of(DocumentKind::kPdf, pdf_of({"Text."}).substr(0, 200)), HasSubstr("PDF"));
}

TEST_F(PdfDocumentTest, TextIsLimited) {
  const std::string pdf = pdf_of(std::vector<std::string>(400, "A line.\nAnother one."));
  EXPECT_THROW(open_document(DocumentKind::kPdf, pdf, {"en", "de"}, {.bytes = pdf.size() / 4}),
               DocumentTooLargeError);
  EXPECT_THROW(pdf_pages(pdf, {.bytes = 30'000}), DocumentTooLargeError);
  EXPECT_EQ(pdf_pages(pdf, {}).size(), 400U);
}

TEST_F(PdfDocumentTest, NameOfTheTranslation) {
  EXPECT_EQ(translated_name("a.b.PDF", DocumentKind::kPdf), "a.b.docx");
  EXPECT_EQ(translated_name("a.pdf.gz", DocumentKind::kPdf), "a.docx.gz");
  EXPECT_EQ(translated_name("a.pdf.txt", DocumentKind::kTxt), "a.pdf.txt");
}

}  // namespace
}  // namespace dietmt::service
