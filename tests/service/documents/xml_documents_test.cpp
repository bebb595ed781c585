// TMX and XLIFF there and back, and hostile XML.
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
  EXPECT_THAT(segments_of(DocumentKind::kTmx, kMemory), ElementsAre("A", "red", "dog"));
  const std::string translated = bracketed(DocumentKind::kTmx, kMemory, {"en", "de_AT"});
  EXPECT_THAT(translated,
              HasSubstr("<tuv xml:lang=\"EN-US\"><seg>A <bpt i=\"1\">&lt;b&gt;</bpt>red<ept"));
  EXPECT_THAT(translated, HasSubstr("<tuv xml:lang=\"de-AT\"><seg>[A] <bpt i=\"1\">&lt;b&gt;</bpt>"
                                    "[red]<ept i=\"1\">&lt;/b&gt;</ept> [dog]</seg></tuv></tu>"));
  EXPECT_THAT(translated, HasSubstr("<seg>fertig</seg>"));
  EXPECT_THAT(translated, HasSubstr("<seg>chien</seg></tuv></tu>"));
  EXPECT_THAT(problem_of(DocumentKind::kTmx, "<a/>"), HasSubstr("its root is no <tmx>"));
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
  EXPECT_THAT(segments_of(DocumentKind::kXliff, xliff), ElementsAre("Open", "the", "file", "new"));
  const std::string translated = bracketed(DocumentKind::kXliff, xliff);
  EXPECT_THAT(translated, HasSubstr("target-language=\"de\""));
  EXPECT_THAT(translated, HasSubstr("file</source><target>[Open] <g id=\"1\">[the]</g> "
                                    "<x id=\"2\"/>[file]</target></trans-unit>"));
  EXPECT_THAT(translated, HasSubstr("<target>fertig</target>"));
  EXPECT_THAT(translated, HasSubstr("<target state=\"new\">[new]</target>"));
  EXPECT_THAT(translated, HasSubstr("<source>KEY</source></trans-unit>"));
}

TEST(XliffDocumentTest, VersionTwo) {
  const std::string xliff =
      "<xliff version=\"2.0\" srcLang=\"en\" xmlns=\"urn:oasis:names:tc:xliff:document:2.0\"><file "
      "id=\"f\"><unit id=\"1\"><segment><source>Hi <pc id=\"1\">you</pc><ph id=\"2\"/></source>"
      "</segment></unit></file></xliff>";
  const std::string translated = bracketed(DocumentKind::kXliff, xliff);
  EXPECT_THAT(translated, HasSubstr("trgLang=\"de\""));
  EXPECT_THAT(translated,
              HasSubstr("<target>[Hi] <pc id=\"1\">[you]</pc><ph id=\"2\"/></target></segment>"));
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
