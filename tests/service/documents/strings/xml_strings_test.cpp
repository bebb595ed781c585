// Catalogues in XML: every byte outside the values stays.
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string kAndroid =
    "<?xml version='1.0' encoding=\"utf-8\"?>\r\n<!-- Copyright -->\r\n<resources "
    "xmlns:xliff=\"urn:oasis:names:tc:xliff:document:1.2\">\r\n"
    "  <string name=\"a\" >Don\\'t <b>save</b> &amp; \"go\"\\n</string>\r\n"
    "  <string name='b'>Hi <xliff:g id=\"x\" example=\"Bob\">%1$s</xliff:g>, you</string>\r\n"
    "  <string name=\"c\" translatable=\"false\">Product</string>\r\n"
    "  <string name=\"d\">@string/a</string>\r\n"
    "  <string name=\"e\"><![CDATA[Some <i>text</i>]]></string>\r\n"
    "  <string name=\"q\">\"It's quoted\"</string>\r\n"
    "  <string-array name=\"f\"><item>Red one</item><item>Two\r\n    "
    "lines</item></string-array>\r\n"
    "  <integer name=\"g\">3</integer>\r\n"
    "  <plurals name=\"h\">\r\n    <item quantity=\"one\">%d file</item>\r\n"
    "    <item quantity=\"other\">%d files</item>\r\n  </plurals>\r\n</resources>\r\n";

TEST(AndroidTest, AValueInsideAValueBelongsToIt) {
  const std::string nested =
      "<resources><string name=\"a\">A dog.<string>A cat.</string></string></resources>";
  EXPECT_THAT(segments_of(DocumentKind::kAndroid, nested), testing::SizeIs(1));
  EXPECT_EQ(unchanged(DocumentKind::kAndroid, nested), nested);
  EXPECT_EQ(translated(DocumentKind::kAndroid, nested, {"Um<string>gato</string>"}),
            "<resources><string name=\"a\">Um<string>gato</string></string></resources>");
}

TEST(AndroidTest, ValuesAreTranslatedAndEverythingElseStays) {
  EXPECT_THAT(
      segments_of(DocumentKind::kAndroid, kAndroid),
      ElementsAre("Don't <b>save</b> & go",
                  "Hi <xliff:g id=\"x\" example=\"Bob\">%1$s</xliff:g>, you", "Some <i>text</i>",
                  "It's quoted", "Red one", "Two lines", "%d file", "%d files"));
  EXPECT_EQ(unchanged(DocumentKind::kAndroid, kAndroid), kAndroid);
  EXPECT_EQ(translated(DocumentKind::kAndroid, "<resources><string>a <b>b</b></string></resources>",
                       {"?'\"<b>\\</b>\n&"}),
            "<resources><string>\\?\\'\\\"<b>\\\\</b>\\n&amp;</string></resources>");
  const std::string quoted = "<resources><string>\"a b\"</string></resources>";
  EXPECT_EQ(translated(DocumentKind::kAndroid, quoted, {"c'd\""}),
            changed(quoted, "a b", "c'd\\\""));
}

TEST(AndroidTest, ItemsOfTheTypeStringAreStrings) {
  EXPECT_EQ(bracketed(DocumentKind::kAndroid,
                      "<resources><item name=\"a\" type=\"string\">A dog</item>"
                      "<item name=\"b\" type=\"dimen\">A cat</item></resources>"),
            "<resources><item name=\"a\" type=\"string\">[A dog]</item>"
            "<item name=\"b\" type=\"dimen\">A cat</item></resources>");
}

TEST(XmlStringsTest, ADeclaredEncodingBecomesUtf8) {
  const auto declares = [](const std::string& encoding, const std::string& text) {
    return "<?xml version=\"1.0\" encoding=\"" + encoding + "\"?>\n<root><data><value>" + text +
           "</value></data></root>\n";
  };
  EXPECT_EQ(translated(DocumentKind::kResx, declares("iso-8859-1", "The caf\xE9"), {"Das Café"}),
            declares("UTF-8", "Das Café"));
  EXPECT_EQ(translated(DocumentKind::kResx, declares("us-ascii", "The house"), {"Häuser"}),
            declares("UTF-8", "Häuser"));
  EXPECT_EQ(translated(DocumentKind::kResx, declares("utf-8", "The house"), {"Häuser"}),
            declares("utf-8", "Häuser"));
}

TEST(AndroidTest, PluralsGetTheFormsOfTheLanguage) {
  const auto translate = [](const std::string& language) {
    const std::string result = bracketed(DocumentKind::kAndroid, kAndroid, {"en", language});
    const size_t begin = result.find("<plurals");
    return result.substr(begin, result.find("</plurals>") - begin);
  };
  EXPECT_EQ(translate("ja"),
            "<plurals name=\"h\">\r\n    <item quantity=\"other\">[%d files]</item>\r\n  ");
  EXPECT_EQ(translate("cs"),
            "<plurals name=\"h\">\r\n    <item quantity=\"one\">[%d file]</item>\r\n    <item "
            "quantity=\"other\">[%d files]</item>\r\n    <item quantity=\"few\">[%d files]</item>"
            "\r\n  ");
}

TEST(AndroidTest, ElementThatATranslationLosesIsNotLost) {
  const std::string file = "<resources><string name=\"a\">A <b>b</b> c</string></resources>";
  EXPECT_EQ(translated(DocumentKind::kAndroid, file, {"Ohne"}), file);
}

TEST(AndroidTest, AnotherRootAndDamageAreRefused) {
  EXPECT_EQ(problem_of(DocumentKind::kAndroid, "<a/>"),
            "the file is not a file of Android resources: its root is not <resources>");
  EXPECT_THAT(problem_of(DocumentKind::kAndroid, "<resources>\n<string></resources>"),
              HasSubstr("line 2"));
}

TEST(StringsdictTest, FormsAreTranslated) {
  const std::string file =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST "
      "1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist "
      "version=\"1.0\">\n<dict>\n"
      "<key>files</key>\n<dict>\n<key>NSStringLocalizedFormatKey</key>\n<string>Found %#@n@ "
      "here</string>\n<key>n</key>\n<dict>\n<key>NSStringFormatSpecTypeKey</key>\n"
      "<string>NSStringPluralRuleType</string>\n<key>NSStringFormatValueTypeKey</key>\n"
      "<string>d</string>\n<key>zero</key>\n<string>no files</string>\n<key>one</key>\n<string>%d "
      "file</string>\n<key>other</key>\n<string>%d "
      "files</string>\n</dict>\n</dict>\n</dict>\n</plist>\n";
  EXPECT_THAT(segments_of(DocumentKind::kStringsdict, file),
              ElementsAre("Found %#@n@ here", "no files", "%d file", "%d files"));
  EXPECT_EQ(unchanged(DocumentKind::kStringsdict, file), file);
  EXPECT_THAT(bracketed(DocumentKind::kStringsdict, file, {"en", "pl"}),
              HasSubstr("<string>[Found %#@n@ here]</string>"));
  EXPECT_THAT(bracketed(DocumentKind::kStringsdict, file, {"en", "pl"}),
              HasSubstr("<string>[%d files]</string>\n<key>few</key>\n<string>[%d files]</string>"
                        "\n<key>many</key>\n<string>[%d files]</string>\n</dict>"));
  EXPECT_THAT(bracketed(DocumentKind::kStringsdict, file, {"en", "ja"}),
              HasSubstr("<string>[no files]</string>\n<key>other</key>"));
}

TEST(StringsdictTest, VariantsForWidthsAndDevicesAreTranslated) {
  const auto variants = [](const std::string& type) {
    return "<plist><dict><key>a</key><dict><key>" + type +
           "</key><dict><key>20</key><string>Short</string><key>other</key><string>A long "
           "text</string></dict></dict></dict></plist>";
  };
  for (const char* type : {"NSStringVariableWidthRuleType", "NSStringDeviceSpecificRuleType"})
    EXPECT_THAT(bracketed(DocumentKind::kStringsdict, variants(type), {"en", "pl"}),
                HasSubstr("<key>20</key><string>[Short]</string><key>other</key><string>[A long "
                          "text]</string></dict>"));
}

TEST(ResxTest, TextIsTranslated) {
  const std::string file =
      "<root>\n<resheader name=\"version\"><value>2.0</value></resheader>\n"
      "<data name=\"a\" xml:space=\"preserve\">\n<value>Save &lt;b&gt;it&lt;/b&gt; in {0}</value>"
      "\n<comment>A note</comment></data>\n<data name=\"b\" "
      "type=\"System.Drawing.Size\"><value>Some "
      "size</value></data>\n<data name=\"&gt;&gt;c.Name\"><value>name</value></data>\n"
      "<data name=\"d\"><value>Product</value><comment>{Locked}</comment></data>\n</root>";
  EXPECT_THAT(segments_of(DocumentKind::kResx, file), ElementsAre("Save <b>it</b> in {0}"));
  EXPECT_EQ(unchanged(DocumentKind::kResx, file), file);
  EXPECT_EQ(translated(DocumentKind::kResx, file, {"<b>Das</b> & {0}"}),
            changed(file, "Save &lt;b&gt;it&lt;/b&gt; in {0}", "&lt;b&gt;Das&lt;/b&gt; &amp; {0}"));
}

TEST(ResxTest, AStringMayHaveItsType) {
  EXPECT_THAT(segments_of(DocumentKind::kResx,
                          "<root><data type=\"System.String, mscorlib\"><value>A dog</value></data>"
                          "<data type=\"System.Strings.X\"><value>A cat</value></data></root>"),
              ElementsAre("A dog"));
}

TEST(TsTest, UnfinishedMessagesAreTranslated) {
  const std::string file =
      "<!DOCTYPE TS>\n<TS version=\"2.1\" sourcelanguage=\"en_US\">\n<context><name>Main</name>\n"
      "<message><source>Save &lt;it&gt;</source><comment>a</comment>\n"
      "<translation type=\"unfinished\"></translation></message>\n"
      "<message><source>Old one</source><translation type=\"obsolete\"></translation></message>\n"
      "<message><source>Done one</source><translation>Fertig</translation></message>\n"
      "<message numerus=\"yes\"><source>%n file(s)</source>\n<translation type=\"unfinished\">\n  "
      "<numerusform></numerusform>\n</translation></message>\n"
      "<message><source>Empty tag</source><translation type=\"unfinished\"/></message>\n"
      "</context>\n</TS>\n";
  const std::string result = bracketed(DocumentKind::kTs, file, {"en", "pl"});
  EXPECT_THAT(result, HasSubstr("<TS language=\"pl\" version=\"2.1\""));
  EXPECT_THAT(result,
              HasSubstr("<translation type=\"unfinished\">[Save &lt;it&gt;]</translation>"));
  EXPECT_THAT(result, HasSubstr("<translation type=\"obsolete\"></translation>"));
  EXPECT_THAT(result, HasSubstr("<translation>Fertig</translation>"));
  const std::string form = "\n  <numerusform>[%n file(s)]</numerusform>";
  EXPECT_THAT(result, HasSubstr("<translation type=\"unfinished\">" + form + form + form +
                                "\n</translation>"));
  EXPECT_THAT(result, HasSubstr("<translation type=\"unfinished\">[Empty tag]</translation>"));
}

// lupdate makes one for the plural forms of the source.
TEST(TsTest, CatalogueInTheSourceLanguageIsATemplate) {
  const std::string result = bracketed(
      DocumentKind::kTs,
      "<TS version=\"2.1\" language=\"en_US\"><context><message numerus=\"yes\"><source>%n "
      "files</source><translation><numerusform>%n file</numerusform><numerusform>%n files"
      "</numerusform></translation></message></context></TS>\n");
  EXPECT_EQ(result,
            "<TS version=\"2.1\" language=\"de\"><context><message numerus=\"yes\"><source>%n "
            "files</source><translation type=\"unfinished\"><numerusform>[%n files]</numerusform>"
            "<numerusform>[%n files]</numerusform></translation></message></context></TS>\n");
}

TEST(TsTest, CatalogueOfAnotherLanguageIsRefused) {
  EXPECT_EQ(problem_of(DocumentKind::kTs, "\n<TS language=\"fr_FR\"/>"),
            "line 2: language is 'fr_FR', but the request has 'de'");
}

}  // namespace
}  // namespace dietmt::service
