// Word and OpenDocument files, read and written back.
#include <regex>

#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(OfficeDocumentTest, FormattingMovesWithItsWords) {
  const std::string document = word(
      "<w:p><w:pPr><w:t>style</w:t></w:pPr>"
      "<w:r w:rsidR=\"1\"><w:t>A r</w:t></w:r><w:proofErr/>"
      "<w:r w:rsidR=\"2\"><w:rPr><w:lang w:val=\"en\"/></w:rPr><w:t xml:space=\"preserve\">ed "
      "</w:t>"
      "</w:r><w:r><w:rPr><w:b/></w:rPr><w:t>dog</w:t></w:r>"
      "<w:r><w:tab/><w:t>barks</w:t></w:r></w:p><w:p><w:r><w:t>42</w:t></w:r></w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("A red <g0>dog</g0>", "barks"));
  const std::string result =
      translated(DocumentKind::kDocx, document, {"<g0>Hund</g0>, ein roter", "[barks]"});
  const std::string xml = part(result, "word/document.xml");
  EXPECT_THAT(xml,
              HasSubstr("<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">Hund</w:t></w:r>"
                        "<w:r w:rsidR=\"1\"><w:t xml:space=\"preserve\">, ein roter</w:t></w:r>"
                        "<w:proofErr/>"));
  EXPECT_THAT(xml, Not(HasSubstr("dog")));
  EXPECT_THAT(xml, HasSubstr("<w:tab/><w:t xml:space=\"preserve\">[barks]</w:t>"));
  EXPECT_THAT(xml, HasSubstr(">42</w:t>"));
  EXPECT_EQ(part(result, "word/media/picture.png"), std::string(1000, '\x7F'));
  EXPECT_EQ(ZipPackage(result).names(), ZipPackage(document).names());
}

// Their marks say so, since they are no parts of the words before them.
TEST_F(OfficeDocumentTest, RaisedTextHasItsOwnMarks) {
  const auto run = [](const std::string& format, const std::string& text) {
    return "<w:r><w:rPr>" + format + "</w:rPr><w:t>" + text + "</w:t></w:r>";
  };
  EXPECT_THAT(segments_of(DocumentKind::kDocx,
                          word("<w:p>" + run("", "Here") +
                               run("<w:vertAlign w:val=\"superscript\"/>", "2") + run("", " is ") +
                               run("<w:vertAlign w:val=\"baseline\"/>", "it") + "</w:p>")),
              testing::ElementsAre("Here<sup g0>2</sup g0> is <g1>it</g1>"));
  const std::string text =
      archive({{"content.xml",
                "<o:c xmlns:o=\"urn:o\"><o:style o:name=\"A\" o:family=\"text\"><o:text-properties "
                "o:text-position=\"super 58%\"/></o:style><o:p>Here is water<o:span "
                "o:style-name=\"A\">2</o:span> and <o:span "
                "o:style-name=\"B\">now</o:span></o:p></o:c>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOdt, text),
              testing::ElementsAre("Here is water<sup g0>2</sup g0> and <g1>now</g1>"));
}

TEST_F(OfficeDocumentTest, AddressesOfChartsStay) {
  const std::string chart =
      archive({{"content.xml",
                "<o:c xmlns:o=\"urn:o\" xmlns:s=\"urn:svg-compatible\"><o:table-cell><o:p>Price of "
                "it</o:p><o:g><s:desc>"
                "$'Data sheet'.B1</s:desc></o:g><o:g><s:desc>A "
                "picture</s:desc><o:rect/></o:g></o:table-cell></o:c>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOds, chart),
              testing::ElementsAre("Price of it", "A picture"));
}

TEST_F(OfficeDocumentTest, RunsThatTheTranslationEmptiedAreRemoved) {
  const auto xml = [&](const std::string& paragraph) {
    return part(bracketed(DocumentKind::kDocx, word("<w:p>" + paragraph + "</w:p>")),
                "word/document.xml");
  };
  const std::string text = "<w:t xml:space=\"preserve\">";
  EXPECT_THAT(xml("<w:r w:rsidR=\"1\"><w:t>A r</w:t></w:r><w:r w:rsidR=\"2\"><w:t>ed</w:t></w:r>"),
              HasSubstr("<w:p><w:r w:rsidR=\"1\">" + text + "[A red]</w:t></w:r></w:p>"));
  EXPECT_THAT(xml("<w:r><w:t>a </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>"
                  "<w:r><w:t>c</w:t><w:tab/></w:r>"),
              HasSubstr("<w:p><w:r>" + text + "[a </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>" + text +
                        "b</w:t></w:r><w:r>" + text + "c]</w:t></w:r><w:r>" + text +
                        "</w:t><w:tab/></w:r></w:p>"));
  const std::string spans = archive(
      {{"content.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:t=\"urn:t\"><t:p><t:span t:style-name=\"A\">a</t:span>"
        "<t:span t:style-name=\"A\">b</t:span> c <t:span t:style-name=\"B\">d<t:tab/></t:span>"
        "</t:p></o:c>"}});
  EXPECT_THAT(part(bracketed(DocumentKind::kOdt, spans), "content.xml"),
              HasSubstr("<t:p>[<t:span t:style-name=\"A\">ab</t:span> c <t:span "
                        "t:style-name=\"B\">d</t:span>]<t:span t:style-name=\"B\"><t:tab/>"));
}

// Formatting that a translation has lost is not guessed.
TEST_F(OfficeDocumentTest, ATranslationThatLostItsTagsHasOneFormatting) {
  const std::string document =
      word("<w:p><w:r><w:t>A red </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>dog</w:t></w:r></w:p>");
  for (const std::string lost : {"Ein Hund", "<g0>Ein Hund", "Ein <g0/>Hund", "Ein</g0> Hund",
                                 "<g0>Ein</g0> <g0>Hund</g0>", "Ein <g4>Hund</g4>"}) {
    const std::string xml =
        part(translated(DocumentKind::kDocx, document, {lost}), "word/document.xml");
    EXPECT_THAT(xml, HasSubstr("<w:r><w:t xml:space=\"preserve\">Ein Hund</w:t></w:r>")) << lost;
  }
}

TEST_F(OfficeDocumentTest, LinksAreSegmentsOfTheirOwn) {
  const std::string document = word(
      "<w:p><w:r><w:t>see </w:t></w:r><w:hyperlink><w:r><w:t>the page</w:t></w:r></w:hyperlink>"
      "<w:r><w:t> now</w:t></w:r></w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document), ElementsAre("see", "the page", "now"));
}

TEST_F(OfficeDocumentTest, BookmarksAndNotesMoveWithTheirWords) {
  const std::string document = word(
      "<w:p><w:bookmarkStart w:id=\"1\"/><w:r><w:t>the </w:t></w:r><w:bookmarkStart w:id=\"2\"/>"
      "<w:r><w:t>red</w:t></w:r><w:bookmarkEnd w:id=\"2\"/>"
      "<w:r><w:t> house</w:t><w:footnoteReference w:id=\"7\"/><w:t> fe</w:t></w:r>"
      "<w:bookmarkStart w:id=\"3\"/><w:r><w:t>ll</w:t></w:r><w:bookmarkEnd w:id=\"1\"/></w:p>");
  ASSERT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("the <g0/>red<g1/> house<g2/> fell<g3/>"));
  const auto filled = [&](const std::string& text) {
    std::string xml = part(translated(DocumentKind::kDocx, document, {text}), "word/document.xml");
    for (const std::string noise :
         {"<w:r><w:t xml:space=\"preserve\"></w:t></w:r>",
          "<w:r><w:t xml:space=\"preserve\"/></w:r>", " xml:space=\"preserve\"", "<w:r>", "</w:r>"})
      for (size_t at = xml.find(noise); at != xml.npos; at = xml.find(noise))
        xml.erase(at, noise.size());
    return xml;
  };
  const std::string start = "<w:bookmarkStart w:id=\"2\"/>", end = "<w:bookmarkEnd w:id=\"2\"/>";
  const std::string note = "<w:footnoteReference w:id=\"7\"/>";
  const std::string third = "<w:bookmarkStart w:id=\"3\"/>";
  EXPECT_THAT(filled("la maison<g2/> <g0/>rouge<g1/> tomba<g3/>"),
              HasSubstr("<w:bookmarkStart w:id=\"1\"/><w:t>la maison</w:t>" + note +
                        "<w:t> </w:t>" + start + "<w:t>rouge</w:t>" + end + "<w:t> tomba</w:t>" +
                        third + "<w:bookmarkEnd w:id=\"1\"/>"));
  // A range does not end before it begins.
  EXPECT_THAT(filled("a<g1/> b<g0/> c<g2/><g3/>"),
              HasSubstr("<w:t>a</w:t>" + start + "<w:t> b</w:t>" + end + "<w:t> c</w:t>" + note));
  EXPECT_THAT(filled("lost <g0/>"), HasSubstr("<w:t>lost </w:t>" + start + end + note + third));
}

TEST_F(OfficeDocumentTest, TrackedInsertionsBelongToTheirSentence) {
  const std::string run = "<w:r><w:t xml:space=\"preserve\">";
  const std::string document =
      word("<w:p>" + run + "the </w:t></w:r><w:ins w:id=\"5\" w:author=\"A\">" + run +
           "very </w:t></w:r>" + run +
           "red</w:t></w:r><w:r><w:footnoteReference w:id=\"7\"/></w:r>"
           "</w:ins><w:del w:id=\"6\"><w:r><w:delText>green</w:delText></w:r></w:del>" +
           run + " house fell</w:t></w:r></w:p>");
  ASSERT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("the <g0>very red</g0><g1/><g2/> house fell"));
  const std::string xml = part(translated(DocumentKind::kDocx, document,
                                          {"la maison <g0>tr\u00E8s rouge</g0><g1/><g2/> tomba"}),
                               "word/document.xml");
  const std::string insertion = "<w:ins w:id=\"5\" w:author=\"A\">";
  EXPECT_THAT(xml, HasSubstr(run + "la maison </w:t></w:r>" + insertion + run +
                             "tr\u00E8s rouge</w:t></w:r></w:ins>" + insertion +
                             "<w:r><w:footnoteReference w:id=\"7\"/></w:r></w:ins>"
                             "<w:del w:id=\"6\"><w:r><w:delText>green</w:delText></w:r></w:del>" +
                             run + " tomba</w:t></w:r>"));
  EXPECT_THAT(xml, Not(HasSubstr("very")));
  EXPECT_THAT(xml, Not(HasSubstr(insertion + "<w:r><w:t xml:space=\"preserve\"/>")));
}

TEST_F(OfficeDocumentTest, TabsInTrackedInsertionsStay) {
  const std::string inserted =
      "<w:p><w:r><w:t xml:space=\"preserve\">A man is </w:t></w:r><w:ins w:id=\"1\"><w:r>"
      "<w:t>riding.</w:t><w:tab/><w:t>A dog runs</w:t><w:br/></w:r></w:ins>";
  const std::string bold =
      "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\"> in a field of grass.</w:t></w:r>";
  const auto shown = [&](const std::string& paragraph) {
    const std::string document = word(paragraph + "</w:p>");
    std::string xml = part(unchanged(DocumentKind::kDocx, document), "word/document.xml");
    xml = std::regex_replace(xml, std::regex("<w:(tab|br)/>"), "|");
    return std::regex_replace(xml, std::regex("<[^>]*>|\n"), "");
  };
  EXPECT_EQ(shown(inserted), "A man is riding.|A dog runs|");
  EXPECT_EQ(shown(inserted + bold), "A man is riding.|A dog runs| in a field of grass.");
  const std::string without_break = std::regex_replace(inserted, std::regex("<w:br/>"), "");
  EXPECT_EQ(shown(without_break + bold), "A man is riding.|A dog runs in a field of grass.");
}

// It says nothing about the format of the text.
TEST_F(OfficeDocumentTest, ABlankFirstRunGivesTheParagraphNoFormat) {
  const std::string spaced = "<w:t xml:space=\"preserve\">";
  const auto translated_with = [&](const std::string& first) {
    const std::string document = word("<w:p>" + first + "<w:r><w:t>A man.</w:t></w:r></w:p>");
    return part(bracketed(DocumentKind::kDocx, document), "word/document.xml");
  };
  for (const std::string blank : {"", " "}) {
    const std::string bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>" + blank + "</w:t></w:r>";
    EXPECT_THAT(translated_with(bold),
                HasSubstr("<w:r>" + spaced + blank + "[A man.]</w:t></w:r></w:p>"));
    EXPECT_THAT(translated_with("<w:ins w:id=\"1\">" + bold + "</w:ins>"),
                HasSubstr("<w:p><w:r>" + spaced + blank + "[A man.]</w:t></w:r></w:p>"));
  }
  const std::string open_document = archive(
      {{"content.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:t=\"urn:t\"><t:p><t:span t:style-name=\"B\"> </t:span>A man."
        "</t:p></o:c>"}});
  EXPECT_THAT(part(bracketed(DocumentKind::kOdt, open_document), "content.xml"),
              HasSubstr("> [A man.]</t:p>"));
}

TEST_F(OfficeDocumentTest, RunsOfOtherThingsStayApart) {
  const std::string document = word(
      "<w:p><w:r><w:t>one</w:t><w:footnoteReference/><w:t>two</w:t><w:tab/></w:r>"
      "<w:ins><w:sdt/><w:r><w:t>three</w:t></w:r></w:ins><w:ins> </w:ins><w:ins/>"
      "<w:ins><w:bookmarkStart w:id=\"1\"/></w:ins><w:r><w:t>four</w:t></w:r></w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(part(unchanged(DocumentKind::kDocx, document), "word/document.xml"),
              HasSubstr("<w:footnoteReference/>"));
}

// Their runs and texts have the same names as Word's.
TEST_F(OfficeDocumentTest, FormulasStayAndMoveWithTheirWords) {
  const std::string formula =
      "<m:oMath xmlns:m=\"urn:m\"><m:r><w:rPr><w:i/></w:rPr><m:t>speed</m:t></m:r></m:oMath>";
  const std::string document =
      word("<w:p><w:r><w:t>the </w:t></w:r>" + formula +
           "<w:r><w:t> of light</w:t></w:r></w:p><w:p><m:oMathPara xmlns:m=\"urn:m\">" + formula +
           "</m:oMathPara></w:p><w:p><w:ins w:id=\"5\">" + formula + "</w:ins></w:p>");
  ASSERT_THAT(segments_of(DocumentKind::kDocx, document), ElementsAre("the <g0/> of light"));
  const std::string xml =
      part(translated(DocumentKind::kDocx, document, {"Licht hat <g0/>"}), "word/document.xml");
  EXPECT_THAT(xml, HasSubstr("Licht hat </w:t></w:r>" + formula));
}

// Page numbers and the like move as a whole; a link is text.
TEST_F(OfficeDocumentTest, FieldsKeepTheirInstructions) {
  const auto mark = [](const std::string& type) {
    return "<w:r><w:fldChar w:fldCharType=\"" + type + "\"/></w:r>";
  };
  const auto field = [&](const std::string& instruction, const std::string& result) {
    return mark("begin") + "<w:r><w:instrText>" + instruction + "</w:instrText></w:r>" +
           mark("separate") + "<w:r><w:t>" + result + "</w:t></w:r>" + mark("end");
  };
  const std::string page = field(" PAGEREF a \\h", "IV"), link = field("HYPERLINK x", "there");
  const std::string simple =
      "<w:fldSimple w:instr=\"AUTHOR\"><w:r><w:t>Ann</w:t></w:r></w:fldSimple>";
  const std::string document = word(
      "<w:p><w:r><w:t>on page </w:t></w:r>" + page + "<w:r><w:t> by </w:t></w:r>" + simple +
      "<w:r><w:t> or </w:t></w:r>" + link + "<w:r><w:t>.</w:t></w:r></w:p><w:p>" + mark("begin") +
      "<w:r><w:instrText>TOC</w:instrText></w:r>" + mark("separate") + "<w:r><w:t>One</w:t></w:r>" +
      "</w:p><w:p><w:r><w:t>see</w:t><w:fldChar w:fldCharType=\"begin\"/></w:r>" + mark("end") +
      "</w:p>");
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("on page <g0/> by <g1/> or", "there", "One", "see"));
  const std::string xml = part(translated(DocumentKind::kDocx, document,
                                          {"von <g1/> auf <g0/> oder", "dort", "Eins", "siehe"}),
                               "word/document.xml");
  EXPECT_THAT(xml, HasSubstr("von </w:t></w:r>" + simple));
  EXPECT_THAT(xml, HasSubstr("auf </w:t></w:r>" + page));
  EXPECT_THAT(xml, Not(HasSubstr("unit")));
}

TEST_F(OfficeDocumentTest, LabelsAndHyphensCutNoWords) {
  const std::string document = word(
      "<w:p><w:r><w:t>the co</w:t><w:softHyphen/><w:t>oper</w:t></w:r>"
      "<w:smartTag><w:smartTagPr/><w:r><w:t>ation of A</w:t><w:noBreakHyphen/></w:r>"
      "<w:customXml><w:customXmlPr><w:t>no</w:t></w:customXmlPr><w:r><w:t>Z and</w:t></w:r>"
      "</w:customXml></w:smartTag><w:ins w:id=\"5\"><w:smartTag xmlns:v=\"urn:w\"><v:r><v:t> "
      "Ulm</v:t></v:r></w:smartTag></w:ins></w:p>");
  EXPECT_THAT(part(bracketed(DocumentKind::kDocx,
                             word("<w:p><w:r><w:t>a</w:t></w:r><w:r><w:rPr/><w:softHyphen/></w:r>"
                                  "<w:r><w:t>b</w:t></w:r></w:p>")),
                   "word/document.xml"),
              HasSubstr("[ab]</w:t></w:r></w:p>"));
  ASSERT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("the cooperation of A\u2011Z and<g0> Ulm</g0>"));
  const std::string xml = part(bracketed(DocumentKind::kDocx, document), "word/document.xml");
  EXPECT_THAT(xml, HasSubstr("[the cooperation of A\u2011Z and</w:t>"));
  EXPECT_THAT(xml, Not(HasSubstr("customXml")));
}

// One long format would be copied to many short texts.
TEST_F(OfficeDocumentTest, CopiesHaveABound) {
  const std::string note = "<w:t>a</w:t><w:footnoteReference w:id=\"1\"/>";
  const auto document = [&](size_t bytes, int notes) {
    std::string content = "<w:rPr><w:x w:y=\"" + std::string(bytes, 'x') + "\"/></w:rPr>";
    for (int i = 0; i < notes; ++i) content += note;
    return word("\n<w:p><w:r>" + content + "</w:r></w:p>");
  };
  EXPECT_EQ(problem_of(DocumentKind::kDocx, document(1000, 300)), "none");
  EXPECT_THAT(problem_of(DocumentKind::kDocx, document(100'000, 100)),
              HasSubstr("line 2: this formatting is too long to be repeated"));
}

TEST_F(OfficeDocumentTest, HeadersNotesAndTextBoxes) {
  const std::string paragraph = "<w:p><w:r><w:t>";
  const std::string end = "</w:t></w:r></w:p>";
  const std::string document = archive(
      {{"word/document.xml", "<w:d xmlns:w=\"urn:w\"><w:p><w:r><w:t>outer</w:t><w:pict>" +
                                 paragraph + "boxed" + end + "</w:pict></w:r></w:p></w:d>"},
       {"word/header1.xml", "<w:h xmlns:w=\"urn:w\">" + paragraph + "top" + end + "</w:h>"},
       {"word/footnotes.xml", "<w:f xmlns:w=\"urn:w\">" + paragraph + "note" + end + "</w:f>"},
       {"word/styles.xml", "<w:s xmlns:w=\"urn:w\">" + paragraph + "no" + end + "</w:s>"}});
  EXPECT_THAT(segments_of(DocumentKind::kDocx, document),
              ElementsAre("outer", "boxed", "top", "note"));
}

TEST_F(OfficeDocumentTest, OpenDocumentText) {
  const std::string document = archive(
      {{"mimetype", "application/vnd.oasis.opendocument.text"},
       {"content.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:t=\"urn:t\"><o:s>style</o:s><t:h>Title</t:h><t:p>One "
        "<t:span t:style-name=\"B\">two</t:span> three<t:line-break/>four<o:annotation><t:p>x</t:p>"
        "</o:annotation></t:p><t:p/></o:c>"},
       {"styles.xml", "<o:s xmlns:o=\"urn:o\" xmlns:t=\"urn:t\"><t:p>Footer</t:p></o:s>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOdt, document),
              ElementsAre("Title", "One <g0>two</g0> three", "four", "x", "Footer"));
  const std::string result = bracketed(DocumentKind::kOdt, document);
  EXPECT_THAT(
      part(result, "content.xml"),
      HasSubstr("<t:h>[Title]</t:h><t:p>[One <t:span t:style-name=\"B\">two</t:span> three]"));
  EXPECT_THAT(part(result, "content.xml"),
              HasSubstr("<t:line-break/>[four]<o:annotation><t:p>[x]</t:p>"));
  EXPECT_EQ(ZipPackage(result).names().front(), "mimetype");
}

TEST_F(OfficeDocumentTest, BookmarksOfOpenDocumentMoveWithTheirWords) {
  const std::string document = archive(
      {{"content.xml",
        "<o:c xmlns:o=\"urn:o\" xmlns:t=\"urn:t\"><t:p>the <t:bookmark-start t:name=\"a\"/>red"
        "<t:bookmark-end t:name=\"a\"/> house<t:soft-page-break/> fell</t:p></o:c>"}});
  ASSERT_THAT(segments_of(DocumentKind::kOdt, document),
              ElementsAre("the <g0/>red<g1/> house<g2/> fell"));
  EXPECT_THAT(part(translated(DocumentKind::kOdt, document, {"la maison<g2/> <g0/>rouge<g1/>"}),
                   "content.xml"),
              HasSubstr("<t:p>la maison<t:soft-page-break/> <t:bookmark-start t:name=\"a\"/>rouge"
                        "<t:bookmark-end t:name=\"a\"/></t:p>"));
}

}  // namespace
}  // namespace dietmt::service
