// XLIFF of Trados (SDLXLIFF) and Phrase (MXLIFF): segments one by one, locks and confirmations.
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr auto kXliff = DocumentKind::kXliff;

std::string segment(int number, const std::string& text) {
  return "<mrk mtype=\"seg\" mid=\"" + std::to_string(number) + "\">" + text + "</mrk>";
}

// A unit of Trados with four segments.
std::string trados(const std::string& target, const std::string& definitions) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<xliff "
         "xmlns:sdl=\"http://sdl.com/FileTypes/SdlXliff/1.0\" "
         "xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" version=\"1.2\" "
         "sdl:version=\"1.0\"><file "
         "original=\"a.docx\" source-language=\"en-US\" target-language=\"de-DE\"><body>"
         "<trans-unit id=\"lockTU_1\" translate=\"no\"><source>code</source></trans-unit>"
         "<trans-unit id=\"1\"><source>One. Two <g id=\"5\">b</g>. Three. "
         "Four.</source><seg-source>" +
         segment(1, "One.") + " <g id=\"4\">" + segment(2, "Two <g id=\"5\">b</g><x id=\"6\"/>.") +
         "</g> " + segment(3, "Three.") + segment(4, "Four.") + "</seg-source>" + target +
         "<sdl:seg-defs>" + definitions + "</sdl:seg-defs></trans-unit></body></file></xliff>\n";
}

const std::string kDefinitions =
    "<sdl:seg id=\"1\" conf=\"ApprovedTranslation\" origin=\"tm\" percent=\"100\"/><sdl:seg "
    "id=\"2\"/>"
    "<sdl:seg id=\"3\" locked=\"true\"/><sdl:seg id=\"4\" conf=\"Draft\" origin=\"source\"/>";

TEST(SdlxliffTest, BlankSegmentsOfATargetAreFilled) {
  const std::string file =
      trados("<target>" + segment(1, "Eins.") + " <g id=\"4\"><mrk mtype=\"seg\" mid=\"2\"/></g> " +
                 segment(3, "") + segment(4, " ") + "</target>",
             kDefinitions);
  EXPECT_THAT(segments_of(kXliff, file), ElementsAre("Two <g0>b</g0><g1/>.", "Four."));
  const std::string result = bracketed(kXliff, file);
  EXPECT_THAT(result, HasSubstr("<target>" + segment(1, "Eins.") + " <g id=\"4\">" +
                                segment(2, "[Two <g id=\"5\">b</g><x id=\"6\"/>.]") +
                                "</g> <mrk mtype=\"seg\" mid=\"3\"/>" + segment(4, "[Four.]") +
                                "</target>"));
  EXPECT_THAT(result, HasSubstr("<sdl:seg id=\"1\" conf=\"ApprovedTranslation\" origin=\"tm\" "
                                "percent=\"100\"/><sdl:seg id=\"2\" conf=\"Draft\" origin=\"mt\"/>"
                                "<sdl:seg id=\"3\" locked=\"true\"/>"
                                "<sdl:seg id=\"4\" conf=\"Draft\" origin=\"mt\"/>"));
  EXPECT_EQ(unchanged(kXliff, result), result);
}

TEST(SdlxliffTest, AMissingTargetGetsTheSegmentsThatAreNotLocked) {
  const std::string result = bracketed(kXliff, trados("", kDefinitions));
  EXPECT_THAT(result, HasSubstr("<target><mrk mtype=\"seg\" mid=\"1\"/> <g id=\"4\">" +
                                segment(2, "[Two <g id=\"5\">b</g><x id=\"6\"/>.]") +
                                "</g> <mrk mtype=\"seg\" mid=\"3\"/>" + segment(4, "[Four.]") +
                                "</target>"));
}

TEST(SdlxliffTest, ACopiedSourceIsATranslationOnceItHasAStatus) {
  const std::string target =
      "<target>" + segment(1, "One.") + segment(2, "Two b.") + segment(4, "Four.") + "</target>";
  EXPECT_THAT(segments_of(kXliff, trados(target, kDefinitions)),
              ElementsAre("Two <g0>b</g0><g1/>."));
  EXPECT_THAT(segments_of(kXliff, trados(target, "")), ElementsAre());
}

std::string phrase(const std::string& attributes, const std::string& text,
                   const std::string& target = "<target/>") {
  return "<xliff xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" "
         "xmlns:m=\"http://www.memsource.com/mxlf/2.0\" version=\"1.2\" m:version=\"2.4\"><file "
         "source-language=\"en\" target-language=\"de\"><body><group id=\"0\" m:para-id=\"0\">"
         "<trans-unit id=\"a:0\" " +
         attributes + "><source>" + text + "</source>" + target +
         "<alt-trans origin=\"machine-trans\"><target/></alt-trans>"
         "<m:tunit-metadata><m:mark id=\"1\"><m:type>code</m:type></m:mark></m:tunit-metadata>"
         "</trans-unit></group></body></file></xliff>";
}

TEST(MxliffTest, OpenUnitsAreFilledAndNotConfirmed) {
  const std::string result = bracketed(
      kXliff, phrase("m:confirmed=\"0\" m:trans-origin=\"null\"", "A {1>red&lt;1} dog{2}."));
  EXPECT_THAT(result, HasSubstr("<trans-unit id=\"a:0\" m:confirmed=\"0\" m:trans-origin=\"mt\">"));
  EXPECT_THAT(result, HasSubstr("<target>[A {1&gt;red&lt;1} dog{2}.]</target>"
                                "<alt-trans origin=\"machine-trans\"><target/></alt-trans>"));
}

TEST(MxliffTest, LockedAndConfirmedUnitsStay) {
  for (const char* const attributes :
       {"m:locked=\"true\"", "m:confirmed=\"1\"", "m:confirmed=\"2\""})
    EXPECT_THAT(segments_of(kXliff, phrase(attributes, "A dog.")), ElementsAre()) << attributes;
  EXPECT_THAT(segments_of(kXliff, phrase("m:locked=\"false\" m:confirmed=\"0\"", "A dog.")),
              ElementsAre("A dog."));
  EXPECT_THAT(segments_of(kXliff, phrase("m:confirmed=\"0\"", "A dog.", "<target>Hund</target>")),
              ElementsAre());
}

TEST(XliffTest, AttributesOfATargetKeepTheirNamespace) {
  const std::string result =
      bracketed(kXliff,
                "<xliff version=\"1.2\"><file><trans-unit><source>a</source>"
                "<target xmlns:a=\"urn:a\" a:b=\"c\"/></trans-unit></file></xliff>");
  EXPECT_THAT(result, HasSubstr("<target xmlns:a=\"urn:a\" a:b=\"c\">[a]</target>"));
}

std::string memoq(const std::string& attributes, const std::string& target) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xliff "
         "xmlns=\"urn:oasis:names:tc:xliff:document:1.2\" xmlns:mq=\"MQXliff\" version=\"1.2\">"
         "<file source-language=\"en\" target-language=\"de\"><body><trans-unit id=\"1\" " +
         attributes + "><source>A dog.</source>" + target + "</trans-unit></body></file></xliff>\n";
}

TEST(MqxliffTest, OpenUnitsAreFilledAndNotConfirmed) {
  for (const std::string target : {"<target></target>", "<target>A dog.</target>"})
    EXPECT_EQ(bracketed(kXliff, memoq("mq:status=\"NotStarted\" mq:locked=\"no\"", target)),
              memoq("mq:status=\"PartiallyEdited\" mq:locked=\"no\"", "<target>[A dog.]</target>"));
}

TEST(MqxliffTest, LockedAndConfirmedUnitsStay) {
  for (const char* const attributes :
       {"mq:locked=\"locked\"", "mq:status=\"ManuallyConfirmed\"", "mq:status=\"Proofread\"",
        "mq:status=\"Reviewer1Confirmed\""})
    EXPECT_THAT(segments_of(kXliff, memoq(attributes, "")), ElementsAre()) << attributes;
}

TEST(XliffTest, LineEndsAndTheByteOrderMarkStay) {
  const std::string file =
      "\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n"
      "<xliff version=\"1.2\">\r\n<file target-language=\"de\"><body>\r\n"
      "<trans-unit><source>a</source><target>b</target></trans-unit>\r\n"
      "</body></file>\r\n</xliff>";
  EXPECT_EQ(unchanged(kXliff, file), file);
  EXPECT_EQ(unchanged(kXliff, file + "\r\n"), file + "\r\n");
}

TEST(XliffTest, AllAreKnownByTheirExtension) {
  EXPECT_EQ(kind_of_file("a_ger.mqxliff"), kXliff);
  EXPECT_EQ(kind_of_file("a.docx.sdlxliff"), kXliff);
  EXPECT_EQ(kind_of_file("a-en-de.MXLIFF"), kXliff);
}

}  // namespace
}  // namespace dietmt::service
