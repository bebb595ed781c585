// Catalogues without XML, and tables. Only values change.
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string with_columns(DocumentKind kind, const std::string& bytes, const std::string& columns) {
  return bracketed(kind, bytes, {.source = "en", .target = "de", .columns = columns});
}

TEST(PropertiesTest, ValuesAreTranslatedAndEverythingElseStays) {
  const std::string file =
      "# Comment = not a value\r\n! also\r\n\r\nsave = Save the file\r\nopen:Open\r\n"
      "two\\ words  Both of them\r\nlong = A long \\\r\n    line\r\nempty =\r\nnumber = 12\r\n"
      "caf\\u00e9 = A caf\\u00e9\\n\r\nlast=The last";
  EXPECT_THAT(
      segments_of(DocumentKind::kProperties, file),
      ElementsAre("Save the file", "Open", "Both of them", "A long line", "A café", "The last"));
  EXPECT_EQ(unchanged(DocumentKind::kProperties, file), file);
  EXPECT_EQ(translated(DocumentKind::kProperties, file,
                       {"Datei\\speichern", "Öffnen", "b", "l", "Café", "\tz"}),
            "# Comment = not a value\r\n! also\r\n\r\nsave = Datei\\\\speichern\r\n"
            "open:\\u00D6ffnen\r\ntwo\\ words  b\r\nlong = l\r\nempty =\r\nnumber = 12\r\n"
            "caf\\u00e9 = Caf\\u00E9\\n\r\nlast=\\tz");
}

TEST(PropertiesTest, EncodingStaysThatOfTheFile) {
  const auto translate = [](const std::string& file) {
    return translated(DocumentKind::kProperties, file, {"größer €"});
  };
  EXPECT_EQ(translate("a=bigger"), "a=gr\\u00F6\\u00DFer \\u20AC");
  EXPECT_EQ(translate("# é\na=bigger"), "# é\na=größer €");
  EXPECT_EQ(translate("# \xE9\na=bigger"),
            "# \xE9\na=gr\xF6\xDF"
            "er \\u20AC");
}

TEST(PropertiesTest, ApostrophesOfMessageFormatAreDoubled) {
  const std::string file = "a=Don''t open {0}\nb=Open {0}\nc=Don't open\nd='{0}' isn''t open\n";
  EXPECT_EQ(unchanged(DocumentKind::kProperties, file), file);
  EXPECT_EQ(translated(DocumentKind::kProperties, file, {"N'ouvre {0}", "L'{0}", "N'ouvre", "x"}),
            "a=N''ouvre {0}\nb=L''{0}\nc=N'ouvre\nd='{0}' isn''t open\n");
}

TEST(PropertiesTest, DamagedEscapeIsNamed) {
  EXPECT_EQ(problem_of(DocumentKind::kProperties, "a=b\nc=\\u12"),
            "line 2: \\u needs four hexadecimal digits");
}

TEST(YamlTest, FormsAreAddedAfterAnyLineEnd) {
  const std::string rails = "en:\r  a:\r    one: A dog\r    other: The dogs\r";
  EXPECT_THAT(unchanged(DocumentKind::kYaml, rails), testing::HasSubstr("other: The dogs"));
  for (const char* odd : {"en: {one: A dog}", "other: A dog", "one: A dog\u0085other: The dogs"})
    EXPECT_THAT(unchanged(DocumentKind::kYaml, odd), testing::HasSubstr("A dog")) << odd;
}

TEST(JsonTest, StringsAreTranslatedAndKeysStay) {
  const std::string file =
      "{\n  \"menu\": {\"save\" : \"Save \\\"it\\\"\", \"n\": 1.50, \"list\": [\"One day\", true, "
      "null]},\n  \"Key\": \"{count} files\" , \"empty\": \"\"\n}\n";
  EXPECT_THAT(segments_of(DocumentKind::kJson, file),
              ElementsAre("Save \"it\"", "One day", "{count} files"));
  EXPECT_EQ(unchanged(DocumentKind::kJson, file), file);
  EXPECT_EQ(translated(DocumentKind::kJson, file, {"\"ü\"\n", "Tag", "{count} Dateien"}),
            "{\n  \"menu\": {\"save\" : \"\\\"ü\\\"\\n\", \"n\": 1.50, \"list\": [\"Tag\", true, "
            "null]},\n  \"Key\": \"{count} Dateien\" , \"empty\": \"\"\n}\n");
}

TEST(JsonTest, CommentsStay) {
  const std::string file = "// \"A\"\n[\"B b\", /* \"c\" */ \"D d\"] // \"e";
  EXPECT_THAT(segments_of(DocumentKind::kJson, file), ElementsAre("B b", "D d"));
  EXPECT_EQ(bracketed(DocumentKind::kJson, file),
            "// \"A\"\n[\"[B b]\", /* \"c\" */ \"[D d]\"] // \"e");
}

TEST(JsonTest, EscapesStayIfTheFileHasOnlyThem) {
  EXPECT_EQ(translated(DocumentKind::kJson, "[\"caf\\u00e9\"]", {"Käse"}), "[\"K\\u00e4se\"]");
}

TEST(JsonTest, ValueWhosePlaceholderIsLostStays) {
  const std::string file = "[\"{count} files\"]";
  EXPECT_EQ(translated(DocumentKind::kJson, file, {"Dateien"}), file);
}

std::string bracketed_for(const std::string& target, DocumentKind kind, const std::string& file) {
  return bracketed(kind, file, {"en", target});
}

TEST(JsonTest, OnlyTheMessagesOfExtensionsAreTranslated) {
  const std::string file =
      "{\n  \"hello\": {\n    \"message\": \"Hello, $USER$. Costs $1\",\n    \"description\": "
      "\"A greeting\",\n    \"placeholders\": {\"user\": {\"content\": \"$1\", \"example\": "
      "\"Cira Doe\"}}\n  },\n  \"bye\": {\"message\": \"Bye now\"}\n}\n";
  EXPECT_THAT(segments_of(DocumentKind::kJson, file),
              ElementsAre("Hello, $USER$. Costs $1", "Bye now"));
  EXPECT_EQ(unchanged(DocumentKind::kJson, file), file);
  EXPECT_EQ(
      translated(DocumentKind::kJson, "{\"a\": {\"message\": \"Hi $USER$\"}}", {"Hallo USER"}),
      "{\"a\": {\"message\": \"Hi $USER$\"}}");
  EXPECT_THAT(segments_of(DocumentKind::kJson,
                          "{\"a\": {\"defaultMessage\": \"One\", \"description\": \"Two\"}}"),
              ElementsAre("One"));
  EXPECT_THAT(segments_of(DocumentKind::kJson,
                          "{\"a\": {\"message\": \"One\"}, \"b\": {\"title\": \"Two\"}}"),
              ElementsAre("One", "Two"));
}

TEST(JsonTest, PluralFormsOfI18nextAreThoseOfTheTarget) {
  const std::string file =
      "{\n  \"n_one\": \"{{count}} file\",\n  \"n_other\" : \"{{count}} files\",\n  \"x\": "
      "\"End\", "
      "\"in_other\": \"words\"\n}\n";
  EXPECT_EQ(bracketed_for("pl", DocumentKind::kJson, file),
            "{\n  \"n_one\": \"[{{count}} file]\",\n  \"n_other\" : \"[{{count}} files]\",\n  "
            "\"n_few\" : \"[{{count}} files]\",\n  \"n_many\" : \"[{{count}} files]\",\n  \"x\": "
            "\"[End]\", \"in_other\": \"[words]\"\n}\n");
  EXPECT_EQ(unchanged(DocumentKind::kJson, file), file);  // into German
  EXPECT_EQ(bracketed_for("pl", DocumentKind::kJson,
                          "{\"a_other\":\"b\",\"c\":{\"a_one\":\"d\"},\"a_ordinal_one\":\"a st\","
                          "\"a_ordinal_other\":\"a th\"}"),
            "{\"a_other\":\"[b]\",\"c\":{\"a_one\":\"[d]\"},\"a_ordinal_one\":\"[a st]\","
            "\"a_ordinal_other\":\"[a th]\"}");
}

TEST(JsonTest, DamageIsNamedWithItsLine) {
  EXPECT_THAT(problem_of(DocumentKind::kJson, "{\n\"a\": \"b\"\n\"c\": 1}"), HasSubstr("line 3"));
  EXPECT_NE(problem_of(DocumentKind::kJson, ""), "none");
  EXPECT_NE(problem_of(DocumentKind::kJson, "[\"a"), "none");
}

TEST(ArbTest, MetadataStaysAndTheLocaleBecomesTheTarget) {
  const std::string file =
      "{\"@@locale\": \"en\", \"@@author\": \"Some One\", \"hi\": \"Hello {name}\",\n"
      "\"@hi\": {\"description\": \"A greeting\", \"placeholders\": {\"name\": {\"example\": "
      "\"Bob\"}}},\n\"n\": \"{n, plural, one{# file} other{# files}}\", \"z\": \"The end\"}";
  const auto segments = segments_of(DocumentKind::kArb, file);
  EXPECT_EQ(segments.front(), "Hello {name}");
  EXPECT_EQ(segments.back(), "The end");
  std::string german = file;
  german.replace(german.find("\"en\""), 4, "\"de\"");
  EXPECT_EQ(unchanged(DocumentKind::kArb, file), german);
  EXPECT_THAT(bracketed(DocumentKind::kArb, file), HasSubstr("one{[# file]} other{[# files]}}"));
}

TEST(AppleStringsTest, ValuesAreTranslatedAndEverythingElseStays) {
  const std::string file =
      "/* \"No\" = \"value\"; */\n\"Save\" = \"Save \\\"%@\\\"\";\n// c\nkey = \"Two\\nlines\" ;\n"
      "\"same\";\n";
  EXPECT_THAT(segments_of(DocumentKind::kStrings, file), ElementsAre("Save \"%@\"", "Two\nlines"));
  EXPECT_EQ(unchanged(DocumentKind::kStrings, file), file);
  EXPECT_EQ(translated(DocumentKind::kStrings, file, {"\"%@\" sichern", "Zwei\nZeilen"}),
            "/* \"No\" = \"value\"; */\n\"Save\" = \"\\\"%@\\\" sichern\";\n// c\nkey = "
            "\"Zwei\\nZeilen\" ;\n\"same\";\n");
}

TEST(AppleStringsTest, Utf16Stays) {
  const auto utf16 = [](const std::string& text) {
    std::string bytes = "\xFF\xFE";
    for (const char c : text) bytes += std::string{c, '\0'};
    return bytes;
  };
  EXPECT_EQ(unchanged(DocumentKind::kStrings, utf16("\"a\" = \"b\";\n")),
            utf16("\"a\" = \"b\";\n"));
  EXPECT_EQ(bracketed(DocumentKind::kStrings, utf16("\"a\" = \"b\";")), utf16("\"a\" = \"[b]\";"));
}

TEST(AppleStringsTest, DamageIsNamedWithItsLine) {
  const auto problem = [](const std::string& file) {
    return problem_of(DocumentKind::kStrings, file);
  };
  EXPECT_EQ(problem("\"a\" = \"b\";\n\"c\" = \"d\"\n"),
            "line 3: a semicolon is missing after a string");
  EXPECT_EQ(problem("\n\"a\" = \"b;"), "line 2: the string has no closing quote");
  EXPECT_EQ(problem("/* a"), "line 1: the comment has no end");
}

TEST(YamlTest, StringsAreTranslatedAndEverythingElseStays) {
  const std::string file =
      "# Comment: no\ntitle: \"A \\\"title\\\"\"\nlist:\n  - One day   # why\n  - 'It''s'\n  - "
      "true\n"
      "  - 1.5\nanchor: &a The base\nalias: *a\nblock: |\n  First line\n  second line\nflow: {a: "
      "One thing, b: [Two things]}\nfolded: >-\n  Some\n  text\nend: é ü\n";
  EXPECT_THAT(segments_of(DocumentKind::kYaml, file),
              ElementsAre("A \"title\"", "One day", "It's", "The base", "First line\nsecond line",
                          "One thing", "Two things", "Some text", "é ü"));
  EXPECT_EQ(unchanged(DocumentKind::kYaml, file), file);
  EXPECT_EQ(
      translated(DocumentKind::kYaml, file,
                 {"Ein \"T\"", "No", "d'e", "- x", "Erste\nZeile", "a, b", "c: d", "e", "f #g"}),
      "# Comment: no\ntitle: \"Ein \\\"T\\\"\"\nlist:\n  - \"No\"   # why\n  - 'd''e'\n  - true\n"
      "  - 1.5\nanchor: &a \"- x\"\nalias: *a\nblock: |\n  Erste\n  Zeile\nflow: {a: "
      "\"a, b\", b: [\"c: d\"]}\nfolded: >-\n  e\nend: \"f #g\"\n");
}

TEST(YamlTest, BlankLinesOfABlockGetNoSpaces) {
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "a: |\n  One.\n\n  Two.\n"),
            "a: |\n  [One.\n\n  Two.]\n");
}

TEST(YamlTest, LinesOfABlockStayLines) {
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "a: >\n  One\n  line.\n\n  Two.\n\n    Three\n  Four\n"),
            "a: >\n  [One line.\n\n  Two.\n\n    Three\n  Four]\n");
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "a: |\n\n  One.\n  Two.\n"),
            "a: |\n\n  [One.\n  Two.]\n");
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "- a: |2\n      One.\n    Two.\n"),
            "- a: |2\n      [One.\n    Two.]\n");
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "a: |\r\n  One.\r\n  Two.\r\n"),
            "a: |\r\n  [One.\r\n  Two.]\r\n");
}

TEST(YamlTest, OnlyValuesWithTheTagOfStringsAreTranslated) {
  const std::string file =
      "- !!str A dog\n- &a !!str \"A cat\"\n- ! 'No'\n- !x A cow\n- !!set {A, B}\n";
  EXPECT_THAT(segments_of(DocumentKind::kYaml, file), ElementsAre("A dog", "A cat", "No"));
  EXPECT_EQ(
      bracketed(DocumentKind::kYaml, file),
      "- !!str \"[A dog]\"\n- &a !!str \"[A cat]\"\n- ! '[No]'\n- !x A cow\n- !!set {A, B}\n");
}

TEST(YamlTest, LanguageOnTopBecomesTheTarget) {
  EXPECT_EQ(unchanged(DocumentKind::kYaml, "---\n\"en\":\n  a: b c\n"), "---\n\"de\":\n  a: b c\n");
  EXPECT_EQ(unchanged(DocumentKind::kYaml, "en:\n  en: en\nfr:\n  a: b\n"),
            "en:\n  en: en\nfr:\n  a: b\n");
}

TEST(YamlTest, PluralFormsOfRailsAreThoseOfTheTarget) {
  EXPECT_EQ(
      bracketed_for(
          "pl", DocumentKind::kYaml,
          "en:\n  files:\n    one: a file\n    other: \"%{count} files\" # c\n  flow: "
          "{one: a,\n  other: b}\n  x: {other: c}\n  y:\n    one: d\n    new: e\n    other: f\n"),
      "pl:\n  files:\n    one: \"[a file]\"\n    other: \"[%{count} files]\" # c\n    few: "
      "\"[%{count} files]\"\n    many: \"[%{count} files]\"\n  flow: {one: \"[a]\",\n  other: "
      "\"[b]\", few: \"[b]\", many: \"[b]\"}\n  x: {other: \"[c]\"}\n  y:\n    one: "
      "\"[d]\"\n    new: \"[e]\"\n    other: \"[f]\"\n");
  const std::string no_catalogue = "a:\n  one: a b\n  other: c d\n";
  EXPECT_EQ(bracketed_for("pl", DocumentKind::kYaml, no_catalogue),
            "a:\n  one: \"[a b]\"\n  other: \"[c d]\"\n");
  EXPECT_EQ(
      bracketed_for("pl", DocumentKind::kYaml, "en:\r\n  a:\r\n    one: b\r\n    other: 'c'"),
      "pl:\r\n  a:\r\n    one: \"[b]\"\r\n    other: '[c]'\r\n    few: '[c]'\r\n    many: '[c]'");
}

TEST(YamlTest, DamageIsNamedWithItsLine) {
  EXPECT_THAT(problem_of(DocumentKind::kYaml, "a: b\nc: [d\ne: f"), HasSubstr("line 3"));
  EXPECT_EQ(problem_of(DocumentKind::kYaml, "\n" + std::string(200, '[')),
            "line 2: the YAML is nested more than 100 levels deep");
}

TEST(TableTest, OnlyNamedColumnsAreTranslated) {
  const std::string file =
      "id,text,\"note, long\"\r\n1,Hello you,\"A \"\"b\"\"\nc\"\r\n2,,Some note\r\n";
  EXPECT_EQ(with_columns(DocumentKind::kCsv, file, "text, id"),
            "id,text,\"note, long\"\r\n1,[Hello you],\"A \"\"b\"\"\nc\"\r\n2,,Some note\r\n");
  EXPECT_EQ(with_columns(DocumentKind::kCsv, file, "3"),
            "id,text,\"[note, long]\"\r\n1,Hello you,\"[A \"\"b\"\"\nc]\"\r\n2,,[Some note]\r\n");
}

TEST(TableTest, TranslationIsQuotedIfItNeedsThat) {
  const auto document = open_document(DocumentKind::kCsv, "a;b\nc;d\n",
                                      {.source = "en", .target = "de", .columns = "b"});
  EXPECT_EQ(document->translated({{{.text = "e; \"f\""}}}), "a;b\nc;\"e; \"\"f\"\"\"\n");
  EXPECT_EQ(with_columns(DocumentKind::kTsv, "a, b\tc\n", "2"), "a, b\t[c]\n");
}

TEST(TableTest, SeparatorIsFoundOrNamed) {
  EXPECT_EQ(with_columns(DocumentKind::kCsv, "sep=;\r\na,b;c\r\nd;e, f, g\r\n", "c"),
            "sep=;\r\na,b;c\r\nd;[e, f, g]\r\n");
  EXPECT_EQ(with_columns(DocumentKind::kCsv, "a|b, c|d\ne|f|g\n", "d"), "a|b, c|d\ne|f|[g]\n");
  EXPECT_EQ(with_columns(DocumentKind::kCsv, "sep=,b\nc,d\n", "b"), "sep=,b\nc,[d]\n");
}

TEST(TableTest, QuotesOfTsvMayBeText) {
  const std::string file =
      "a\tb\n1\t\"Hello\" said she\n2\t\"Hello\n3\tShe said \"no\"\n4\t\"A\nb\"\n";
  EXPECT_EQ(with_columns(DocumentKind::kTsv, file, "b"),
            "a\tb\n1\t[\"Hello\" said she]\n2\t[\"Hello]\n3\t[She said \"no\"]\n4\t\"[A\nb]\"\n");
}

TEST(TableTest, CharsetIsFoundOrGiven) {
  const std::string file = "key,text\n1,The caf\xE9 in the house is closed today\n";
  const auto document =
      open_document(DocumentKind::kCsv, file, {.source = "en", .target = "de", .columns = "text"});
  EXPECT_EQ(document->charset(), "windows-1252");
  EXPECT_EQ(bracketed(DocumentKind::kCsv, "a\nb \xE1\n",
                      {.source = "en", .target = "de", .charset = "windows-1251", .columns = "a"}),
            "a\n[b б]\n");
}

TEST(TableTest, ProblemsAreNamed) {
  const auto problem = [](const std::string& file, const std::string& columns) {
    try {
      open_document(DocumentKind::kCsv, file, {.source = "en", .target = "de", .columns = columns});
      return std::string("none");
    } catch (const DataError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(
      problem("a,b\n", ""),
      "name the columns to translate: columns=NAME,NAME or columns=1,3. The first row is a, b");
  EXPECT_EQ(problem("a,b\n", "c"), "columns: there is no column \"c\"; the first row is a, b");
  EXPECT_EQ(problem("a,b\nc,\"d\n", "b"), "line 2: the cell has no closing quote");
  EXPECT_EQ(problem("a,b\n\"c\"d,e\n", "b"), "line 2: there is text after a quoted cell");
}

}  // namespace
}  // namespace dietmt::service
