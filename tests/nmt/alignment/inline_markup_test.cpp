#include "nmt/alignment/inline_markup.h"

#include <gmock/gmock.h>

#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

TEST(InlineMarkupTest, TemplatesAndNumberedTagsArePairs) {
  EXPECT_EQ(placed("{% if a %}red{% endif %} house", "Haus rot", {1, 0}),
            "Haus {% if a %}rot{% endif %}");
  EXPECT_EQ(placed("{{#if a}}red{{/if}} house", "Haus rot", {1, 0}), "Haus {{#if a}}rot{{/if}}");
  EXPECT_EQ(placed("<% if a %>red<% end %> house", "Haus rot", {1, 0}),
            "Haus <% if a %>rot<% end %>");
  EXPECT_EQ(placed("the <0>red</0> house<1/>.", "Haus rot .", {2, 1, 2}), "Haus<1/> <0>rot</0> .");
  EXPECT_EQ(placed("{\\i1}red{\\i0} house", "Haus rot", {1, 0}), "Haus {\\i1}rot{\\i0}");
}

// Otherwise <5> would extend to the end of the sentence, like a tag that ends in the next one.
TEST(InlineMarkupTest, FormsThatNeedAPartnerArePointsWithoutIt) {
  for (const char* mark : {"{% set a %}", "{{/if}}", "<5>", "{\\i1}", "<% end %>"}) {
    const MarkedText marked = take_out_markup(std::string("one ") + mark + " two");
    ASSERT_EQ(marked.marks.size(), 1U) << mark;
    EXPECT_EQ(marked.marks.front().kind, InlineMark::Kind::kPoint) << mark;
    EXPECT_EQ(marked.text, "one two") << mark;
  }
}

TEST(InlineMarkupTest, AddressesInAngleBracketsAreNoTags) {
  EXPECT_EQ(placed("Write to <me@x.org> today", "Schreiben heute", {0, 2}),
            "Schreiben <me@x.org> heute");
  EXPECT_EQ(take_out_markup("see <https://x.org> <b>now").marks.front().kind,
            InlineMark::Kind::kPoint);
}

TEST(InlineMarkupTest, OverrideCodesBeginTheSubtitle) {
  EXPECT_EQ(take_out_markup("{\\an8}Open it").text, "Open it");
  EXPECT_EQ(take_out_markup("{1>Open<1} {b>it<b}").text, "Open it");
  EXPECT_EQ(placed("{1>Open<1} it", "Es öffnen", {1, 0}), "Es {1>öffnen<1}");
  EXPECT_EQ(placed("{\\an8}Open the file", "Datei öffnen", {2, 0}), "{\\an8}Datei öffnen");
  EXPECT_EQ(placed("{\\an8}{\\i1}Open{\\i0} it", "Es öffnen", {1, 0}),
            "{\\an8}Es {\\i1}öffnen{\\i0}");
}

TEST(InlineMarkupTest, ChoicesStayAsTheyAre) {
  const std::string choice = "{n, plural, one {# file} other {# files}}";
  EXPECT_EQ(take_out_markup("Deleted " + choice + ".").text, "Deleted.");
  EXPECT_EQ(placed("Deleted " + choice + ".", "Gelöscht:", {0}), "Gelöscht " + choice + ":");
}

TEST(InlineMarkupTest, TextLosesItsMarkupAndKeepsItsWordsApart) {
  EXPECT_EQ(take_out_markup("Open <b>{0}</b> now").text, "Open now");
  EXPECT_EQ(take_out_markup("{0} files in %s").text, "files in");
  EXPECT_EQ(take_out_markup("one<br/>two un<i>do</i>").text, "one two undo");
  EXPECT_EQ(take_out_markup("Copy %s to %s.").text, "Copy to.");
  EXPECT_EQ(take_out_markup("no markup").text, "no markup");
  EXPECT_EQ(take_out_markup("{0}").text, "");
}

TEST(InlineMarkupTest, TagsFindTheirPartners) {
  const MarkedText marked = take_out_markup("<b>a<i>b</b>c</i><br>");
  std::vector<int32_t> partners;
  for (const InlineMark& mark : marked.marks) partners.push_back(mark.partner);
  EXPECT_THAT(partners, testing::ElementsAre(2, -1, 0, -1, -1));
  EXPECT_EQ(marked.marks.back().kind, InlineMark::Kind::kPoint);
}

TEST(InlineMarkupTest, AnElementMovesWithItsWords) {
  EXPECT_EQ(placed("the <b>red</b> house", "la maison rouge", {0, 2, 1}), "la maison <b>rouge</b>");
  EXPECT_EQ(placed("the <b>red house</b>", "la maison rouge", {0, 2, 1}), "la <b>maison rouge</b>");
  EXPECT_EQ(placed("<i>the <b>red</b> house</i>.", "la maison rouge .", {0, 2, 1, 2}),
            "<i>la maison <b>rouge</b></i> .");
}

TEST(InlineMarkupTest, AnElementAroundAllWordsStaysAroundAll) {
  EXPECT_EQ(placed("<b><i>one two.</i></b>", "zwei und eins .", {1, 1, 0, 1}),
            "<b><i>zwei und eins .</i></b>");
}

TEST(InlineMarkupTest, WithoutAttentionWordsKeepTheirOrder) {
  EXPECT_EQ(join(place_markup(take_out_markup("one <b>two</b> three {0}"), "eins zwei drei")),
            "eins <b>zwei</b> drei {0}");
  EXPECT_EQ(join(place_markup(take_out_markup("{0}"), "eins")), "{0} eins");
}

// An element cannot enclose words that are apart: it takes the larger part.
TEST(InlineMarkupTest, AnElementGoesAroundOneRunOfWords) {
  EXPECT_EQ(placed("He <b>gave it up</b> today", "Er gab heute es auf", {0, 1, 4, 2, 3}),
            "Er gab heute <b>es auf</b>");
}

TEST(InlineMarkupTest, ElementsWithoutAlignedWordsGetAFreeWordIfThereIsOne) {
  EXPECT_EQ(placed("a <b>b</b> <i>c</i>", "x y", {0, 0}), "<b>x</b> <i>y</i>");
  EXPECT_EQ(placed("<b>a</b> <i>b</i> <u>c</u>", "x", {1}), "<b>x</b><i></i><u></u>");
}

TEST(InlineMarkupTest, PointsStayBesideTheirNeighbours) {
  EXPECT_EQ(placed("Delete {0} files", "Dateien löschen", {1, 0}), "{0} Dateien löschen");
  EXPECT_EQ(placed("Copy %s to %s.", "nach kopieren .", {1, 0, 1}), "%s nach %s kopieren .");
  EXPECT_EQ(placed("Size: {0}%", "Größe:", {0}), "Größe: {0}%");
  EXPECT_EQ(placed("word<x id=\"1\"/> two", "zwei Wort", {1, 0}), "zwei Wort<x id=\"1\"/>");
  EXPECT_EQ(placed("Open $name$", "Öffnen", {0}), "Öffnen $name$");
  EXPECT_EQ(placed("{0}", "", {}), "{0}");
}

// Otherwise "Hello, !" would be left to translate.
TEST(InlineMarkupTest, PunctuationGoesWithItsPlaceholder) {
  EXPECT_EQ(take_out_markup("Hello, {0}!").text, "Hello!");
  EXPECT_EQ(take_out_markup("The file \"%s\" is ('{0}') open.").text, "The file is open.");
  EXPECT_EQ(take_out_markup("Saved as “{0}”.").text, "Saved as.");
  EXPECT_EQ(take_out_markup("{0}: not found").text, "not found");
  EXPECT_EQ(take_out_markup("{0}/{1} files, {2}, {3} and {4}").text, "files, and");
  EXPECT_EQ(take_out_markup("Size: {0}KB of --{1} in https://{2}/x.html.").text, "Size: of in.");
  EXPECT_EQ(take_out_markup("Copy (%s bytes) to %s's (%d)").text, "Copy (bytes) to");
  EXPECT_EQ(take_out_markup("({0}/{1}).").text, "");
  EXPECT_EQ(take_out_markup("Done. {0}. Go on.").text, "Done. Go on.");
}

// Weak attention goes to the full stop.
TEST(InlineMarkupTest, PlaceholdersStayInsideThePunctuationOfTheSentence) {
  EXPECT_EQ(placed("Open {0}.", "Öffnen Sie .", {1, 1, 0}), "Öffnen Sie {0} .");
  EXPECT_EQ(placed("Do you want {0}?", "Wollen Sie ?", {3, 3, 2}), "Wollen Sie {0} ?");
  EXPECT_EQ(placed("Say \"Open {0}.\"", "Sag \"Öffnen.\"", {0, 1}), "Sag \"Öffnen {0}.\"");
  EXPECT_EQ(placed("Open {0}.", ".", {0}), "{0}.");
  EXPECT_EQ(placed("¿{0} existe ya?", "¿ Exists ?", {0, 0, 1}), "¿ {0} Exists ?");
  EXPECT_EQ(placed("{0} exists .", "¿ Existe ?", {0, 1, 1}), "¿ {0} Existe ?");
  EXPECT_EQ(placed("Open <b>it</b> now .", "Jetzt öffnen .", {0, 0, 1}), "<b>Jetzt</b> öffnen .");
  EXPECT_EQ(placed("Open. {0}", "Öffnen.", {0}), "Öffnen. {0}");
  EXPECT_EQ(placed("<b>Open</b> {0} .", "Jetzt öffnen .", {1, 0, 0}), "Jetzt <b>öffnen</b> {0} .");
}

// In Chinese, Korean and Arabic they would be words to translate.
TEST(InlineMarkupTest, SymbolsAndQuotationMarksOfAllLanguagesGoWithTheirPlaceholder) {
  EXPECT_EQ(take_out_markup("It costs €{0}, £%s or {1}€.").text, "It costs or.");
  EXPECT_EQ(take_out_markup("It costs $ {0} or US$ {1} and {2} % of {3}\u00A0€.").text,
            "It costs or and of.");
  EXPECT_EQ(take_out_markup("«{name}» ou »{0}« et „{1}“").text, "ou et");
  EXPECT_EQ(take_out_markup("§{0}–{1} at {2}°C → {3}’s").text, "at");
  EXPECT_EQ(take_out_markup("Die {0}-Größe ist ¿{1} groß?").text, "Die ist ¿groß?");
  EXPECT_EQ(take_out_markup("„Datei {0}“ und „{1} Dateien“").text, "„Datei“ und „Dateien“");
  EXPECT_EQ(take_out_markup("打开{0}文件").text, "打开 文件");
  EXPECT_EQ(take_out_markup("و{0} 파일{1}을 열기").text, "و 파일 을 열기");
  EXPECT_EQ(take_out_markup("A {0}—see there").text, "A —see there");
  EXPECT_EQ(placed("The price is €{0}.", "Preis ist der .", {1, 2, 0, 2}), "Preis ist €{0} der .");
  EXPECT_EQ(placed("Open «{name}» now", "Jetzt öffnen", {1, 0}), "«{name}» Jetzt öffnen");
}

TEST(InlineMarkupTest, PlaceholdersKeepTheirSpacesAndPunctuation) {
  EXPECT_EQ(placed("Hello, {0}!", "Hallo!", {0}), "Hallo, {0}!");
  EXPECT_EQ(placed("Hello {0}!", "Hallo!", {0}), "Hallo {0}!");
  EXPECT_EQ(placed("{0}: not found", "gefunden nicht", {1, 0}), "{0}: gefunden nicht");
  EXPECT_EQ(placed("Error: {0}", "Fehler:", {0}), "Fehler: {0}");
  EXPECT_EQ(placed("Error {0}: {1}.", "Fehler.", {0}), "Fehler {0}: {1}.");
  EXPECT_EQ(placed("{0}/{1} new files", "Dateien neue", {1, 0}), "Dateien {0}/{1} neue");
  EXPECT_EQ(placed("Open the file \"%s\".", "Datei öffnen.", {2, 0}), "Datei \"%s\" öffnen.");
  EXPECT_EQ(placed("%s (%s bytes)", "(Byte)", {0}), "%s (%s Byte)");
  EXPECT_EQ(placed("Copy (at most {0}) now", "Jetzt kopieren (höchstens)", {3, 0, 2}),
            "Jetzt kopieren (höchstens {0})");
  EXPECT_EQ(placed("打开 {0}。", "Open.", {0}), "Open {0}.");
}

TEST(InlineMarkupTest, ReferencesAreTheirCharacters) {
  EXPECT_EQ(take_out_markup("Don&#39;t open R&amp;D caf&eacute;&nbsp;&lt;").text,
            "Don't open R&D café");
  EXPECT_EQ(placed("Don&#39;t use &quot;{0}&quot; &amp; x", "N'ouvre pas < & x", {0, 0, 1, 2, 3}),
            "N&#39;ouvre pas &lt; &quot;{0}&quot; &amp; x");
  EXPECT_EQ(placed("a & b &#xe9;", "& é", {1, 3}), "& &#xe9;");
  EXPECT_EQ(placed("go &lt;b&gt;on&lt;/b&gt;", "weiter &", {0, 1}),
            "weiter &lt;b&gt;&amp;&lt;/b&gt;");
}

TEST(InlineMarkupTest, APartOfAWordTakesTheWholeOne) {
  EXPECT_EQ(placed("<b>Del</b>ete files", "Dateien löschen", {1, 0}), "Dateien <b>löschen</b>");
  EXPECT_EQ(placed("please un<i>do</i> it", "bitte aufheben", {0, 1}), "bitte <i>aufheben</i>");
  EXPECT_EQ(placed("<b>un</b><i>do</i> it", "hebe auf", {1, 0}), "hebe <b>auf</b><i></i>");
}

// The <b> begins inside a word of the preceding <i>; its elements do not have that word either.
TEST(InlineMarkupTest, ElementsInsideOneThatSharesAWordStay) {
  EXPECT_EQ(placed("<i>un</i><b><u>do</u> <g>x</g></b> it", "hebe y es auf", {0, 1, 2, 0}),
            "<i>hebe</i> <b><u></u><g>y</g></b> es auf");
}

TEST(InlineMarkupTest, MarksOfACutTextComeAfterTheTranslation) {
  const MarkedText marked = take_out_markup("one <b>two <i>three</i></b> {0} four <u>five</u>");
  const std::string target = "eins zwei";
  auto source = tokens_of_words(marked.text);
  source.resize(2);
  const auto tokens = tokens_of_words(target);
  const auto parts = place_markup(marked, source, {target, tokens}, attention_of({0, 1}, 2));
  EXPECT_EQ(join(parts), "eins <b>zwei<i></i></b> {0}<u></u>");
}

// Weights for all its parts would take four gigabytes and a minute.
TEST(InlineMarkupTest, ALongLineThatIsCutTakesNoMoreThanItsBeginning) {
  constexpr size_t kTokens = 1000, kBytes = 1'000'000;
  std::string target = "a";
  for (size_t i = 1; i < kTokens; ++i) target += " a";
  const auto tokens = tokens_of_words(target);
  const auto attention = attention_of(std::vector<size_t>(kTokens, 1), kTokens);
  for (const char c : {'{', '<', '[', '%'}) {
    for (const char* mark : {"", "{0} "}) {
      MarkedText marked = take_out_markup(mark + std::string("a b") + std::string(kBytes, c));
      marked.text.resize(std::max(marked.text.size(), kBytes), c);
      std::vector<data::TextSpan> source;
      for (int32_t i = 0; i < static_cast<int32_t>(kTokens); ++i) source.push_back({i, i + 1});
      const auto parts = place_markup(marked, source, {target, tokens}, attention);
      EXPECT_GE(join(parts).size(), target.size());
    }
  }
  MarkedText marked = take_out_markup("a {0} b");
  marked.text.resize(kBytes, '[');
  EXPECT_EQ(join(place_markup(marked, target)).size(), target.size() + 4);
}

TEST(InlineMarkupTest, EmptyElementsStayWhole) {
  EXPECT_EQ(placed("one <a><b></b></a> two", "eins zwei", {0, 1}), "eins <a><b></b></a> zwei");
}

// The other tags are in neighbouring sentences.
TEST(InlineMarkupTest, TagsWithoutPartnerReachToAnEnd) {
  EXPECT_EQ(placed("one two</b> <i>three", "zwei eins drei", {1, 0, 2}), "zwei eins</b> <i>drei");
  EXPECT_EQ(placed("</b> one", "eins", {0}), "</b>eins");
  EXPECT_EQ(placed("one <b>", "eins", {0}), "eins<b>");
}

TEST(InlineMarkupTest, ATranslationWithoutWordsKeepsAllMarks) {
  EXPECT_EQ(placed("<b>one {0}</b> %s <i>two", "", {}), "<b>{0}</b>%s<i>");
}

// As in documents, whose marks may look like text.
TEST(MarkedTextTest, MarksOutsideOfTheTextKeepTheirNumbers) {
  MarkedText document{.text = "Open {0} <br> now", .marks = {}};
  for (const auto& [at, tag] : {std::pair{0, "<b>"}, {4, "</b>"}, {17, "<br/>"}}) {
    const auto number = static_cast<int32_t>(document.marks.size());
    document.marks.push_back({.parts = {{tag, true, number}}, .at = at});
  }
  const MarkedText marked = take_out_markup(document);
  EXPECT_EQ(marked.text, "Open now");
  std::vector<int32_t> numbers;
  std::string found;
  for (const MarkedPart& part : place_markup(marked, "Jetzt")) {
    if (part.mark >= 0) numbers.push_back(part.mark);
    if (part.mark < 0 && part.is_markup) found += part.text;
  }
  EXPECT_THAT(numbers, testing::UnorderedElementsAre(0, 1, 2));
  EXPECT_EQ(found, "{0}<br>");
}

}  // namespace
}  // namespace dietmt::nmt
