// Marks of language and direction, and text in no language.
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OfficeLanguageTest : public OfficeDocumentTest {
 protected:
  static std::string in(const std::string& target, DocumentKind kind, const std::string& document,
                        const std::string& name) {
    return part(bracketed(kind, document, {"en", target}), name);
  }

  std::string styled(const std::string& styles, const std::string& body) {
    return archive(
        {{"word/styles.xml", "<w:styles xmlns:w=\"urn:w\">" + styles + "</w:styles>"},
         {"word/document.xml", "<w:document xmlns:w=\"urn:w\">" + body + "</w:document>"}});
  }
};

TEST_F(OfficeLanguageTest, WordGetsTheTargetLanguageByItsScript) {
  const std::string document =
      styled("<w:rPrDefault><w:rPr/></w:rPrDefault>",
             "<w:p><w:r><w:rPr><w:lang w:val=\"en-US\" w:eastAsia=\"en-US\"/></w:rPr><w:t>a</w:t>"
             "</w:r></w:p>");
  const auto marks = [&](const std::string& target) {
    return in(target, DocumentKind::kDocx, document, "word/document.xml");
  };
  EXPECT_THAT(marks("de"), HasSubstr("<w:lang w:val=\"de-DE\" w:eastAsia=\"en-US\"/>"));
  EXPECT_THAT(marks("pt-PT"), HasSubstr("<w:lang w:val=\"pt-PT\" w:eastAsia=\"en-US\"/>"));
  EXPECT_THAT(marks("zh-Hant"), HasSubstr("<w:lang w:val=\"en-US\" w:eastAsia=\"zh-TW\"/>"));
  EXPECT_THAT(marks("he"),
              HasSubstr("<w:lang w:val=\"en-US\" w:eastAsia=\"en-US\" w:bidi=\"he-IL\"/>"));
  EXPECT_THAT(in("de", DocumentKind::kDocx, document, "word/styles.xml"),
              HasSubstr("<w:rPr><w:lang w:val=\"de-DE\"/></w:rPr>"));
}

TEST_F(OfficeLanguageTest, WordRunsInTheDirectionOfTheTarget) {
  const std::string document = styled(
      "",
      "<w:p><w:pPr><w:keepNext/><w:jc w:val=\"left\"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p>"
      "<w:tbl><w:tblPr><w:tblW/></w:tblPr></w:tbl><w:sectPr><w:cols/><w:docGrid/></w:sectPr>");
  const std::string xml = in("ar", DocumentKind::kDocx, document, "word/document.xml");
  EXPECT_THAT(xml, HasSubstr("<w:pPr><w:keepNext/><w:bidi/><w:jc w:val=\"left\"/></w:pPr>"
                             "<w:r><w:rPr><w:rtl/></w:rPr>"));
  EXPECT_THAT(xml, HasSubstr("<w:tblPr><w:bidiVisual/><w:tblW/></w:tblPr>"));
  EXPECT_THAT(xml, HasSubstr("<w:cols/><w:bidi/><w:docGrid/>"));
  const std::string arabic = archive({{"word/document.xml", xml}});
  const std::string back =
      part(bracketed(DocumentKind::kDocx, arabic, {"ar", "en"}), "word/document.xml");
  EXPECT_THAT(back, Not(HasSubstr("<w:bidi")));
  EXPECT_THAT(back, Not(HasSubstr("<w:rtl")));
}

TEST_F(OfficeLanguageTest, OpenDocumentGetsLanguageAndDirection) {
  const std::string styles =
      "<o:s xmlns:o=\"urn:o\" xmlns:f=\"urn:f\" xmlns:s=\"urn:s\"><s:default-style>"
      "<s:paragraph-properties/><s:text-properties f:language=\"en\" f:country=\"GB\" "
      "s:language-complex=\"zxx\" s:country-complex=\"none\"/></s:default-style>"
      "<s:style s:name=\"Code\"><s:text-properties f:language=\"zxx\" f:country=\"none\"/>"
      "</s:style></o:s>";
  const std::string document =
      archive({{"content.xml", "<t:p xmlns:t=\"urn:t\">a</t:p>"}, {"styles.xml", styles}});
  const std::string german = in("de", DocumentKind::kOdt, document, "styles.xml");
  EXPECT_THAT(german, HasSubstr("<s:paragraph-properties/><s:text-properties f:language=\"de\" "
                                "f:country=\"DE\" s:language-complex=\"zxx\""));
  EXPECT_THAT(german, HasSubstr("f:language=\"zxx\" f:country=\"none\"/></s:style>"));
  EXPECT_THAT(in("ar", DocumentKind::kOdt, document, "styles.xml"),
              HasSubstr("<s:paragraph-properties s:writing-mode=\"rl-tb\"/><s:text-properties "
                        "f:language=\"en\" f:country=\"GB\" s:language-complex=\"ar\" "
                        "s:country-complex=\"EG\""));
}

TEST_F(OfficeLanguageTest, CodeInWordStays) {
  const std::string styles =
      "<w:style w:styleId=\"S\"><w:name w:val=\"Source Code\"/></w:style>"
      "<w:style w:styleId=\"V\"><w:name w:val=\"Verbatim Char\"/></w:style>"
      "<w:style w:styleId=\"K\"><w:name w:val=\"KeywordTok\"/><w:basedOn w:val=\"V\"/></w:style>"
      "<w:style w:styleId=\"T\"><w:name w:val=\"toc 1\"/></w:style>"
      "<w:style w:styleId=\"Loop\"><w:name w:val=\"Loop\"/><w:basedOn w:val=\"Loop\"/></w:style>";
  const auto run = [](const std::string& properties, const std::string& text) {
    return "<w:r><w:rPr>" + properties + "</w:rPr><w:t>" + text + "</w:t></w:r>";
  };
  const std::string code = run("<w:rStyle w:val=\"K\"/>", "ls -l");
  const std::string document = styled(
      styles, "<w:p><w:pPr><w:pStyle w:val=\"S\"/></w:pPr>" + run("", "int main") + "</w:p>" +
                  "<w:p><w:pPr><w:pStyle w:val=\"Loop\"/></w:pPr>" + run("", "call ") + code +
                  run("", " now") + run("<w:lang w:val=\"zxx\"/>", "grep") +
                  run("<w:noProof/>", "awk") + run("", "!") + "</w:p><w:p><w:pPr><w:pStyle " +
                  "w:val=\"T\"/></w:pPr>" + run("<w:noProof/>", "Chapter") + "</w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("call <g0/> now<g1/><g2/>!", "Chapter"));
  const std::string xml = in("ar", DocumentKind::kDocx, document, "word/document.xml");
  EXPECT_THAT(xml, HasSubstr("<w:pPr><w:pStyle w:val=\"S\"/></w:pPr><w:r>"));
  EXPECT_THAT(xml, HasSubstr(code));
}

// A program may mark all of its text.
TEST_F(OfficeLanguageTest, ADocumentOfNothingButCodeIsText) {
  EXPECT_THAT(
      segments_of(DocumentKind::kDocx,
                  styled("<w:style w:styleId=\"S\"><w:name w:val=\"Source Code\"/></w:style>",
                         "<w:p><w:pPr><w:pStyle w:val=\"S\"/></w:pPr><w:r><w:t>text</w:t></w:r>"
                         "</w:p>")),
      ElementsAre("text"));
  EXPECT_THAT(
      segments_of(
          DocumentKind::kOdt,
          archive({{"content.xml",
                    "<o:c xmlns:o=\"urn:o\"><o:style o:family=\"paragraph\" o:name=\"P1\" "
                    "o:parent-style-name=\"P0\"/><o:p o:style-name=\"P1\">text</o:p></o:c>"},
                   {"styles.xml",
                    "<o:c xmlns:o=\"urn:o\"><o:style o:family=\"paragraph\" "
                    "o:name=\"P0\" o:display-name=\"Preformatted Text\"/></o:c>"},
                   {"meta.xml", "<o:meta xmlns:o=\"urn:o\"><o:title>Title</o:title></o:meta>"}})),
      ElementsAre("Title", "text"));
  EXPECT_THAT(segments_of(DocumentKind::kDocx,
                          word("<w:p><w:r><w:rPr><w:noProof/></w:rPr><w:t>text</w:t></w:r></w:p>")),
              ElementsAre("text"));
}

TEST_F(OfficeLanguageTest, CodeInOpenDocumentStays) {
  const auto style = [](const std::string& attributes, const std::string& family) {
    return "<s:style s:family=\"" + family + "\" " + attributes + "/>";
  };
  EXPECT_THAT(segments_of(DocumentKind::kOdt,
                          archive({{"content.xml",
                                    "<o:c xmlns:t=\"urn:t\" xmlns:o=\"urn:o\"><t:style "
                                    "t:family=\"text\" t:name=\"Source_Text\"/><t:p>call "
                                    "<t:span t:style-name=\"Source_Text\">ls</t:span> now"
                                    "</t:p></o:c>"}})),
              ElementsAre("call <g0/> now"));
  const std::string content =
      "<o:c xmlns:o=\"urn:o\" xmlns:s=\"urn:s\" xmlns:t=\"urn:t\">" +
      style("s:name=\"P1\" s:parent-style-name=\"Preformatted_20_Text\"", "paragraph") +
      style("s:name=\"T1\" s:parent-style-name=\"Source_20_Text\"", "text") +
      "<t:p t:style-name=\"P1\">int main</t:p><t:p t:style-name=\"T1\">call <t:span "
      "t:style-name=\"T1\">ls</t:span> now</t:p></o:c>";
  const std::string document = archive(
      {{"content.xml", content},
       {"styles.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:s=\"urn:s\" xmlns:t=\"urn:t\">" +
            style("s:name=\"Preformatted_20_Text\" s:display-name=\"Preformatted Text\"",
                  "paragraph") +
            style("s:name=\"Source_20_Text\"", "text") + style("s:name=\"P1\"", "paragraph") +
            "<t:p t:style-name=\"P1\">Header</t:p></o:c>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOdt, document), ElementsAre("call <g0/> now", "Header"));
}

}  // namespace
}  // namespace dietmt::service
