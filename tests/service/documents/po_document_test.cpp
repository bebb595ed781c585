// Catalogues of GNU gettext: msgfmt must accept the result, and a program must be able to use it.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kCatalogue =
    "# a comment\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
    "#: file.c:1\n#, c-format\nmsgctxt \"menu\"\nmsgid \"Open \\\"%s\\\"\\n\"\nmsgstr \"\"\n\n"
    "msgid \"done\"\nmsgstr \"fertig\"\n"
    "msgid \"\"\n\"two \"\n\"lines\"\nmsgstr \"\"\n\n"
    "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n"
    "#~ msgid \"old\"\n#~ msgstr \"\"\n";

TEST(PoDocumentTest, MessagesWithoutTranslationAreSegments) {
  EXPECT_THAT(segments_of(DocumentKind::kPo, kCatalogue),
              ElementsAre("Open \"%s\"", "two lines", "%d file", "%d files"));
  std::string expected = kCatalogue;
  const auto insert = [&](const std::string& before, const std::string& text) {
    const size_t at = expected.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    expected.insert(at + before.size(), text);
  };
  insert("\\\"\\n\"\nmsgstr \"", "[Open \\\"%s\\\"]\\n");
  insert("\"lines\"\nmsgstr \"", "[two lines]");
  insert("msgstr[0] \"", "[%d file]");
  insert("msgstr[1] \"", "[%d files]");
  EXPECT_EQ(bracketed(DocumentKind::kPo, kCatalogue, {"en", "de", false}), expected);
}

TEST(PoDocumentTest, RareFormsAreRead) {
  const std::string text =
      "  msgid\t\"a\\a\\v\"  \nmsgstr \"\"\n\"\"\ndomain \"d\"\nmsgid \"b\"\n# note\nmsgstr\"\"";
  EXPECT_EQ(bracketed(DocumentKind::kPo, text, {"en", "de", false}),
            "  msgid\t\"a\\a\\v\"  \nmsgstr \"[a\\a\\v]\"\ndomain \"d\"\nmsgid \"b\"\n# note\n"
            "msgstr \"[b]\"");
}

// As in Japanese, whose only form serves all numbers.
TEST(PoDocumentTest, AMessageMayBeOnOneLine) {
  const std::string header = "msgid \"\" msgstr \"\" \"Language: de\\n\"\n";
  const std::string one =
      "msgid \"The \\\"m\\\" file\" msgstr \"\" msgctxt\"a\"msgid\"House\"msgstr\"\"\n";
  EXPECT_THAT(bracketed(DocumentKind::kPo, header + one, {"en", "de", false}),
              testing::EndsWith("msgid \"The \\\"m\\\" file\"\nmsgstr \"[The \\\"m\\\" file]\"\n"
                                "msgctxt\"a\"\nmsgid\"House\"\nmsgstr \"[House]\"\n"));
  EXPECT_EQ(problem_of(DocumentKind::kPo, header + "msgid \"a\" msgstr \"\"\nmsgid x\n"),
            "line 3: a quoted string is missing");
}

TEST(PoDocumentTest, OneFormIsThePlural) {
  const std::string message = "msgid \"one file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\n";
  EXPECT_THAT(segments_of(DocumentKind::kPo, message), ElementsAre("%d files"));
  EXPECT_THAT(segments_of(DocumentKind::kPo, message + "msgstr[1] \"x\"\n"),
              ElementsAre("one file"));
  EXPECT_EQ(bracketed(DocumentKind::kPo, "msgid \"a\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
                      {"en", "de", false}),
            "msgid \"a\"\nmsgstr[0] \"[a]\"\nmsgstr[1] \"[a]\"\n");
}

// The translation is UTF-8.
TEST(PoDocumentTest, TheHeaderDeclaresUtf8) {
  const auto header = [](const std::string& charset) {
    return "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=" + charset +
           "\\n\"\n\nmsgid \"a\"\nmsgstr \"\"\n";
  };
  const std::string translated = bracketed(DocumentKind::kPo, header("UTF-8"));
  for (const std::string same : {"CHARSET", "us-ascii"})
    EXPECT_EQ(bracketed(DocumentKind::kPo, header(same)), translated) << same;
  EXPECT_EQ(problem_of(DocumentKind::kPo, header("utf8")), "none");
  EXPECT_EQ(bracketed(DocumentKind::kPo, header("ISO-8859-1")), translated);
}

TEST(PoDocumentTest, ACatalogueIsReadInTheCharsetThatItDeclares) {
  const std::string comment = "# " + std::string(1500, 'x') + "\n";
  const auto catalogue = [&](const std::string& charset, const std::string& letter) {
    return comment + "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=" + charset +
           "\\n\"\n\nmsgid \"a\"\nmsgstr \"" + letter + "\"\n\nmsgid \"b\"\nmsgstr \"\"\n";
  };
  for (const auto& [charset, letter] : {std::pair("CP1251", "\xC4"), std::pair("KOI8-R", "\xE4")})
    EXPECT_EQ(unchanged(DocumentKind::kPo, catalogue(charset, letter)),
              unchanged(DocumentKind::kPo, catalogue("UTF-8", "Д")));
}

std::string forms(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += "msgstr[" + std::to_string(i) + "] \"\"\n";
  return all;
}

TEST(PoDocumentTest, DamagedCataloguesAreRefused) {
  EXPECT_EQ(
      problem_of(DocumentKind::kPo, "msgctxt \"\"\nmsgid \"a\"\nmsgid_plural \"b\"\n" + forms(10)),
      "none");
  EXPECT_THAT(problem_of(DocumentKind::kPo, "# nothing\n\n"), HasSubstr("no message"));
  for (const auto& [text, problem] : std::vector<std::pair<std::string, std::string>>{
           {"no catalogue\n", "line 1: this is neither a comment"},
           {"msgid\nmsgstr\n", "line 1: a quoted string is missing"},
           {"msgid \"a\"\nmsgstr \"\nx\n", "line 2: the string has no closing quote"},
           {"msgid \"a\\\"\nmsgstr \"\"\n", "line 1: the string has no closing quote"},
           {"msgid \"a\\x\"\n", "line 1: the escape \\x is not known"},
           {"msgid \"a\" x msgstr \"\"", "line 1: there is text after"},
           {"msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"", "line 2: msgid occurs twice"},
           {"msgid \"a\"\nmsgctxt \"b\"\nmsgstr \"\"", "line 2: msgctxt after its msgid"},
           {"msgstr \"a\"\n", "line 1: msgstr without a msgid"},
           {"# a\n\"b\"\n", "line 2: a string without a keyword"},
           {"msgctxt \"a\"\n\n", "line 2: the message before this line has no msgstr"},
           {"msgid \"a\"\nmsgtxt \"\"\n", "line 2: this is neither a comment"},
           {"msgctxt \"\"\nmsgid \"a\"\nmsgid_plural \"b\"\n" + forms(11),
            "line 14: a message has more than ten plural forms"}})
    EXPECT_THAT(problem_of(DocumentKind::kPo, text), HasSubstr(problem)) << text;
}

// The msgstr of a message without its quotes, translated as given.
std::string filled(const std::string& flag, const std::string& msgid, const std::string& text,
                   const std::string& target = "de") {
  const std::string message =
      (flag.empty() ? "" : "#, " + flag + "\n") + "msgid \"" + msgid + "\"\nmsgstr \"\"\n";
  const auto document = open_document(DocumentKind::kPo, message, {"en", target, false});
  if (document->segments().empty()) return "no segment";
  const std::string result =
      document->translated({translation_of(document->segments().front(), text)});
  const std::string_view key = "msgstr \"";
  const size_t begin = result.find(key) + key.size();
  return result.substr(begin, result.rfind('"') - begin);
}

std::vector<std::string> marks(const std::string& flag, const std::string& msgid) {
  const auto document = open_document(
      DocumentKind::kPo, "#, " + flag + "\nmsgid \"" + msgid + "\"\nmsgstr \"\"\n", {"en", "de"});
  std::vector<std::string> tags;
  for (const nmt::InlineMark& mark : document->segments().at(0).marks)
    tags.push_back(mark.parts.front().text);
  return tags;
}

TEST(PoDocumentTest, AMessageWithoutItsFirstFormGetsNoOthers) {
  const std::string file = "msgid \"a file\"\nmsgstr \"\"\nmsgstr[5] \"\"\nmsgstr[1] \"\"\n";
  EXPECT_THAT(bracketed(DocumentKind::kPo, file),
              HasSubstr("msgstr \"[a file]\"\nmsgstr[5] \"[a file]\"\nmsgstr[1] \"[a file]\"\n"));
}

TEST(PoDocumentTest, MessagesOfIcuAreTranslatedBySentences) {
  const std::string file =
      "msgid \"{n, plural, one {# file} other {# files}} left\"\nmsgstr \"\"\n"
      "msgid \"{ $n -> [one] a *[other] b }\"\nmsgstr \"\"\n";
  const auto document = open_document(DocumentKind::kPo, file, {"en", "de"});
  EXPECT_THAT(document->left_out(),
              ElementsAre("the text inside plurals and choices (messages: 1)"));
  EXPECT_THAT(bracketed(DocumentKind::kPo, file),
              HasSubstr("msgstr \"{n, plural, one {[# file left]} other {[# files left]}}\"\n"));
  EXPECT_THAT(translated(DocumentKind::kPo, file, {"# Datei", "Dateien"}),
              HasSubstr("left\"\nmsgstr \"\"\n"));
  const std::string broken = "msgid \"{n, plural, other {# files} left\"\nmsgstr \"\"\n";
  EXPECT_EQ(bracketed(DocumentKind::kPo, broken), broken);
  const std::string c = "#, c-format\nmsgid \"{n, plural, other {# files}} left\"\nmsgstr \"\"\n";
  EXPECT_THAT(segments_of(DocumentKind::kPo, c), ElementsAre("{n, plural, other {# files}} left"));
}

TEST(PoDocumentTest, FlagsDecideWhatAPlaceholderIs) {
  EXPECT_THAT(marks("c-format", "a %s %-5ld %2$s %<PRIu64> 100%% %.*f b"),
              ElementsAre("%s", "%-5ld", "%2$s", "%<PRIu64>", "%%", "%.*f"));
  EXPECT_THAT(marks("no-c-format", "a 10 % b"), IsEmpty());
  EXPECT_THAT(marks("python-format", "a %r %(name)s b"), ElementsAre("%r", "%(name)s"));
  EXPECT_THAT(marks("python-brace-format", "a {} {x!r:>{width}} {{b}} c"),
              ElementsAre("{}", "{x!r:>{width}}", "{{", "}}"));
  EXPECT_THAT(marks("scheme-format", "a ~a ~5,2f ~% b"), ElementsAre("~a", "~5,2f", "~%"));
  EXPECT_THAT(marks("perl-format", "a %vd %b c"), ElementsAre("%vd", "%b"));
  EXPECT_THAT(marks("perl-brace-format", "a {name} b"), ElementsAre("{name}"));
  EXPECT_THAT(marks("ruby-format", "a %<n>d %{x} b"), ElementsAre("%<n>d", "%{x}"));
  EXPECT_THAT(marks("qt-format", "a %1 %L2 %n b"), ElementsAre("%1", "%L2", "%n"));
  EXPECT_THAT(marks("sh-format", "a $file ${dir} b"), ElementsAre("$file", "${dir}"));
  EXPECT_THAT(marks("csharp-format", "a {0,5:N2} b"), ElementsAre("{0,5:N2}"));
  EXPECT_THAT(marks("java-format", "a {0,choice,0#no|1#one {1}} b"),
              ElementsAre("{0,choice,0#no|1#one {1}}"));
  EXPECT_THAT(marks("php-format", "a %1$s %'010d b"), ElementsAre("%1$s"));
  EXPECT_THAT(marks("lua-format", "a %q b"), ElementsAre("%q"));
  EXPECT_THAT(marks("c-format", "a <b>%s</b> {0} &amp; b"),
              ElementsAre("<b>", "%s", "</b>", "{0}"));
}

TEST(PoDocumentTest, ArgumentsInAnotherOrderAreNumberedOrRefused) {
  EXPECT_EQ(filled("c-format", "pipe %s as fd %d", "fd %d aus Rohr %s"), "fd %2$d aus Rohr %1$s");
  EXPECT_EQ(filled("c-format", "%1$s of %2$d", "%2$d von %1$s"), "%2$d von %1$s");
  EXPECT_EQ(filled("c-format", "a %*d and %s", "%s und a %*d"), "");
  EXPECT_EQ(filled("python-format", "a %s and %r", "%r und %s a"), "");
  EXPECT_EQ(filled("python-format", "a %(b)s and %(c)r", "%(c)r und %(b)s a"), "%(c)r und %(b)s a");
  EXPECT_EQ(filled("scheme-format", "a ~a and ~s", "~s und ~a a"), "");
}

TEST(PoDocumentTest, NoLetterIsGluedToAPlaceholder) {
  EXPECT_EQ(filled("c-format", "%d files were deleted", "%datei wurde entfernt"), "");
  EXPECT_EQ(filled("c-format", "the file %s", "die Datei%s"), "");
  EXPECT_EQ(filled("c-format", "%s: the %ss", "%s: die %ss"), "%s: die %ss");
  EXPECT_EQ(filled("c-format", "open %s", "「%s」を開く%", "ja"), "");
  EXPECT_EQ(filled("c-format", "%d files", "%d个文件", "zh"), "%d个文件");
}

TEST(PoDocumentTest, NoPlaceholderIsLostOrInvented) {
  EXPECT_EQ(filled("c-format", "line %s is the same", "Zeile % ist dieselbe"), "");
  EXPECT_EQ(filled("c-format", "line %s is the same", "Zeile %s ist zu 100% dieselbe"), "");
  EXPECT_EQ(filled("c-format", "the same line", "dieselbe Zeile %s"), "");
  EXPECT_EQ(filled("python-brace-format", "the line", "die {Zeile"), "");
  EXPECT_EQ(filled("", "the line", ""), "");
  EXPECT_EQ(filled("java-format", "the {0}", "l'{0}"), "l''{0}");
}

// Programs read them, and models lose them.
TEST(PoDocumentTest, TabsBracketsAndBackslashesStay) {
  EXPECT_THAT(marks("c-format", R"(a %s\tb <%s> \\{ or \\x, c:\\dir)"),
              ElementsAre("%s", "\t", "<", "%s", ">", "\\{", "\\x", "\\"));
  EXPECT_THAT(marks("", "a {big|small one} (ca@valencia), a%5d"),
              ElementsAre("{", "|", "}", "ca@valencia", "%5d"));
  EXPECT_THAT(marks("", R"(# a\n## b # c#)"), ElementsAre("#", "##"));
  EXPECT_THAT(marks("", "on %b %-d, 50%Off of %x"), ElementsAre("%b", "%-d", "%x"));
  EXPECT_THAT(marks("c-format", "on %b %d"), ElementsAre("%d"));
  EXPECT_THAT(marks("", "B<a> I<b c> me E<lt>a@b.cE<gt>"),
              ElementsAre("B<a>", "I<", ">", "E<lt>", "a@b.c", "E<gt>"));
  EXPECT_EQ(filled("c-format", "home page: <%s>", "Startseite: %s>"), "");
  EXPECT_EQ(filled("c-format", "home page: <%s>", "Startseite: <%s>"), "Startseite: <%s>");
  EXPECT_EQ(filled("", R"(a\tb)", "x y"), "");
}

TEST(PoDocumentTest, OptionsOfCommandsAndQuotedBracesStay) {
  EXPECT_THAT(marks("", "-h, --help  shows; --color=never, --a_b-c=N. (--x) '{'n'}'"),
              ElementsAre("--help", "--color=never", "--a_b-c=N", "--x", "'{'", "'}'"));
  EXPECT_THAT(marks("", "a -- b --- c x--y 5--6 it's"), IsEmpty());
}

TEST(PoDocumentTest, MnemonicsGoToALetter) {
  EXPECT_EQ(filled("", "_Open...", "Öffnen..."), "_Öffnen...");
  EXPECT_EQ(filled("", "Save _As", "Speichern als"), "Speichern _als");
  EXPECT_EQ(filled("", "&Open %s", "%s öffnen"), "%s &öffnen");
  EXPECT_EQ(filled("", "_Open...", "打开...", "zh"), "打开(_O)...");
  EXPECT_EQ(filled("", "_Open", "Öff_nen"), "");
  EXPECT_EQ(filled("", "a &amp; b", "a &amp; b"), "a &amp; b");
  EXPECT_EQ(filled("", "the variable _x", "die Variable _x"), "die Variable _x");
  const auto segments = [](const std::string& others) {
    return segments_of(DocumentKind::kPo, others +
                                              "msgid \"E_xit...\"\nmsgstr \"\"\n"
                                              "msgid \"file_name\"\nmsgstr \"\"\n");
  };
  EXPECT_THAT(segments("msgid \"_Open\"\nmsgstr \"a\"\n").front(), "Exit...");
  EXPECT_THAT(segments("").front(), "E_xit...");
}

TEST(PoDocumentTest, TranslationsAreMarkedAsFuzzy) {
  const std::string catalogue =
      "# note\nmsgid \"a\"\nmsgstr \"\"\n\n#, c-format\nmsgid \"b\"\nmsgstr \"\"\n\n"
      "msgid \"c\"\nmsgstr \"done\"\n\n#, fuzzy\nmsgid \"d\"\nmsgstr \"\"\n";
  EXPECT_EQ(bracketed(DocumentKind::kPo, catalogue),
            "# note\n#, fuzzy\nmsgid \"a\"\nmsgstr \"[a]\"\n\n"
            "#, fuzzy, c-format\nmsgid \"b\"\nmsgstr \"[b]\"\n\n"
            "msgid \"c\"\nmsgstr \"done\"\n\n#, fuzzy\nmsgid \"d\"\nmsgstr \"[d]\"\n");
}

TEST(PoDocumentTest, ACatalogueInAnotherLanguageIsRefused) {
  const auto header = [](const std::string& code) {
    return "msgid \"\"\nmsgstr \"\"\n\"Language: " + code + "\\n\"\n";
  };
  EXPECT_EQ(problem_of(DocumentKind::kPo, header("pt_BR")),
            "line 3: the language of the catalogue is 'pt_BR', but the request translates to 'de'");
  EXPECT_EQ(problem_of(DocumentKind::kPo, header("de_AT")), "none");
}

TEST(PoDocumentTest, ATemplateBecomesACatalogueOfTheTarget) {
  const std::string pot =
      "#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n"
      "\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\n"
      "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  const std::string polish = bracketed(DocumentKind::kPo, pot, {"en", "pl", false});
  EXPECT_THAT(polish, HasSubstr("msgid \"\"\nmsgstr \"\"\n\"Language: pl\\n\"\n"
                                "\"Plural-Forms: nplurals=3; plural=(n==1"));
  EXPECT_THAT(polish, HasSubstr("msgstr[0] \"[%d file]\"\nmsgstr[1] \"[%d files]\"\n"
                                "msgstr[2] \"[%d files]\"\n"));
  EXPECT_THAT(polish, Not(HasSubstr("fuzzy")));
  const std::string japanese = bracketed(DocumentKind::kPo, pot, {"en", "ja", false});
  EXPECT_THAT(japanese, HasSubstr("nplurals=1; plural=0;"));
  EXPECT_THAT(japanese, testing::EndsWith("msgstr[0] \"[%d files]\"\n"));
}

TEST(PoDocumentTest, SpacesAreNoTranslation) {
  EXPECT_EQ(
      bracketed(DocumentKind::kPo, "msgid \"a\"\nmsgstr \" \"\n\"\\n\"\n", {"en", "de", false}),
      "msgid \"a\"\nmsgstr \"[a]\"\n");
}

TEST(PoDocumentTest, AStringMayBeInPiecesOnOneLine) {
  EXPECT_THAT(segments_of(DocumentKind::kPo, "msgid \"pat\" \"ch\"\nmsgstr \"\" \"\"\n"),
              ElementsAre("patch"));
}

TEST(PoDocumentTest, AMessageHasAllItsPluralFormsOrNone) {
  const std::string message =
      "msgid \"%d file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
  EXPECT_EQ(translated(DocumentKind::kPo, message, {"%d Datei", "Dateien"}), message);
}

TEST(PoDocumentTest, RefusedMessagesAreCounted) {
  const auto document = open_document(
      DocumentKind::kPo, "msgid \"a %s\"\nmsgstr \"\"\nmsgid \"b\"\nmsgstr \"\"\n", {"en", "de"});
  std::vector<Translation> translations;
  translations.push_back({{"A"}});
  translations.push_back({{"B"}});
  document->translated(translations);
  const SegmentReport report = report_of(*document, translations);
  EXPECT_EQ(report.translated, 1U);
  EXPECT_EQ(report.refused, 1U);
}

}  // namespace
}  // namespace dietmt::service
