// Plurals and choices of ICU messages are translated as whole sentences.
#include <nlohmann/json.hpp>

#include "tests/common/cpu_cost.h"
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string json_of(const std::string& message) { return nlohmann::json{message}.dump(); }

std::vector<std::string> sentences_of(const std::string& message) {
  return segments_of(DocumentKind::kJson, json_of(message));
}

// With [sentence] for each sentence.
std::string bracketed_message(const std::string& message, const std::string& target = "de") {
  const std::string json = bracketed(DocumentKind::kJson, json_of(message), {"en", target});
  return nlohmann::json::parse(json).at(0);
}

struct Result {
  std::string message;
  size_t refused;
};

Result translated_message(const std::string& message, const std::vector<std::string>& texts) {
  const auto document = open_document(DocumentKind::kJson, json_of(message), {"en", "de"});
  std::vector<Translation> translations;
  for (size_t i = 0; i < texts.size(); ++i)
    translations.push_back(translation_of(document->segments().at(i), texts[i]));
  const std::string json = document->translated(translations);
  return {nlohmann::json::parse(json).at(0), document->refused()};
}

constexpr const char* kFolder =
    "You have {n, plural, =0 {no files} one {# file} other {# files}} in {folder}.";

TEST(MessageSentencesTest, BranchesAreWholeSentences) {
  EXPECT_THAT(sentences_of(kFolder),
              ElementsAre("You have no files in {folder}.", "You have # file in {folder}.",
                          "You have # files in {folder}."));
  EXPECT_EQ(bracketed_message(kFolder),
            "{n, plural, =0 {[You have no files in {folder}.]} one {[You have # file in "
            "{folder}.]} other {[You have # files in {folder}.]}}");
  EXPECT_EQ(unchanged(DocumentKind::kJson, json_of(kFolder)), json_of(kFolder));
  EXPECT_EQ(
      translated_message("{n,plural,\n  one{# file}\n  other{# files}\n}", {"# Datei", "# Dateien"})
          .message,
      "{n,plural,\n  one{# Datei}\n  other{# Dateien}\n}");
}

TEST(MessageSentencesTest, FormsAreThoseOfTheTarget) {
  const std::string files = "{n, plural, one {# file} other {# files}}";
  EXPECT_EQ(bracketed_message(files, "pl"),
            "{n, plural, one {[# file]} few {[# files]} many {[# files]} other {[# files]}}");
  EXPECT_EQ(bracketed_message(files, "ja"), "{n, plural, other {[# files]}}");
  EXPECT_EQ(bracketed_message("{n, plural, =0 {none} one {# file} other {# files}}", "ja"),
            "{n, plural, =0 {[none]} other {[# files]}}");
  // Flutter has "zero" for 0 in all languages, and "=1" where others have "one".
  EXPECT_EQ(bracketed_message("{n, plural, zero {none} =1 {one} other {{n} files}}"),
            "{n, plural, zero {[none]} =1 {[one]} other {[{n} files]}}");
  EXPECT_EQ(bracketed_message("{n, selectordinal, one {#st day} two {#nd day} few {#rd day} other "
                              "{#th day}}"),
            "{n, selectordinal, other {[#th day]}}");
  EXPECT_EQ(bracketed_message("{n, plural, other {files}}", "pl"),
            "{n, plural, one {[files]} few {[files]} many {[files]} other {[files]}}");
}

TEST(MessageSentencesTest, OneWithoutItsNumberIsFor1Only) {
  EXPECT_EQ(bracketed_message("{n, plural, one {a day} other {# days}}", "ru"),
            "{n, plural, =1 {[a day]} one {[# days]} few {[# days]} many {[# days]} other {[# "
            "days]}}");
  EXPECT_EQ(bracketed_message("{n, plural, one {{n} day} other {# days}}", "pt"),
            "{n, plural, one {[{n} day]} other {[# days]}}");
  EXPECT_EQ(bracketed_message("{n, plural, one {a day} other {# days}}", "de"),
            "{n, plural, one {[a day]} other {[# days]}}");
}

TEST(MessageSentencesTest, AMessageWithoutItsEndStays) {
  const std::string broken = "{n, plural, one {# file} other {# files} selected";
  EXPECT_EQ(bracketed(DocumentKind::kJson, json_of(broken)), json_of(broken));
  EXPECT_THAT(open_document(DocumentKind::kJson, json_of(broken), {"en", "de"})->left_out(),
              ElementsAre("the text inside plurals and choices (messages: 1)"));
}

std::string xliff_of(const std::string& unit, const std::string& target = "de") {
  return "<xliff version=\"1.2\"><file source-language=\"en\" target-language=\"" + target +
         "\"><body><trans-unit id=\"1\">" + unit + "</trans-unit></body></file></xliff>";
}

// As Angular writes them.
TEST(MessageSentencesTest, ElementsOfXliffAreInSentences) {
  const std::string source =
      "<source>{N, plural, =0 {none} =1 {a &amp; <x id=\"A\"/>} other {<x id=\"B\"/> of <x "
      "id=\"C\"/>}}</source>";
  EXPECT_THAT(
      bracketed(DocumentKind::kXliff, xliff_of(source)),
      HasSubstr(source + "<target>{N, plural, =0 {[none]} =1 {[a &amp; <x id=\"A\"/>]} other {[<x "
                         "id=\"B\"/> of <x id=\"C\"/>]}}</target>"));
  // A translation without its element would break the message.
  EXPECT_THAT(translated(DocumentKind::kXliff, xliff_of(source), {"keine", "ein", "viele"}),
              HasSubstr("<target>{N, plural, =0 {none} =1 {a &amp; <x id=\"A\"/>} other"));
  const std::string tmx =
      "<tmx version=\"1.4\"><body><tu><tuv xml:lang=\"en\"><seg>{n, plural, one {# file} other {# "
      "files}}</seg></tuv></tu></body></tmx>";
  EXPECT_THAT(bracketed(DocumentKind::kTmx, tmx),
              HasSubstr("<seg>{n, plural, one {[# file]} other {[# files]}}</seg>"));
}

TEST(MessageSentencesTest, ElementsOfXliffAreCopiedForEachForm) {
  const std::string source = "<source>{N, plural, other {<x id=\"A\"/> files}} left</source>";
  const std::string sentence = " {[<x id=\"A\"/> files left]}";
  EXPECT_THAT(bracketed(DocumentKind::kXliff, xliff_of(source, "pl"), {"en", "pl"}),
              HasSubstr("<target>{N, plural, one" + sentence + " few" + sentence + " many" +
                        sentence + " other" + sentence + "}</target>"));
}

TEST(MessageSentencesTest, AUnitOfXliffWithAChoiceAroundTextOfElementsStays) {
  const std::string xliff =
      xliff_of("<source>{n, plural, one {<g id=\"A\">a</g> file} other {files}}</source>");
  EXPECT_THAT(bracketed(DocumentKind::kXliff, xliff), testing::EndsWith(xliff));
  EXPECT_THAT(open_document(DocumentKind::kXliff, xliff, {"en", "de"})->left_out(),
              ElementsAre("the text inside plurals and choices (messages: 1)"));
}

TEST(MessageSentencesTest, ChoicesAreNestedInTheirOrder) {
  EXPECT_EQ(bracketed_message("{g, select, male {He} other {They}} sent {n, plural, offset:1 one "
                              "{one photo} other {# photos}}."),
            "{g, select, male {{n, plural, offset:1 one {[He sent one photo.]} other {[He sent # "
            "photos.]}}} other {{n, plural, offset:1 one {[They sent one photo.]} other {[They "
            "sent # photos.]}}}}");
  EXPECT_EQ(bracketed_message("{a, select, x {A {b, select, y {cat} other {dog}} eats} other "
                              "{Nobody eats}} here."),
            "{a, select, x {{b, select, y {[A cat eats here.]} other {[A dog eats here.]}}} other "
            "{[Nobody eats here.]}}");
}

TEST(MessageSentencesTest, NumberOfAnotherChoiceGetsItsName) {
  EXPECT_EQ(bracketed_message("Issue #1: {a, plural, other {# files}} in {b, plural, other {# "
                              "folders}}",
                              "ja"),
            "{a, plural, other {{b, plural, other {[Issue '#'1: {a, number} files in # "
            "folders]}}}}");
  EXPECT_EQ(bracketed_message("{n, plural, other {# files of {g, select, other {hers}}}}", "ja"),
            "{n, plural, other {{g, select, other {[{n, number} files of hers]}}}}");
  // A brace that closes nothing would close the branch.
  EXPECT_EQ(bracketed_message("a } {g, select, other {b}}"), "[a }] {g, select, other {[b]}}");
  // What # is with an offset cannot be written elsewhere.
  EXPECT_EQ(
      bracketed_message("{n, plural, offset:1 other {{g, select, other {She}} and # more}}", "ja"),
      "{n, plural, offset:1 other {{g, select, other {[She]}} [and # more]}}");
}

TEST(MessageSentencesTest, LargeMessagesAreTranslatedInParts) {
  const std::string seven = "{a, select, a {b} c {d} e {f} g {h} i {j} k {l} other {m}}";
  const std::string message = "Both " + seven + " and " + seven + ".";
  EXPECT_THAT(sentences_of(message), ElementsAre("Both", "b", "d", "f", "h", "j", "l", "m", "and"));
  EXPECT_EQ(bracketed_message(message).substr(0, 25), "[Both] {a, select, a {[b]");
}

TEST(MessageSentencesTest, MessageWithALostPlaceholderStays) {
  for (const char* broken : {"# Datei in", "Datei in {folder}", "# Datei in {folder} #",
                             "# Datei {x} in {folder}", "# Datei in {folder} {"}) {
    const Result result = translated_message(kFolder, {"Nichts in {folder}", broken, broken});
    EXPECT_EQ(result.message, kFolder) << broken;
    EXPECT_EQ(result.refused, 3U) << broken;
  }
}

TEST(MessageSentencesTest, ApostrophesStayValid) {
  const auto french = [](const std::string& message, const std::string& text) {
    return translated_message(message, {text}).message;
  };
  EXPECT_EQ(french("{g, select, other {The file of {name}}}", "L'index d'{name}"),
            "{g, select, other {L'index d’{name}}}");
  EXPECT_EQ(french("{g, select, other {It isn''t {name}}}", "L'index d'{name}"),
            "{g, select, other {L''index d''{name}}}");
  EXPECT_EQ(french("{0, select, other {The file of {1}}}", "L'index d'{1}"),
            "{0, select, other {L''index d''{1}}}");
  EXPECT_EQ(french("{0,choice,0#It''s {1}}", "L'index d'{1}"), "{0,choice,0#L’index d’{1}}");
  EXPECT_THAT(sentences_of("It''s '{'n'}' {g, select, other {here}}"),
              ElementsAre("It's '{'n'}' here"));
  EXPECT_THAT(sentences_of("{n, plural, other {it's '#'{n} of #}}"),
              ElementsAre("it's '#'{n} of #"));
}

TEST(MessageSentencesTest, TagsAndPlaceholdersAreMarks) {
  const auto document = open_document(
      DocumentKind::kJson,
      json_of("See <a href='{url}'>{n, plural, other {# files}}</a> of {d, date, ::yMMMd}"),
      {"en", "ja"});
  std::vector<std::string> marks;
  for (const auto& mark : document->segments().at(0).marks) marks.push_back(mark.parts[0].text);
  EXPECT_THAT(marks, ElementsAre("<a href='{url}'>", "#", "</a>", "{d, date, ::yMMMd}"));
}

TEST(MessageSentencesTest, WhatCannotBeReadIsNamed) {
  const auto left_out = [](const std::string& json) {
    return open_document(DocumentKind::kJson, json, {"en", "de"})->left_out();
  };
  const std::string deep =
      repeated("{a, select, other {", 300 * 19) + "deep" + repeated("}}", 300 * 2);
  EXPECT_THAT(left_out(json_of("{ $n -> [one] a file *[other] files }")),
              ElementsAre("the text inside plurals and choices (messages: 1)"));
  EXPECT_THAT(left_out(nlohmann::json{"{n, plural, one {a file}}", deep, "x"}.dump()),
              ElementsAre("the text inside plurals and choices (messages: 2)"));
  EXPECT_THAT(left_out(json_of(kFolder)), IsEmpty());
  EXPECT_THAT(open_document(DocumentKind::kXliff, xliff_of("<source>{n, plural, one {a}}</source>"),
                            {"en", "de"})
                  ->left_out(),
              ElementsAre("the text inside plurals and choices (messages: 1)"));
  EXPECT_THAT(left_out(json_of("a select of {n} choices")), IsEmpty());
  // The first choice is complete.
  const std::string two = json_of("{n, plural, other {#}} files, {m, plural, other {#} folders");
  EXPECT_EQ(bracketed(DocumentKind::kJson, two), two);
}

TEST(MessageSentencesTest, OfOtherCatalogues) {
  EXPECT_EQ(bracketed(DocumentKind::kProperties,
                      "a=There {0,choice,0#are no files|1#is one file|1<are {0,number} files}.\n"),
            "a={0,choice,0#[There are no files.]|1#[There is one file.]|1<[There are {0,number} "
            "files.]}\n");
  EXPECT_EQ(bracketed(DocumentKind::kProperties,
                      "a={n, plural, one {It''s # file} other {They''re \\\n  # files}}\n"),
            "a={n, plural, one {[It''s # file]} other {[They''re # files]}}\n");
  EXPECT_EQ(bracketed(DocumentKind::kYaml, "a: \"{n, plural, one {# file} other {# files}}\"\n"),
            "a: \"{n, plural, one {[# file]} other {[# files]}}\"\n");
  EXPECT_EQ(bracketed(DocumentKind::kArb, R"({"a": "{n, plural, =1{1 file} other{{n} files}}"})"),
            R"({"a": "{n, plural, =1{[1 file]} other{[{n} files]}}"})");
  EXPECT_EQ(bracketed(DocumentKind::kResx,
                      "<root><data name=\"a\"><value>{n, plural, one {# &lt;file} other {# "
                      "files}}</value></data></root>"),
            "<root><data name=\"a\"><value>{n, plural, one {[# &lt;file]} other {[# "
            "files]}}</value></data></root>");
}

}  // namespace
}  // namespace dietmt::service
