// Which parts of an office document are translated.
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kWord = "application/vnd.openxmlformats-officedocument.wordprocessingml.";

std::string override_of(const std::string& name, const std::string& type) {
  return "<Override PartName=\"" + name + "\" ContentType=\"" + type + "\"/>";
}

std::string paragraph(const std::string& text) {
  return "<w:p xmlns:w=\"urn:w\"><w:r><w:t>" + text + "</w:t></w:r></w:p>";
}

class OfficePartsTest : public OfficeDocumentTest {
 protected:
  std::string of_types(const std::string& types, Parts parts) {
    parts.insert(parts.begin(), {"[Content_Types].xml", "<Types>" + types + "</Types>"});
    return archive(parts);
  }
};

TEST_F(OfficePartsTest, ThePackageNamesThePartsOfWord) {
  const std::string document =
      of_types(override_of("/Word/Document2.xml", kWord + "document.main+xml") +
                   override_of("/other.xml", kWord + "footer+xml") +
                   override_of("/word/header1.xml", "application/xml"),
               {{"word/document2.xml", "<w:d xmlns:w=\"urn:w\">" + paragraph("text") + "</w:d>"},
                {"other.xml", paragraph("footer")},
                {"word/header1.xml", paragraph("data")}});
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document), ElementsAre("text", "footer"));
  const std::string by_default =
      of_types("<Default Extension=\"XML\" ContentType=\"" + kWord + "document.main+xml\"/>",
               {{"a.xml", paragraph("text")}});
  EXPECT_THAT(segments_of(DocumentKind::kDocx, by_default), ElementsAre("text"));
}

TEST_F(OfficePartsTest, CommentsDescriptionsAndPropertiesAreTranslated) {
  const std::string document = archive(
      {{"word/document.xml",
        "<w:d xmlns:w=\"urn:w\"><w:p><w:r><w:drawing><d:docPr xmlns:d=\"urn:d\" name=\"Picture\" "
        "descr=\"A dog\" title=\"Pets\"/></w:drawing></w:r></w:p><w:sdtPr><w:dropDownList>"
        "<w:listItem w:displayText=\"Yes\" w:value=\"Yes\"/></w:dropDownList></w:sdtPr></w:d>"},
       {"word/comments.xml", paragraph("remark")},
       {"docProps/core.xml",
        "<c:coreProperties xmlns:c=\"urn:c\" xmlns:d=\"http://purl.org/dc/elements/1.1/\">"
        "<d:title>Report</d:title><d:creator>Ann Smith</d:creator><d:language>en</d:language>"
        "</c:coreProperties>"}});
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("A dog", "Pets", "Yes", "remark", "Report"));
  const std::string result = bracketed(DocumentKind::kDocx, document);
  EXPECT_THAT(part(result, "word/document.xml"),
              HasSubstr("name=\"Picture\" descr=\"[A dog]\" title=\"[Pets]\""));
  EXPECT_THAT(part(result, "word/document.xml"),
              HasSubstr("w:displayText=\"[Yes]\" w:value=\"Yes\""));
  EXPECT_THAT(part(result, "docProps/core.xml"),
              HasSubstr("<d:title>[Report]</d:title><d:creator>Ann Smith</d:creator>"
                        "<d:language>de-DE</d:language>"));
}

TEST_F(OfficePartsTest, DiagramsAndChartsAreTranslated) {
  const std::string drawing = "http://schemas.openxmlformats.org/drawingml/2006/";
  const std::string text = "<a:p xmlns:a=\"" + drawing +
                           "main\"><a:r><a:rPr lang=\"en-US\" b=\"1\"/><a:t>Step</a:t></a:r></a:p>";
  const std::string type = "application/vnd.openxmlformats-officedocument.drawingml.";
  const std::string document = of_types(
      override_of("/word/document.xml", kWord + "document.main+xml") +
          override_of("/word/diagrams/data1.xml", type + "diagramData+xml") +
          override_of("/word/diagrams/drawing1.xml",
                      "application/vnd.ms-office.drawingml.diagramDrawing+xml") +
          override_of("/word/charts/chart1.xml", type + "chart+xml"),
      {{"word/document.xml", "<w:d xmlns:w=\"urn:w\"/>"},
       {"word/diagrams/data1.xml", "<d:m xmlns:d=\"urn:d\"><d:t>" + text + "</d:t></d:m>"},
       {"word/diagrams/drawing1.xml", "<d:m xmlns:d=\"urn:d\">" + text + "</d:m>"},
       {"word/charts/chart1.xml",
        "<c:c xmlns:c=\"" + drawing +
            "chart\"><c:strCache><c:pt><c:v>Sales</c:v></c:pt></c:strCache><c:numCache><c:pt>"
            "<c:v>1.5</c:v></c:pt></c:numCache><c:f>Sheet1!$A$1</c:f></c:c>"},
       {"word/embeddings/sheet.xlsx", "x"}});
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document), ElementsAre("Step", "Sales"));
  const std::string result = bracketed(DocumentKind::kDocx, document);
  for (const std::string name : {"word/diagrams/data1.xml", "word/diagrams/drawing1.xml"})
    EXPECT_THAT(part(result, name), HasSubstr("<a:rPr lang=\"de-DE\" b=\"1\"/><a:t>[Step]</a:t>"));
  EXPECT_THAT(part(result, "word/charts/chart1.xml"), HasSubstr("<c:v>[Sales]</c:v>"));
  EXPECT_THAT(open_document(DocumentKind::kDocx, document, {"en", "de"})->left_out(),
              ElementsAre("word/embeddings/sheet.xlsx"));
}

// Word shows the first, older programs the second.
TEST_F(OfficePartsTest, BothBranchesOfATextBoxAreOneText) {
  const std::string box = "<w:box>" + paragraph("boxed") + "</w:box>";
  const std::string document =
      word("<w:p><w:r><mc:AlternateContent xmlns:mc=\"urn:mc\"><mc:Choice>" + box +
           "</mc:Choice><mc:Fallback>" + box + "</mc:Fallback></mc:AlternateContent></w:r></w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document), ElementsAre("boxed"));
  const std::string xml = part(bracketed(DocumentKind::kDocx, document), "word/document.xml");
  const size_t first = xml.find("[boxed]");
  EXPECT_NE(xml.find("[boxed]", first + 1), xml.npos);
}

TEST_F(OfficePartsTest, PartsWithoutTextKeepTheirBytes) {
  const std::string spaced = "<w:f xmlns:w=\"urn:w\"  ><w:p ><w:r><w:t>1</w:t></w:r></w:p></w:f>\n";
  const std::string document =
      archive({{"word/document.xml", paragraph("text")}, {"word/footer1.xml", spaced}});
  EXPECT_EQ(part(bracketed(DocumentKind::kDocx, document), "word/footer1.xml"), spaced);
}

TEST_F(OfficePartsTest, PartsOfOpenDocument) {
  const std::string text = "<t:p xmlns:t=\"urn:t\">";
  const std::string document =
      archive({{"mimetype", "application/vnd.oasis.opendocument.text"},
               {"content.xml",
                "<o:c xmlns:o=\"urn:o\">" + text +
                    "A <d:frame xmlns:d=\"urn:d\"><s:title xmlns:s=\"urn:svg-compatible:1.0\">Dog"
                    "</s:title><d:text-box><t:p>boxed</t:p></d:text-box></d:frame>house<t:note>"
                    "<t:note-citation>a</t:note-citation><t:note-body><t:p>note</t:p></t:note-body>"
                    "</t:note> on page <t:page-number>V</t:page-number> fell.</t:p></o:c>"},
               {"Object 1/content.xml", "<o:c xmlns:o=\"urn:o\">" + text + "embedded</t:p></o:c>"},
               {"Object 2", "x"},
               {"meta.xml",
                "<o:meta xmlns:o=\"urn:o\"><d:title xmlns:d=\"urn:d\">Report</d:title>"
                "<d:creator xmlns:d=\"urn:d\">Ann</d:creator></o:meta>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOdt, document),
              ElementsAre("A <g0/>house<g1/> on page <g2/> fell.", "Dog", "boxed", "note",
                          "embedded", "Report"));
  EXPECT_THAT(open_document(DocumentKind::kOdt, document, {"en", "de"})->left_out(),
              ElementsAre("Object 2"));
  const std::string xml = part(bracketed(DocumentKind::kOdt, document), "content.xml");
  for (const std::string one : {">[Dog]<", ">[boxed]<", ">[note]<", ">V<", ">a<"})
    EXPECT_THAT(xml, HasSubstr(one));
  EXPECT_THAT(problem_of(DocumentKind::kOdt, archive({{"mimetype", "application/x"}})),
              HasSubstr("not a .odt document: its type is application/x"));
}

}  // namespace
}  // namespace dietmt::service
