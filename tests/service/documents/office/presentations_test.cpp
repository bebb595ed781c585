// PowerPoint and OpenDocument presentations.
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kDrawing = "http://schemas.openxmlformats.org/drawingml/2006/main";

std::string slide(const std::string& shapes) {
  return "<p:sld xmlns:p=\"urn:p\" xmlns:a=\"" + std::string(kDrawing) + "\">" + shapes +
         "</p:sld>";
}

std::string shape(const std::string& text, const std::string& kind = "") {
  return "<p:sp><p:nvSpPr><p:nvPr>" + kind + "</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>" +
         text + "</a:t></a:r></a:p></p:txBody></p:sp>";
}

class PresentationsTest : public OfficeDocumentTest {
 protected:
  std::string powerpoint(const std::string& shapes, Parts more = {}) {
    more.insert(more.begin(), {{"ppt/presentation.xml", slide("<a:defRPr lang=\"en-US\"/>")},
                               {"ppt/slides/slide1.xml", slide(shapes)}});
    return archive(more);
  }
};

TEST_F(PresentationsTest, FormattingMovesWithItsWords) {
  const std::string document = powerpoint(
      "<a:p><a:r><a:rPr lang=\"en-US\" dirty=\"0\"/><a:t>A r</a:t></a:r><a:r><a:rPr "
      "lang=\"en-GB\"/>"
      "<a:t>ed </a:t></a:r><a:r><a:rPr b=\"1\"/><a:t>dog</a:t></a:r><a:r><a:rPr/><a:t> on </a:t>"
      "</a:r><a:fld type=\"slidenum\"><a:t>IV</a:t></a:fld><a:r><a:t>.</a:t></a:r><a:br/>"
      "<a:r><a:t>next</a:t></a:r><a:endParaRPr lang=\"en-US\"/></a:p>");
  EXPECT_THAT(segments_of(DocumentKind::kPptx, document),
              ElementsAre("A red <g0>dog</g0> on <g1/>.", "next"));
  const std::string result =
      translated(DocumentKind::kPptx, document, {"<g1/>: ein roter <g0>Hund</g0>", "dann"});
  const std::string xml = part(result, "ppt/slides/slide1.xml");
  EXPECT_THAT(xml, HasSubstr("<a:r><a:rPr b=\"1\"/><a:t>Hund</a:t></a:r>"));
  EXPECT_THAT(xml, HasSubstr("<a:fld type=\"slidenum\"><a:t>IV</a:t></a:fld><a:r><a:rPr "
                             "lang=\"de-DE\" dirty=\"0\"/><a:t>: ein roter </a:t></a:r>"));
  EXPECT_THAT(xml, HasSubstr("<a:endParaRPr lang=\"de-DE\"/>"));
  EXPECT_THAT(part(result, "ppt/presentation.xml"), HasSubstr("lang=\"de-DE\""));
}

TEST_F(PresentationsTest, NotesTablesAndDescriptionsAreTranslated) {
  const std::string document = powerpoint(
      "<p:pic><p:cNvPr name=\"x\" descr=\"A dog\"/></p:pic><a:tbl><a:tc><a:txBody><a:p><a:r>"
      "<a:t>cell</a:t></a:r></a:p></a:txBody></a:tc></a:tbl>",
      {{"ppt/notesSlides/notesSlide1.xml", slide(shape("note", "<p:ph/>"))},
       {"ppt/comments/comment1.xml",
        "<p:l xmlns:p=\"urn:p\"><p:cm><p:text>remark</p:text></p:cm></p:l>"}});
  EXPECT_THAT(segments_of(DocumentKind::kPptx, document),
              ElementsAre("A dog", "cell", "note", "remark"));
  const std::string result = bracketed(DocumentKind::kPptx, document);
  EXPECT_THAT(part(result, "ppt/slides/slide1.xml"), HasSubstr("name=\"x\" descr=\"[A dog]\""));
  EXPECT_THAT(part(result, "ppt/comments/comment1.xml"), HasSubstr("<p:text>[remark]</p:text>"));
}

// The run that has it is replaced by copies.
TEST_F(PresentationsTest, LinksKeepTheirDescriptions) {
  const std::string link =
      "<a:r><a:rPr><a:hlinkClick tooltip=\"a dog\"/></a:rPr><a:t>dog</a:t></a:r>";
  const std::string document = powerpoint("<a:p><a:r><a:t>the red </a:t></a:r>" + link + "</a:p>");
  EXPECT_THAT(part(bracketed(DocumentKind::kPptx, document), "ppt/slides/slide1.xml"),
              HasSubstr("<a:hlinkClick tooltip=\"[a dog]\"/></a:rPr><a:t>dog</a:t>"));
}

// Their authors see the prompts, the audience sees the rest.
TEST_F(PresentationsTest, PromptsOfLayoutsStay) {
  const std::string shapes = shape("Click to edit", "<p:ph/>") + shape("Confidential");
  const std::string document =
      powerpoint("", {{"ppt/slideLayouts/slideLayout1.xml", slide(shapes)},
                      {"ppt/slideMasters/slideMaster1.xml", slide(shape("Company"))}});
  EXPECT_THAT(segments_of(DocumentKind::kPptx, document), ElementsAre("Confidential", "Company"));
}

TEST_F(PresentationsTest, SlidesRunInTheDirectionOfTheTarget) {
  const std::string document =
      powerpoint("<a:p><a:pPr algn=\"l\"/><a:r><a:t>a</a:t></a:r></a:p>" + shape("b"));
  const std::string xml =
      part(bracketed(DocumentKind::kPptx, document, {"en", "ar"}), "ppt/slides/slide1.xml");
  EXPECT_THAT(xml, HasSubstr("<a:pPr algn=\"r\" rtl=\"1\"/>"));
  EXPECT_THAT(xml, HasSubstr("<a:p><a:pPr rtl=\"1\" algn=\"r\"/><a:r><a:t>[b]"));
}

TEST_F(PresentationsTest, OtherFormatsAreRefused) {
  EXPECT_THAT(problem_of(DocumentKind::kPptx, word("")),
              HasSubstr("not a .pptx document: it has no ppt/presentation.xml"));
  EXPECT_THAT(problem_of(DocumentKind::kXlsx, powerpoint("")),
              HasSubstr("not a .xlsx document: it has no xl/workbook.xml"));
}

TEST_F(PresentationsTest, OpenDocumentPresentations) {
  const std::string document = archive(
      {{"mimetype", "application/vnd.oasis.opendocument.presentation"},
       {"content.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:d=\"urn:d\" xmlns:t=\"urn:t\" xmlns:p=\"urn:p\">"
        "<d:page d:name=\"page1\"><d:frame><d:text-box><t:p>Title</t:p></d:text-box></d:frame>"
        "<d:frame p:placeholder=\"true\"><t:p>Click here</t:p></d:frame>"
        "<p:notes><d:frame><d:text-box><t:p>note</t:p></d:text-box></d:frame></p:notes></d:page>"
        "</o:c>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOdp, document), ElementsAre("Title", "note"));
  EXPECT_THAT(part(bracketed(DocumentKind::kOdp, document), "content.xml"),
              HasSubstr("<d:page d:name=\"page1\"><d:frame><d:text-box><t:p>[Title]</t:p>"));
  EXPECT_THAT(problem_of(DocumentKind::kOds, document), HasSubstr("not a .ods document"));
}

}  // namespace
}  // namespace dietmt::service
