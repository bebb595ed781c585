// Documents built to take long cost time in proportion to their size.
#include "tests/service/documents/document_cost.h"

#include <functional>

#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

class DocumentCostTest : public OfficeDocumentTest {
 protected:
  using Make = std::function<std::string(size_t bytes)>;

  static void expect_linear(DocumentKind kind, const std::string& name, const Make& make) {
    expect_linear_cost(kind, name, make);
  }

  // Documents of repeated texts, between a beginning and an end.
  void expect_linear(DocumentKind kind, const std::vector<std::string>& texts,
                     const std::function<std::string(const std::string&)>& document) {
    for (const std::string& text : texts) {
      expect_linear(kind, text, [&](size_t bytes) { return document(repeated(text, bytes)); });
    }
  }
};

std::string itself(const std::string& text) { return text; }

// Parts of all texts, in which placeholders, references and tags may begin.
const std::vector<std::string> kTexts = {
    "g",        "a\n",          "{",         "{a, plural, ",
    "{a:",      "${",           "$a",        "{{",
    "{% ",      "{\\",          "%",         "%(",
    "%(a)",     "a<b c='",      "a<b c='<%", "a<1",
    "a{\"",     "a {0} ",       "a {# ",     "'{' {a, select, ",
    "\xC2\xA0", "\xE2\x80\x9C", "a {0}, ",   "({0}",
    "-",        "\"%s\"",       "a."};

TEST_F(DocumentCostTest, OfText) {
  expect_linear(DocumentKind::kTxt, kTexts, itself);
  expect_linear(DocumentKind::kTxt, kTexts, [](const std::string& text) { return text + " word"; });
}

TEST_F(DocumentCostTest, OfHtml) {
  expect_linear(DocumentKind::kHtml, kTexts,
                [](const std::string& text) { return "<p>a" + text + "</p>"; });
  expect_linear(DocumentKind::kHtml,
                {"<",
                 "</",
                 "&",
                 "&amp",
                 "&#",
                 "&lt;g",
                 "a&lt;",
                 "<b>a",
                 "</b>a",
                 "<b>a</i>",
                 "<p>a",
                 "</p>",
                 "<li>a",
                 "<table><td>a",
                 "<pre>a\n",
                 "<!--",
                 "<!-- -->a",
                 "<!-- -->",
                 "<a b='",
                 "<a b=",
                 "<code>",
                 "<code>a</code>",
                 "<code><code>a</code>",
                 "<code \"",
                 "</code>",
                 "<script>",
                 "<textarea><script>",
                 "<p translate=no>a",
                 "<b translate=yes><i translate=no>a</b>",
                 "<span translate=no>a</span>b",
                 "<x@>a",
                 "<meta charset=x>",
                 "<meta http-equiv=content-type ",
                 "<meta content='charset=",
                 "<?xml encoding='",
                 "a<br>",
                 "a  \n",
                 "<b></b>a",
                 "<img>a <img> ",
                 "<img alt='a b' title=c>d",
                 "<p title='a'>b",
                 "<p lang=fr>a",
                 "<p class='a b c notranslate'>a",
                 "<pre>",
                 "<pre>a b c d.",
                 "<![CDATA["},
                itself);
  for (const std::string begin : {"<p>a&lt;", "<a ", "<meta ", "<p>&", "<code>", "<!--"})
    expect_linear(DocumentKind::kHtml, begin,
                  [&](size_t bytes) { return begin + repeated("g", bytes); });
  expect_linear(DocumentKind::kHtml, "attributes",
                [](size_t bytes) { return "<meta" + repeated(" a@=b", bytes) + "><p>a"; });
  for (const std::string name : {"content", "value", "title", "lang"})
    expect_linear(DocumentKind::kHtml, "attributes " + name, [&](size_t bytes) {
      return "<meta name=description" + repeated(" " + name + "=b", bytes) + "><p>a";
    });
}

TEST_F(DocumentCostTest, OfSubtitles) {
  const std::string times = "00:00:01,000 --> 00:00:02,000\n";
  const std::vector<std::string> texts = {"a\n",
                                          "<i>a</i>\n",
                                          "- a\n",
                                          "{\\an8}a\n",
                                          "a {0} ",
                                          "<i>",
                                          "<i>a\n</i>",
                                          "</i>",
                                          "<",
                                          "<a ",
                                          "{\\",
                                          "{",
                                          "[",
                                          "(a) ",
                                          "[a]\n",
                                          "((a)",
                                          "#",
                                          "♪ ",
                                          "♪\n",
                                          "A: ",
                                          "-",
                                          "&amp;",
                                          "字",
                                          "a, ",
                                          "ก",
                                          "\\N",
                                          "\\h",
                                          "{a}",
                                          "{\\i1}a",
                                          "{\\i0}a",
                                          "a.\n",
                                          "\u0301",
                                          "A. b\n",
                                          "<v a>",
                                          "<00:01.000>",
                                          "<00:01.000><c>a</c>",
                                          "<00:01.000>a ",
                                          "<rt>a",
                                          "<ruby>a<rt>b</rt>",
                                          "&lrm;a",
                                          "{\\k1}a",
                                          "{\\c}a",
                                          "{\\p1}a",
                                          "{\\p1}a{\\p0}b "};
  const auto srt = [&](const std::string& text) { return times + text; };
  const auto vtt = [](const std::string& text) {
    return "WEBVTT\n\n00:01.000 --> 00:02.000\n" + text;
  };
  const auto ass = [](const std::string& text) {
    return "[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01,0:00:02," + text;
  };
  expect_linear(DocumentKind::kSrt, texts, srt);
  expect_linear(DocumentKind::kVtt, texts, vtt);
  expect_linear(DocumentKind::kAss, texts, ass);
  const std::vector<std::string> cues = {
      "1\n" + times + "a\n\n", times, "1\n", "\n", "a -->", times + "a\n",
      times + "a <i>b\n",      " \n", "1:"};
  expect_linear(DocumentKind::kSrt, cues, itself);
  const auto begun = [](const std::string& text) { return "WEBVTT\n\n" + text; };
  expect_linear(DocumentKind::kVtt, cues, begun);
  expect_linear(
      DocumentKind::kAss,
      {"Dialogue: 1:1,1:2,a\n", "Dialogue: 1:1,1:2,{\\i1}a\n", "[Events]\n", "Format: a\n",
       "Dialogue: ", ",", "\\p"},
      [](const std::string& text) { return "[Events]\nFormat: Start, End, Text\n" + text; });
}

TEST_F(DocumentCostTest, OfCatalogues) {
  const std::string message = "msgid \"\"\n";
  expect_linear(DocumentKind::kPo, {"\"a\"\n", "\"\\\\n\"\n", "\"%s %(\"\n", "\"{0}, \"\n"},
                [&](const std::string& text) { return message + text + "msgstr \"\"\n"; });
  expect_linear(DocumentKind::kPo, "many forms of one long message", [](size_t bytes) {
    return "msgid \"a\"\nmsgid_plural \"" + repeated("b ", bytes / 2) + "\"\n" +
           repeated("msgstr[@] \"\"\n", bytes / 2);
  });
  expect_linear(DocumentKind::kPo,
                {"msgid \"a\"\nmsgstr \"\"\n", "@~ a\n", "msgid \"\"\nmsgstr \"charset=UTF-8\"\n",
                 "msgid \"", "domain\n", "msgctxt \"a\"\n"},
                itself);
}

// What may be inside texts and around them.
const std::vector<std::string> kXml = {"&lt;",
                                       "&#65;",
                                       "<!-- -->",
                                       "a<!-- -->",
                                       "<?a b?>a",
                                       "<![CDATA[a]]>",
                                       "<a@/>",
                                       "<a b@='c'/>",
                                       "<a xmlns='urn:@'/>",
                                       "<a xml:id='i@'/>",
                                       "<n:a xmlns:n='urn:@'><n:b n:c='d'/></n:a>",
                                       "\n"};

TEST_F(DocumentCostTest, OfXml) {
  expect_linear(DocumentKind::kTmx, kXml,
                [](const std::string& xml) { return "<tmx>" + xml + "</tmx>"; });
  expect_linear(DocumentKind::kTmx,
                {"<", "<a>", "<a b='", "<!--", "<![CDATA[", "<?", "</a>", "&a;"},
                [](const std::string& xml) { return "<tmx>" + xml; });
  expect_linear(DocumentKind::kTmx, "attributes", [](size_t bytes) {
    return "<tmx>" + ("<a" + repeated(" a@=''", bytes)) + "/></tmx>";
  });
  expect_linear(DocumentKind::kTmx, "attributes after an error",
                [](size_t bytes) { return "<tmx a=b'><c" + repeated(" a@=''", bytes) + ">'/>"; });
  expect_linear(DocumentKind::kTmx, "elements inside 200 namespaces", [](size_t bytes) {
    return "<tmx" + repeated(" xmlns:n@='u'", 2'500) + "><a>" + repeated("<n0:b n1:c=''/>", bytes) +
           "</a></tmx>";
  });
  expect_linear(DocumentKind::kTmx, "a long name",
                [](size_t bytes) { return "<tmx a='" + repeated("b", bytes) + "'/>"; });
}

TEST_F(DocumentCostTest, OfTranslationMemories) {
  const auto segment = [](const std::string& text) {
    return "<tmx><tu><tuv xml:lang='en'><seg>a" + text + "</seg></tuv></tu></tmx>";
  };
  expect_linear(DocumentKind::kTmx, kXml, segment);
  expect_linear(DocumentKind::kTmx,
                {"<ph x='@'/>a", "<bpt i='@'/>a<ept i='@'/>", "<bpt i='1'/>a", "<ept i='1'/>a",
                 "<bpt i='@'/><bpt i='1'/>a<ept i='@'/>", "<hi>a</hi>", "<hi/>", "<sub>a</sub>",
                 "<ph><sub>a</sub></ph>"},
                segment);
  for (const std::string one : {"bpt", "ept"}) {
    expect_linear(DocumentKind::kTmx, "crossed pairs after " + one, [&](size_t bytes) {
      return segment(repeated("<bpt i='@'/>b", bytes / 2) + repeated("<ept i='@'/>", bytes / 2));
    });
  }
  expect_linear(DocumentKind::kTmx, {"<tuv xml:lang='fr'><seg>a</seg></tuv>"},
                [](const std::string& text) { return "<tmx><tu>" + text + "</tu></tmx>"; });
  expect_linear(DocumentKind::kTmx, {"<tu><tuv xml:lang='en'><seg>a</seg></tuv></tu>"},
                [](const std::string& text) { return "<tmx>" + text + "</tmx>"; });
}

TEST_F(DocumentCostTest, OfXliffWithSegments) {
  const std::string segment = "<mrk mtype='seg' mid='1'>", next = "<mrk mtype='seg' mid='2'/>";
  expect_linear(DocumentKind::kXliff, "segments", [&](size_t bytes) {
    const std::string target = repeated(next, bytes / 3);
    return "<xliff version='1.2'><trans-unit><source>a</source><seg-source>" +
           repeated(segment + "a</mrk>", bytes / 3) + next + "</seg-source><target>" + segment +
           "</mrk>" + target + "</target><seg-defs>" + repeated("<seg id='1'/>", bytes / 3) +
           "</seg-defs></trans-unit></xliff>";
  });
}

TEST_F(DocumentCostTest, OfXliff) {
  const auto source = [](const std::string& text) {
    return "<xliff version='1.2'><trans-unit><source>a" + text + "</source></trans-unit></xliff>";
  };
  expect_linear(DocumentKind::kXliff, kXml, source);
  expect_linear(DocumentKind::kXliff,
                {"<g id='@'>a</g>", "<x/>a", "<bx id='@'/>a<ex rid='@'/>",
                 "<mrk translate='no'>a<mrk translate='yes'>b</mrk></mrk>", "a\n  "},
                source);
  expect_linear(
      DocumentKind::kXliff,
      {"<file source-language='en'/>", "<group>a</group>",
       "<trans-unit><source>a</source><target/></trans-unit>"},
      [](const std::string& text) { return "<xliff version='1.2'>" + text + "</xliff>"; });
}

TEST_F(DocumentCostTest, OfWordDocuments) {
  const auto paragraph = [&](const std::string& text) { return word("<w:p>" + text + "</w:p>"); };
  const auto in_text = [&](const std::string& text) {
    return paragraph("<w:r><w:t>a" + text + "</w:t></w:r>");
  };
  expect_linear(DocumentKind::kDocx, kXml, in_text);
  expect_linear(DocumentKind::kDocx, "&lt;g",
                [&](size_t bytes) { return in_text("&lt;" + repeated("g", bytes)); });
  const std::string run = "<w:r><w:t>a@</w:t></w:r>";
  const std::string bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>";
  const std::string link = "<w:hyperlink>" + run + "</w:hyperlink>";
  expect_linear(DocumentKind::kDocx,
                {run,
                 run + bold,
                 bold + "<w:r><w:rPr><w:i/></w:rPr><w:t>b</w:t></w:r>",
                 link,
                 "<w:bookmarkStart w:id='@'/>" + run + "<w:bookmarkEnd w:id='@'/>",
                 "<w:bookmarkStart w:id='1'/>" + run,
                 "<w:r><w:t>a</w:t><w:footnoteReference/></w:r>",
                 "<w:ins w:id='@'>" + run + bold + "</w:ins>",
                 "<w:del w:id='@'/>" + run,
                 "<w:proofErr/>",
                 "<w:smartTag>" + run + "</w:smartTag>",
                 "<w:r><w:softHyphen/><w:t>a</w:t></w:r>",
                 "<w:r><w:tab/><w:t>a</w:t></w:r>",
                 "<w:p>" + run + "</w:p>",
                 "<w:r><w:rPr><w:x w:y='@'/></w:rPr><w:t>a</w:t></w:r>",
                 "<w:r><w:rPr><w:noProof/></w:rPr><w:t>a</w:t></w:r>" + run,
                 "<w:r><w:fldChar w:fldCharType='begin'/></w:r>",
                 "<w:r><w:fldChar w:fldCharType='begin'/></w:r>" + run +
                     "<w:r><w:fldChar w:fldCharType='end'/></w:r>",
                 "<w:fldSimple w:instr='PAGE'/>" + run,
                 "<d:docPr descr='a@'/>",
                 "<w:r><w:drawing><w:p>" + run + "</w:p></w:drawing></w:r>"},
                paragraph);
  expect_linear(DocumentKind::kDocx,
                {"<w:t>a</w:t>", "<w:t>a</w:t><w:footnoteReference/>", "<w:t/><w:tab/>",
                 "<w:softHyphen/>", "<w:rPr><w:b/></w:rPr>"},
                [&](const std::string& text) { return paragraph("<w:r>" + text + "</w:r>"); });
  expect_linear(DocumentKind::kDocx, {run, bold, "<w:bookmarkStart w:id='@'/>"},
                [&](const std::string& text) {
                  return paragraph("<w:ins w:id='1' w:author='" + std::string(500, 'a') + "'>" +
                                   text + "</w:ins>");
                });
  // Runs inside many smart tags move once.
  expect_linear(DocumentKind::kDocx, {run}, [&](const std::string& text) {
    std::string open, close;
    for (int i = 0; i < 200; ++i) open += "<w:smartTag>", close += "</w:smartTag>";
    return paragraph(open + text + close);
  });
  expect_linear(DocumentKind::kDocx, "a long format and many texts", [&](size_t bytes) {
    return paragraph("<w:r><w:rPr><w:x w:y='" + repeated("y", bytes / 2) + "'/></w:rPr>" +
                     repeated("<w:t>a</w:t><w:footnoteReference/>", bytes / 2) + "</w:r>");
  });
}

TEST_F(DocumentCostTest, OfOpenDocumentText) {
  const auto paragraph = [&](const std::string& text) {
    return archive({{"content.xml", "<o:c xmlns:o='o'><o:p>a" + text + "</o:p></o:c>"}});
  };
  expect_linear(DocumentKind::kOdt, kXml, paragraph);
  expect_linear(DocumentKind::kOdt,
                {"<o:span o:style-name='A'>a</o:span>", "<o:span o:style-name='A@'>a</o:span>b",
                 "<o:bookmark o:name='@'/>a",
                 "<o:bookmark-start o:name='@'/>a<o:bookmark-end "
                 "o:name='@'/>",
                 "<o:bookmark-start o:name='1'/>a", "<o:s/>a", "<o:a>a</o:a>",
                 "<o:span o:style-name='A'/>", "<o:p>a</o:p>", "<o:note><o:p>a@</o:p></o:note>b",
                 "<o:frame>", "<o:frame><o:p>a</o:p></o:frame>", "<o:page-number/>a"},
                paragraph);
}

TEST_F(DocumentCostTest, OfStylesAndTypes) {
  const auto with = [&](const std::string& name, const std::string& xml) {
    return archive({{name, "<w:a xmlns:w='w'>" + xml + "</w:a>"},
                    {"word/document.xml", "<w:a xmlns:w='w'><w:p/></w:a>"},
                    {"content.xml", "<a/>"}});
  };
  expect_linear(DocumentKind::kDocx,
                {"<w:style w:styleId='@'><w:basedOn w:val='1'/></w:style>",
                 "<w:style><w:name w:val='_20_@'/></w:style>", "<w:rPrDefault/>"},
                [&](const std::string& xml) { return with("word/styles.xml", xml); });
  expect_linear(DocumentKind::kDocx, "a long name", [&](size_t bytes) {
    return with("word/styles.xml",
                "<w:style><w:name w:val='" + repeated("_20_", bytes) + "'/></w:style>");
  });
  expect_linear(DocumentKind::kDocx, {"<Override PartName='/@' ContentType='a'/>"},
                [&](const std::string& xml) { return with("[Content_Types].xml", xml); });
  expect_linear(DocumentKind::kOdt,
                {"<w:style w:name='@' w:family='text' w:parent-style-name='1'/>"},
                [&](const std::string& xml) { return with("styles.xml", xml); });
}

TEST_F(DocumentCostTest, OfSpreadsheetsAndSlides) {
  const auto with = [&](const std::string& name) {
    return [this, name](const std::string& xml) {
      return archive({{"xl/workbook.xml", "<a/>"},
                      {"xl/sharedStrings.xml", "<a><si><t>a</t></si></a>"},
                      {"xl/tables/table1.xml", "<a><tableColumn name='a'/></a>"},
                      {"ppt/presentation.xml", "<a/>"},
                      {name, "<a>" + xml + "</a>"}});
    };
  };
  const std::string run = "<r><rPr><b/></rPr><t>a@</t></r>";
  expect_linear(DocumentKind::kXlsx,
                {"<si><t>a@</t></si>", "<si><t>a</t></si>", "<si>" + run + "<r><t>b</t></r></si>",
                 "<si><t>a_x000D_</t></si>"},
                with("xl/sharedStrings2.xml"));
  expect_linear(DocumentKind::kXlsx,
                {"<c t='inlineStr'><is><t>a</t></is></c>", "[", "[a", "[a]", "[@]", "inlineStr",
                 "<filters><filter val='a@'/></filters>"},
                with("xl/worksheets/sheet1.xml"));
  const std::vector<std::string> codes = {"&amp;Pa",  "&amp;C", "&amp;&amp;", "&amp;12", "a&amp;K",
                                          "&amp;\"a", ",a",     "\"\"a",      "\"a"};
  for (const std::string& code : codes) {
    expect_linear(DocumentKind::kXlsx, code, [&](size_t bytes) {
      return with("xl/worksheets/sheet1.xml")(
          "<headerFooter><oddHeader>a" + repeated(code, bytes / 2) +
          "</oddHeader></headerFooter><dataValidation><formula1>\"" + repeated(code, bytes / 2) +
          "\"</formula1></dataValidation>");
    });
  }
  expect_linear(DocumentKind::kXlsx,
                {"<tableColumn name='a@'/>", "<tableColumn name='_x000a_@'/>",
                 "<tableColumn name='a'/>", "<xFormula>[a@]</xFormula>"},
                with("xl/tables/table2.xml"));
  expect_linear(DocumentKind::kPptx,
                {"<p>" + run + "<br/></p>", "<sp><p>" + run + "</p></sp>",
                 "<p><fld/>" + run + "</p>", "<cNvPr descr='a@'/>"},
                with("ppt/slideLayouts/slideLayout1.xml"));
}

TEST_F(DocumentCostTest, OfArchives) {
  expect_linear(DocumentKind::kDocx, "parts", [&](size_t bytes) {
    Parts parts = {{"word/document.xml", "<a/>"}};
    for (size_t i = 0; i < bytes / 100; ++i)
      parts.emplace_back("word/header" + std::to_string(i) + ".xml", "<a/>");
    return archive(parts);
  });
}

}  // namespace
}  // namespace dietmt::service
