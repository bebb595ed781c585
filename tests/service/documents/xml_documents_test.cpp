// TMX and XLIFF, read and written back, and hostile XML.
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMemory =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n"
    "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n"
    "<tu><tuv xml:lang=\"EN-US\"><seg>A <bpt i=\"1\">&lt;b&gt;</bpt>red<ept i=\"1\">&lt;/b&gt;"
    "</ept> dog</seg></tuv></tu>\n"
    "<tu><tuv xml:lang=\"en\"><seg>done</seg></tuv><tuv xml:lang=\"de\"><seg>fertig</seg></tuv>"
    "</tu>\n<tu><tuv xml:lang=\"fr\"><seg>chien</seg></tuv></tu>\n</body></tmx>\n";

TEST(TmxDocumentTest, UnitsWithoutTheTargetGetIt) {
  EXPECT_THAT(segments_of(DocumentKind::kTmx, kMemory), ElementsAre("A <g0>red</g0> dog"));
  const std::string translated = bracketed(DocumentKind::kTmx, kMemory, {"en", "de_AT"});
  EXPECT_THAT(translated,
              HasSubstr("<tuv xml:lang=\"EN-US\"><seg>A <bpt i=\"1\">&lt;b&gt;</bpt>red<ept"));
  EXPECT_THAT(translated, HasSubstr("<tuv xml:lang=\"de-AT\"><seg>[A <bpt i=\"1\">&lt;b&gt;</bpt>"
                                    "red<ept i=\"1\">&lt;/b&gt;</ept> dog]</seg></tuv></tu>"));
  EXPECT_THAT(translated, HasSubstr("<seg>fertig</seg>"));
  EXPECT_THAT(translated, HasSubstr("<seg>chien</seg></tuv></tu>"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "<a/>"), HasSubstr("its root is not <tmx>"));
}

TEST(TmxDocumentTest, AnEmptyTargetIsFilled) {
  const std::string memory =
      "<tmx><tu><tuv xml:lang=\"en\"><seg>a <ph>b</ph></seg></tuv>"
      "<tuv xml:lang=\"de-AT\" changeid=\"x\"><note>n</note><seg/></tuv></tu></tmx>";
  EXPECT_THAT(bracketed(DocumentKind::kTmx, memory),
              HasSubstr("<tuv xml:lang=\"de-AT\" changeid=\"x\"><note>n</note>"
                        "<seg>[a <ph>b</ph>]</seg></tuv></tu>"));
}

TEST(TmxDocumentTest, LineBreaksCount) {
  EXPECT_THAT(segments_of(DocumentKind::kTmx,
                          "<tmx><tu><tuv xml:lang=\"en\"><seg>a\nb</seg></tuv></tu></tmx>"),
              ElementsAre("a\nb"));
}

TEST(XliffDocumentTest, VersionOne) {
  const std::string xliff =
      "<xliff version=\"1.2\" xmlns=\"urn:oasis:names:tc:xliff:document:1.2\"><file "
      "source-language=\"en\"><body>"
      "<trans-unit id=\"1\"><source>Open <g id=\"1\">the</g> <x "
      "id=\"2\"/>file</source></trans-unit>"
      "<trans-unit id=\"2\"><source>done</source><target>fertig</target></trans-unit>"
      "<trans-unit id=\"3\"><source>new</source><target state=\"new\"/></trans-unit>"
      "<trans-unit id=\"4\" translate=\"no\"><source>KEY</source></trans-unit>"
      "</body></file></xliff>";
  EXPECT_THAT(segments_of(DocumentKind::kXliff, xliff),
              ElementsAre("Open <g0>the</g0> <g1/>file", "new"));
  const std::string translated = bracketed(DocumentKind::kXliff, xliff);
  EXPECT_THAT(translated, HasSubstr("target-language=\"de\""));
  EXPECT_THAT(translated, HasSubstr("file</source><target>[Open <g id=\"1\">the</g> "
                                    "<x id=\"2\"/>file]</target></trans-unit>"));
  EXPECT_THAT(translated, HasSubstr("<target>fertig</target>"));
  EXPECT_THAT(translated, HasSubstr("<target state=\"needs-review-translation\">[new]</target>"));
  EXPECT_THAT(translated, HasSubstr("<source>KEY</source></trans-unit>"));
}

// As Angular and Business Central write it.
TEST(XliffDocumentTest, ACopiedSourceIsNoTranslationIfItsStateSaysSo) {
  const auto first = [](const std::string& state) {
    return bracketed(
        DocumentKind::kXliff,
        "<xliff version=\"1.2\"><file><trans-unit><source>a <x/></source><target state=\"" + state +
            "\">a <x/></target></trans-unit></file></xliff>");
  };
  for (const std::string state : {"new", "needs-translation"})
    EXPECT_THAT(first(state), HasSubstr("<target state=\"needs-review-translation\">[a <x/>]<"));
  EXPECT_THAT(first("final"), HasSubstr("<target state=\"final\">a <x/><"));
  const auto second = [](const std::string& target) {
    return bracketed(DocumentKind::kXliff,
                     "<xliff version=\"2.1\" srcLang=\"en\"><file><unit><segment state=\"initial\">"
                     "<source>a</source>" +
                         target + "</segment></unit></file></xliff>");
  };
  for (const std::string target : {"<target>a</target>", "<target/>", ""})
    EXPECT_THAT(second(target), HasSubstr("<segment state=\"translated\"><source>a</source>"
                                          "<target>[a]</target>"));
  EXPECT_THAT(second("<target>b</target>"), HasSubstr("\"initial\"><source>a</source><target>b<"));
}

// As SDL, memoQ and Okapi write it.
TEST(XliffDocumentTest, SegmentsOfTheSourceAreKept) {
  const std::string xliff =
      "<xliff version=\"1.2\"><file><trans-unit><source>One. Two.</source><seg-source>"
      "<mrk mtype=\"seg\" mid=\"1\">One.</mrk> <g id=\"1\"><mrk mtype=\"seg\" "
      "mid=\"2\">Two.</mrk></g>"
      "</seg-source></trans-unit></file></xliff>";
  EXPECT_THAT(bracketed(DocumentKind::kXliff, xliff),
              HasSubstr("</seg-source><target><mrk mtype=\"seg\" mid=\"1\">[One.]</mrk> "
                        "<g id=\"1\"><mrk mtype=\"seg\" mid=\"2\">[Two.]</mrk></g></target>"));
}

TEST(XliffDocumentTest, ATargetHasTheTargetLanguage) {
  const std::string xliff =
      "<xliff version=\"1.2\"><file><trans-unit><source xml:lang=\"en\">a</source></trans-unit>"
      "<trans-unit><source xml:lang=\"en\">b</source><target xml:lang=\"de-CH\"/></trans-unit>"
      "</file></xliff>";
  const std::string translated = bracketed(DocumentKind::kXliff, xliff, {"en", "de_AT"});
  EXPECT_THAT(translated, HasSubstr("<source xml:lang=\"en\">a</source>"
                                    "<target xml:lang=\"de-AT\">[a]</target>"));
  EXPECT_THAT(translated, HasSubstr("<target xml:lang=\"de-CH\">[b]</target>"));
}

// Formatters wrap text over lines and indent them.
TEST(XliffDocumentTest, ALineBreakIsASpaceUnlessSpacesCount) {
  const auto unit = [](const std::string& attributes) {
    return "<xliff version=\"1.2\"><file " + attributes +
           "><trans-unit><source>\n  one\r\n  <g id=\"1\">two\n  three</g>  four\n"
           "</source></trans-unit></file></xliff>";
  };
  EXPECT_THAT(segments_of(DocumentKind::kXliff, unit("")),
              ElementsAre("one <g0>two three</g0>  four"));
  EXPECT_THAT(bracketed(DocumentKind::kXliff, unit("")),
              HasSubstr("<target>\n  [one <g id=\"1\">two three</g>  four]\n</target>"));
  EXPECT_THAT(segments_of(DocumentKind::kXliff, unit("xml:space=\"preserve\"")),
              ElementsAre("one\n  <g0>two\n  three</g0>  four"));
}

TEST(XliffDocumentTest, ATranslationOverTheLimitIsMarked) {
  const auto target = [](const std::string& limit, const std::string& translation) {
    const std::string file =
        "<xliff version=\"1.2\"><file source-language=\"en\"><body><trans-unit id=\"1\" " + limit +
        "><source>a <ph id=\"1\">code</ph></source></trans-unit></body></file></xliff>";
    const std::string result = translated(DocumentKind::kXliff, file, {translation});
    const size_t begin = result.find("<target");
    return result.substr(begin, result.find("</target>") - begin);
  };
  const std::string four = "maxwidth=\"4\" size-unit=\"char\"";
  EXPECT_EQ(target(four, "äöü <g0/>"), "<target>äöü <ph id=\"1\">code</ph>");
  EXPECT_EQ(target(four, "äöüä <g0/>"),
            "<target state=\"needs-review-translation\" state-qualifier=\"rejected-length\">"
            "äöüä <ph id=\"1\">code</ph>");
  EXPECT_EQ(target("maxwidth=\"4\"", "äöüä <g0/>"), "<target>äöüä <ph id=\"1\">code</ph>");
}

TEST(XliffDocumentTest, VersionTwo) {
  const std::string xliff =
      "<xliff version=\"2.0\" srcLang=\"en\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\"><file "
      "id=\"f\"><unit id=\"1\"><segment><source>Hi <pc id=\"1\">you</pc><ph id=\"2\"/></source>"
      "</segment></unit></file></xliff>";
  const std::string translated = bracketed(DocumentKind::kXliff, xliff);
  EXPECT_THAT(translated, HasSubstr("trgLang=\"de\""));
  EXPECT_THAT(translated,
              HasSubstr("<target>[Hi <pc id=\"1\">you</pc><ph id=\"2\"/>]</target></segment>"));
}

// The first version with these languages in its second line.
std::string of_languages(const std::string& attributes) {
  return "<xliff version=\"1.2\">\n<file " + attributes +
         "><trans-unit><source>a</source></trans-unit></file></xliff>";
}

TEST(XliffDocumentTest, OtherLanguagesAreRefused) {
  const auto problem = [](const std::string& attributes) {
    return problem_of(DocumentKind::kXliff, of_languages(attributes));
  };
  EXPECT_EQ(problem("source-language=\"fr\""),
            "line 2: source-language is 'fr', but the request translates from 'en'");
  EXPECT_EQ(problem("source-language=\"en\" target-language=\"fr-CA\""),
            "line 2: target-language is 'fr-CA', but the request translates to 'de'");
  EXPECT_EQ(problem("source-language=\"EN-us\" target-language=\"de_AT\""), "none");
  const auto second = [](const std::string& attributes) {
    return problem_of(DocumentKind::kXliff, "<xliff version=\"2.1\" " + attributes + "/>");
  };
  EXPECT_THAT(second("srcLang=\"de\" trgLang=\"en\""), HasSubstr("srcLang is 'de'"));
  EXPECT_THAT(second("srcLang=\"en\" trgLang=\"fr\""), HasSubstr("trgLang is 'fr'"));
  EXPECT_EQ(second("srcLang=\"en-GB\" trgLang=\"de\""), "none");
  const auto norwegian =
      open_document(DocumentKind::kXliff, of_languages("source-language=\"nb-NO\""), {"no", "de"});
  EXPECT_EQ(norwegian->segments().size(), 1U);
}

TEST(XliffDocumentTest, ElementsInheritWhetherTheyAreTranslated) {
  const std::string first =
      "<xliff version=\"1.2\"><file><group translate=\"no\">"
      "<trans-unit><source>a</source></trans-unit>"
      "<trans-unit translate=\"yes\"><source>b</source></trans-unit>"
      "<group translate=\"yes\"><trans-unit><source>c</source></trans-unit></group></group>"
      "</file></xliff>";
  EXPECT_THAT(segments_of(DocumentKind::kXliff, first), ElementsAre("b", "c"));
  const std::string second =
      "<xliff version=\"2.0\" srcLang=\"en\"><file translate=\"no\"><unit><segment><source>a "
      "<mrk translate=\"yes\">b <mrk translate=\"no\">c</mrk></mrk></source></segment></unit>"
      "<unit translate=\"yes\"><segment><source>d <mrk translate=\"no\">e "
      "<mrk translate=\"yes\">f</mrk> g</mrk></source></segment></unit>"
      "<unit><segment><source>h</source></segment></unit></file></xliff>";
  EXPECT_THAT(segments_of(DocumentKind::kXliff, second), ElementsAre("b <g0/>", "d <g0/>", "f"));
  const std::string translated = bracketed(DocumentKind::kXliff, second);
  EXPECT_THAT(translated, HasSubstr("<target>a <mrk translate=\"yes\">[b <mrk translate=\"no\">c"
                                    "</mrk>]</mrk></target>"));
  EXPECT_THAT(translated, HasSubstr("<target>[d <mrk translate=\"no\">e <mrk translate=\"yes\">[f]"
                                    "</mrk> g</mrk>]</target>"));
  EXPECT_THAT(translated, HasSubstr("<source>h</source></segment>"));
}

std::string one_unit(const std::string& source) {
  return "<xliff version=\"1.2\"><file><trans-unit><source>" + source +
         "</source></trans-unit></file></xliff>";
}

// One unit of XLIFF whose target is set to `translation`.
std::string target_of(const std::string& source, const Translation& translation) {
  const auto document = open_document(DocumentKind::kXliff, one_unit(source), {"en", "de"});
  const std::string xml = document->translated({translation});
  const size_t begin = xml.find("<target>") + 8;
  return xml.substr(begin, xml.find("</target>") - begin);
}

std::string target_of(const std::string& source, const std::string& translation) {
  const auto document = open_document(DocumentKind::kXliff, one_unit(source), {"en", "de"});
  EXPECT_EQ(document->segments().size(), 1U);
  return target_of(source, translation_of(document->segments().front(), translation));
}

TEST(InlineCodesTest, TranslationsMoveThem) {
  const std::string source =
      "Click <g id=\"1\">the <mrk mtype=\"term\">red</mrk> key</g> <ph id=\"2\">code</ph> or "
      "<bx id=\"3\"/>this<ex id=\"4\" rid=\"3\"/> &amp; &lt;b&gt;";
  EXPECT_EQ(target_of(source, "<g3>Dies</g3> <g2/><g0>Taste <g1>rot</g1></g0> & <b>"),
            "<bx id=\"3\"/>Dies<ex id=\"4\" rid=\"3\"/> <ph id=\"2\">code</ph><g id=\"1\">Taste "
            "<mrk mtype=\"term\">rot</mrk></g> &amp; &lt;b&gt;");
}

TEST(InlineCodesTest, PairsCrossedOrAloneAreSingleCodes) {
  const std::string crossed =
      "<bx id=\"1\"/>a<bx id=\"2\"/>b<ex rid=\"1\"/>c<ex rid=\"2\"/><it pos=\"begin\">d</it>";
  const std::string segment = "<g0>a<g1/>b</g0>c<g2/><g3/>";
  EXPECT_THAT(segments_of(DocumentKind::kXliff, one_unit(crossed)), ElementsAre(segment));
  EXPECT_EQ(target_of(crossed, segment), crossed);
}

TEST(InlineCodesTest, ProtectedElementsStay) {
  EXPECT_EQ(target_of("run <mrk mtype=\"protected\">make all</mrk> now", "jetzt <g0/>"),
            "jetzt <mrk mtype=\"protected\">make all</mrk>");
}

TEST(InlineCodesTest, TextMayLookLikeTheTagsOfMarks) {
  EXPECT_EQ(target_of("a <x/> &lt;g0/&gt;", {{"<g0/>", true, 0}, {" b <g0/>"}}),
            "<x/> b &lt;g0/&gt;");
}

TEST(InlineCodesTest, ATranslationThatLostCodesGetsThemBehindItsText) {
  const std::string source = "a <g id=\"1\">b <x id=\"2\"/></g> <bx id=\"3\"/>c<ex rid=\"3\"/>";
  const std::string behind = "<g id=\"1\"/><x id=\"2\"/><bx id=\"3\"/><ex rid=\"3\"/>";
  for (const std::string lost : {"A B", "A <g0>B", "A </g0>B<g0><g1/><g2></g2>",
                                 "A <g0><g0>B</g0></g0><g1/><g2></g2>", "A <g7/>B"})
    EXPECT_EQ(target_of(source, lost), "A B" + behind) << lost;
}

TEST(XmlTest, OtherEncodingsStay) {
  const std::string xliff =
      "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><xliff version=\"1.2\"><file><trans-unit>"
      "<source>caf\xE9</source></trans-unit></file></xliff>";
  EXPECT_THAT(segments_of(DocumentKind::kXliff, xliff), ElementsAre("café"));
  EXPECT_THAT(bracketed(DocumentKind::kXliff, xliff), HasSubstr("<target>[caf\xE9]</target>"));
}

TEST(XmlTest, EntitiesOfADocumentAreRefused) {
  std::string bomb = "<!DOCTYPE tmx [<!ENTITY a \"aaaaaaaaaa\">";
  for (char name = 'b'; name <= 'j'; ++name) {
    const std::string before = std::string("&") + static_cast<char>(name - 1) + ";";
    std::string many;
    for (int i = 0; i < 10; ++i) many += before;
    bomb += std::string("<!ENTITY ") + name + " \"" + many + "\">";
  }
  bomb += "]><tmx><tu><tuv xml:lang=\"en\"><seg>&j;</seg></tuv></tu></tmx>";
  EXPECT_THAT(problem_of(DocumentKind::kTmx, bomb), HasSubstr("declares entities"));
  const std::string file =
      "<!DOCTYPE tmx [<!ENTITY f SYSTEM \"file:///etc/passwd\">]><tmx><tu><tuv xml:lang=\"en\">"
      "<seg>&f;</seg></tuv></tu></tmx>";
  EXPECT_THAT(problem_of(DocumentKind::kTmx, file), HasSubstr("declares entities"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx,
                         "<!DOCTYPE tmx [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]><tmx/>"),
              HasSubstr("declares entities"));
}

// A server's log must not contain its clients' texts.
TEST(XmlTest, NothingIsWrittenToTheStandardError) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx><a xml:id=\"x#y\">Tokyo</a></tmx>"), "none");
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx xmlns=\"1:\" a:b=\"\"><b xmlns:c=\"\"/></tmx>"),
            "none");
  EXPECT_NE(problem_of(DocumentKind::kTmx, "<tmx><a>Tokyo &nbsp; </b></tmx>"), "none");
  EXPECT_EQ(target_of("a", "\x01 \xFF"), "\x01 \xFF") << "libxml2 takes any bytes";
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

std::string attributes(const std::string& name, int count, const std::string& value = "") {
  std::string all;
  for (int i = 0; i < count; ++i) all += " " + name + std::to_string(i) + "=\"" + value + "\"";
  return all;
}

TEST(XmlTest, ElementsWithManyAttributesAreRefused) {
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx" + attributes("a", 256, "b='c'>") + "/>"), "none");
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx>\n<a" + attributes("a", 100'000) + "/></tmx>"),
            "the XML is refused at line 2: an element has more than 256 attributes");
  // Text and comments have no limit.
  const std::string text = std::string(300, '=') + "\"";
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx><!--<a " + text + "--><?a <b " + text + "?>" +
                                               text + "<![CDATA[<c " + text + "]]></tmx>"),
            "none");
}

TEST(XmlTest, ManyAndLongNamespacesAreRefused) {
  const auto nested = [](int depth, int count) {
    std::string xml = "<tmx>";
    for (int i = 0; i < depth; ++i) xml += "<a" + attributes("xmlns:n", count, "urn:x") + ">";
    for (int i = 0; i < depth; ++i) xml += "</a>";
    return xml + "</tmx>";
  };
  EXPECT_EQ(problem_of(DocumentKind::kTmx, nested(8, 32)), "none");
  EXPECT_THAT(problem_of(DocumentKind::kTmx, nested(8, 33)), HasSubstr("than 256 namespaces"));
  std::string siblings = "<tmx>";
  for (int i = 0; i < 20; ++i) siblings += "<a" + attributes("xmlns:n", 20, "urn:x") + "></a><b/>";
  EXPECT_EQ(problem_of(DocumentKind::kTmx, siblings + "</tmx>"), "none");
  EXPECT_EQ(problem_of(DocumentKind::kTmx, "<tmx xmlns = '" + std::string(1001, 'u') + "'/>"),
            "the XML is refused at line 1: a namespace has more than 1000 bytes");
}

// libxml2 looks for each in a table that stops growing.
TEST(XmlTest, ManyDifferentNamesAndShortTextsAreRefused) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const auto with = [&](size_t count, const std::string& before, const std::string& after) {
    std::string xml = "<tmx>";
    for (size_t i = 0; i < count; ++i)
      xml += before + letters[i % 52] + letters[i / 52 % 52] + letters[i / 52 / 52] + after;
    return xml + "</tmx>";
  };
  const std::vector<std::pair<std::string, std::string>> places = {
      {"<a", "/>"},    {"<a b", "=\"\"/>"},         {"<a b=\"", "\"/>"},
      {"<a>", "</a>"}, {"<a xmlns=\"urn:", "\"/>"}, {"<?a", " b?>"}};
  for (const auto& [before, after] : places) {
    EXPECT_THAT(problem_of(DocumentKind::kTmx, with(60'000, before, after)),
                HasSubstr("more than 50000 different names and short texts"))
        << before;
    EXPECT_EQ(problem_of(DocumentKind::kTmx, with(40'000, before, after)), "none") << before;
  }
}

// Each element would get them.
TEST(XmlTest, DefaultAttributesAreRefused) {
  EXPECT_THAT(problem_of(DocumentKind::kTmx,
                         "<!DOCTYPE tmx SYSTEM \"<a '>\" [<!ATTLIST a b CDATA \"x\">]><tmx/>"),
              HasSubstr("remove the part in [ ]"));
}

// Markup that check_xml() cannot read could hide elements from it.
TEST(XmlTest, EncodingsThatHideMarkupAreRefused) {
  using namespace std::string_literals;
  for (const std::string encoding : {"UTF-7", "ISO-2022-JP", "IBM037", "UTF-16", "HZ"})
    EXPECT_THAT(
        problem_of(DocumentKind::kTmx, "<?xml version='1.0' encoding='" + encoding + "'?><tmx/>"),
        HasSubstr("; convert it to UTF-8"))
        << encoding;
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "<\0t\0m\0x\0/\0>\0"s), HasSubstr("UTF-16"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "\x4C\x6F\xA7\x94"), HasSubstr("not XML"));
  const auto wide = [](const std::string& text) {
    std::string bytes = "\xFF\xFE";
    for (const char c : text) bytes += {c, '\0'};
    return bytes;
  };
  const std::string seg = "<tmx><tu><tuv xml:lang='en'><seg>a</seg></tuv></tu></tmx>";
  EXPECT_THAT(
      segments_of(DocumentKind::kTmx, wide("<?xml version='1.0' encoding='UTF-16'?>" + seg)),
      ElementsAre("a"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, wide("<tmx" + attributes("a", 300) + "/>")),
              HasSubstr("256 attributes"));
}

// After an error libxml2 would read tags where check_xml() saw quoted text.
TEST(XmlTest, ReadingStopsAtTheFirstError) {
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "<tmx a=b'>\n<c" + attributes("a", 100'000) + ">'/>"),
              HasSubstr("the XML is damaged at line 1"));
}

TEST(XmlTest, LargeDeepAndDamagedDocumentsAreRefused) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(problem_of(DocumentKind::kTmx, deep), HasSubstr("the XML is damaged at line 1"));
  const std::string many = "<tmx>" + std::string(400, '<') + "</tmx>";
  EXPECT_THAT(problem_of(DocumentKind::kTmx, many, {.nodes = 100}),
              HasSubstr("100 elements and attributes"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "<tmx>\n<b></tmx>"),
              HasSubstr("the XML is damaged at line 2"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, ""), Not(HasSubstr("none")));
}

}  // namespace
}  // namespace dietmt::service
