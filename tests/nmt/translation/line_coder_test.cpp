#include "nmt/translation/line_coder.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/data/tagged_subwords.h"
#include "tests/nmt/translation/no_decoder.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The only pieces.
class Digits : public data::CharacterSubwords {
 public:
  int64_t size() const override { return 13; }
  std::string piece(int32_t id) const override {
    return id < 3 ? CharacterSubwords::piece(id) : std::string(1, static_cast<char>('0' + id - 3));
  }
};

const LoadedDecoder& line_model() {
  static const auto model = model_without_decoder<data::TaggedCharacters>(20, 10);
  return model;
}

std::vector<int32_t> ids(const std::string& text) {
  return line_model().source_tokenizer->encode(text);
}

std::vector<int32_t> ended(const std::string& text) {
  std::vector<int32_t> all = ids(text);
  all.push_back(2);
  return all;
}

Hypothesis found_as(const std::string& text) {
  Hypothesis found;
  found.ids = ids(text);
  found.token_scores.assign(found.ids.size() + 1, -0.5F);
  return found;
}

// Its tokens attend to those of the request in order.
Hypothesis copy_of(const LineRequest& line, const std::string& text) {
  Hypothesis found = found_as(text);
  const size_t sources = line.request.source.size();
  found.attention.resize((found.ids.size() + 1) * sources);
  for (size_t t = 0; t <= found.ids.size(); ++t)
    found.attention[t * sources + std::min(t + static_cast<size_t>(line.tag_tokens), sources - 1)] =
        1.0F;
  return found;
}

std::string translated(LineCoder& coder, const std::string& line, const std::string& found) {
  const LineRequest request = coder.prepare(line);
  return coder.finish(request, {copy_of(request, found)}).front().text;
}

TEST(LineCoder, MakesARequestAndAResult) {
  LineCoder coder(line_model(), {}, {.pieces = true});
  const LineRequest line = coder.prepare("dog", {.index = 7, .prefix = "H"});
  EXPECT_TRUE(line.has_text);
  EXPECT_EQ(line.request.source, ended("dog"));
  EXPECT_EQ(line.request.prefix, ids("H"));
  EXPECT_EQ(line.request.index, 7);
  EXPECT_EQ(line.tokens, 4);
  const auto results = coder.finish(line, NBest{found_as("Hund"), Hypothesis()});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].text, "Hund");
  EXPECT_THAT(results[0].token_scores, testing::SizeIs(5));
  EXPECT_THAT(results[0].pieces, ElementsAre("H", "u", "n", "d", "</s>"));
  EXPECT_EQ(results[1].text, "");
}

// OpenNMT's models read no end of sentence after a source.
class EndlessSources : public data::TaggedCharacters {
 public:
  std::vector<int32_t> source_ending() const override { return {}; }
};

// mBART's have their language after it.
class SourcesWithLanguage : public data::TaggedCharacters {
 public:
  std::vector<int32_t> source_ending() const override { return {end(), kLanguage}; }
  static constexpr int32_t kLanguage = 'L';
};

TEST(LineCoder, SourcesMayEndWithTheirLanguage) {
  LoadedDecoder model_with_language = line_model();
  model_with_language.source_tokenizer = data::fake_tokenizer<SourcesWithLanguage>();
  LineCoder coder(model_with_language, {.alignment = true}, {.markup = true});
  LineRequest line = coder.prepare("a <b>dog</b>");
  std::vector<int32_t> expected = ids("a dog");
  expected.insert(expected.end(), {2, SourcesWithLanguage::kLanguage});
  EXPECT_EQ(line.request.source, expected);
  EXPECT_EQ(coder.finish(line, {copy_of(line, "a dog")}).front().text, "a <b>dog</b>");
  EXPECT_FALSE(coder.prepare("").has_text);
}

TEST(LineCoder, SourcesMayHaveNoEnd) {
  LoadedDecoder endless = line_model();
  endless.source_tokenizer = data::fake_tokenizer<EndlessSources>();
  LineCoder coder(endless, {.alignment = true}, {.markup = true});
  LineRequest line = coder.prepare("a <b>dog</b>");
  EXPECT_EQ(line.request.source, ids("a dog"));
  EXPECT_EQ(line.tokens, 5);
  EXPECT_EQ(coder.finish(line, {copy_of(line, "a dog")}).front().text, "a <b>dog</b>");
  EXPECT_TRUE(coder.prepare("d").has_text);
  EXPECT_FALSE(coder.prepare("").has_text);
  EXPECT_EQ(coder.prepare(std::string(30, 'd')).tokens, 20);
}

TEST(LineCoder, ModelsReadNoMarksOfLayout) {
  LineCoder coder(line_model(), {}, {});
  EXPECT_EQ(coder.prepare("\uFEFFa d\u00ADo\u2060g\u200E").source, "a dog");
  EXPECT_EQ(coder.prepare("d\u200Do\u200Cg").source, "d\u200Do\u200Cg");
  LineCoder marked(line_model(), {.alignment = true}, {.markup = true});
  const LineRequest line = marked.prepare("a\u00ADb <b>d\u00ADog\u00AD</b>");
  EXPECT_EQ(line.source, "ab dog");
  EXPECT_EQ(marked.finish(line, {copy_of(line, "ab dog")}).front().text, "ab <b>dog</b>");
}

TEST(LineCoder, WhatIsCopiedKeepsItsMarksOfLayout) {
  LineCoder coder(line_model(), {}, {.keep = KeptKinds::all()});
  for (const char* text : {"\u200E\u200F @red_dog", "\u200F12:30", "7\u00AD @red_dog"}) {
    const LineRequest line = coder.prepare(take_out_markup(text, coder.finder(KeptKinds::all())));
    EXPECT_FALSE(line.has_text) << text;
    EXPECT_EQ(coder.finish(line, {}).front().text, text);
  }
}

TEST(LineCoder, TranslatesCapitalsInTheUsualCase) {
  LineCoder plain(line_model(), {}, {.restores_case = true});
  LineCoder marked(line_model(), {.alignment = true}, {.markup = true, .restores_case = true});
  const LineRequest line = plain.prepare("THE DOG");
  EXPECT_EQ(line.request.source, ended("The dog"));
  EXPECT_EQ(line.text_case, LineCase::kCapitals);
  EXPECT_EQ(plain.finish(line, {found_as("Der Hund")}).front().text, "DER HUND");
  EXPECT_EQ(plain.finish(plain.prepare("The dog"), {found_as("Der Hund")}).front().text,
            "Der Hund");
  EXPECT_EQ(plain.finish(plain.prepare("12:30"), NBest()).front().text, "12:30");
  EXPECT_EQ(translated(marked, "A <b>DOG</b>", "A dog"), "A <b>DOG</b>");
  EXPECT_EQ(LineCoder(line_model(), {}, {}).prepare("THE DOG").request.source, ended("THE DOG"));
}

// Characters are pieces, so no word is emphasized, but those of titles have their case.
TEST(LineCoder, GivesWordsTheCaseOfThoseTheyAreAlignedTo) {
  LineCoder aligned(line_model(), {.alignment = true}, {.restores_case = true});
  LineCoder marked(line_model(), {.alignment = true}, {.markup = true, .restores_case = true});
  const std::string source = "Cold Blue In Seas";
  const LineRequest line = aligned.prepare(source);
  EXPECT_EQ(line.text_case, LineCase::kTitle);
  EXPECT_EQ(translated(aligned, source, "kalt blau in meer"), "Kalt Blau In Meer");
  EXPECT_EQ(aligned.finish(line, {found_as("kalt blau in meer")}).front().text, "Kalt Blau in Meer")
      << "the whole line if there is no alignment";
  EXPECT_EQ(translated(marked, "Cold <b>Blue</b> In Seas", "kalt blau in meer"),
            "Kalt <b>Blau</b> In Meer");
}

// Not even with a tag or a prefix.
TEST(LineCoder, ALineWithoutTokensIsNotTranslated) {
  LineCoder plain(line_model(), {}, {});
  LineCoder tagged(line_model(), {}, {.languages = {.source_tag = "<2de>"}});
  for (const char* line : {"", "\u200B", "\uFEFF", "\u200B\uFEFF\u200B"}) {
    for (LineCoder* coder : {&plain, &tagged}) {
      const LineRequest request = coder->prepare(line, {.prefix = "a"});
      EXPECT_FALSE(request.has_text) << line;
      EXPECT_THAT(request.request.source, IsEmpty());
      EXPECT_EQ(request.tokens, 0);
      const auto results = coder->finish(request, NBest());
      ASSERT_EQ(results.size(), 1U);
      EXPECT_EQ(results[0].text, "");
      EXPECT_THAT(results[0].token_scores, IsEmpty());
    }
  }
}

TEST(LineCoder, ALineWithoutLettersIsItsOwnTranslation) {
  LineCoder plain(line_model(), {}, {}),
      marked(line_model(), {.alignment = true}, {.markup = true});
  for (const char* line : {"12:30", " 7\u3000", "---", "\U0001F468\u200D\U0001F469 \U0001F600",
                           "\u0301", "10\u00B3 \u00BD", "<<>>", "(1) & (2)"}) {
    for (LineCoder* coder : {&plain, &marked}) {
      const LineRequest request = coder->prepare(line, {.prefix = "a"});
      EXPECT_FALSE(request.has_text) << line;
      EXPECT_EQ(request.cut_tokens, 0);
      EXPECT_EQ(coder->finish(request, NBest()).front().text, line);
    }
  }
  const std::string with_marks = "<b>12</b>:30 &lt; {0} 7";
  EXPECT_EQ(marked.finish(marked.prepare(with_marks), NBest()).front().text, with_marks);
  const LineResult parts =
      marked.finish(marked.prepare(take_out_markup(with_marks)), NBest()).front();
  EXPECT_EQ(parts.text, with_marks);
  EXPECT_EQ(join(parts.parts), with_marks);
  for (const char* text : {"</s>\u0301", "<b>7", "1 {0}2", "<i>1</i> <i>2</i>", "&#55;"})
    EXPECT_EQ(marked.finish(marked.prepare(take_out_markup(text)), NBest()).front().text, text);
  const std::string all_digits(500, '7');
  EXPECT_EQ(plain.finish(plain.prepare(all_digits), NBest()).front().text, all_digits);
  EXPECT_TRUE(plain.prepare("\u4F60").has_text);
}

// Terms are wanted.
TEST(LineCoder, ALineWithATermIsTranslated) {
  const data::Glossary glossary({data::glossary_term("24/7", "immer")});
  LineCoder coder(line_model(), {}, {.glossary = &glossary});
  EXPECT_TRUE(coder.prepare("24/7").has_text);
  EXPECT_FALSE(coder.prepare("24/8").has_text);
}

TEST(LineCoder, AModelOfNumbersTranslatesThem) {
  LoadedDecoder reader = line_model();
  reader.source_tokenizer = data::fake_tokenizer<Digits>();
  LineCoder coder(reader, {}, {});
  EXPECT_TRUE(coder.prepare("123").has_text);
}

// Even for characters that the tokenizer has pieces for; the bytes of words stay in place.
TEST(LineCoder, WhiteSpaceAroundALineIsSpaces) {
  LineCoder coder(line_model(), {.alignment = true}, {.alignment = AlignmentKind::kHard});
  EXPECT_EQ(coder.prepare("\u0085\u3000a\u0085b \u2028").request.source,
            ended("     a\u0085b    "));
  EXPECT_EQ(coder.prepare("\u0085").source, "  ");
  EXPECT_EQ(coder.prepare("\u00e4\u4f60").source, "\u00e4\u4f60");
}

TEST(LineCoder, ALineOfMarkupIsItsOwnTranslation) {
  LineCoder coder(line_model(), {.alignment = true}, {.markup = true});
  for (const char* line : {"<b></b>", "<b> </b>", "{0} ", "%s", "<!-- a note -->", "<b>\u200B</b>"})
    EXPECT_EQ(coder.finish(coder.prepare(line), NBest()).front().text, line);
  const LineRequest document = coder.prepare(take_out_markup("<b>\uFEFF</b>"));
  const LineResult result = coder.finish(document, NBest()).front();
  EXPECT_EQ(result.text, "<b>\uFEFF</b>");
  EXPECT_EQ(join(result.parts), "<b>\uFEFF</b>");
}

TEST(LineCoder, MarkupMovesWithItsWords) {
  LineCoder coder(line_model(), {.alignment = true}, {.markup = true});
  EXPECT_EQ(translated(coder, "a <b>b</b> c", "x y z"), "x <b>y</b> z");
  EXPECT_EQ(translated(coder, "a &amp; b", "x & y"), "x &amp; y");
  EXPECT_EQ(translated(coder, "a <!-- b c --> d", "x y"), "x <!-- b c --> y");
  // Without attention, in word order.
  const LineRequest line = coder.prepare(take_out_markup("a <b>b</b> c"));
  EXPECT_EQ(coder.finish(line, {found_as("x y z")}).front().text, "x <b>y</b> z");
}

TEST(LineCoder, ATagStandsBeforeTheLine) {
  LineCoder coder(line_model(), {.alignment = true},
                  {.languages = {.source_tag = "<2de>"}, .alignment = AlignmentKind::kSoft});
  const LineRequest line = coder.prepare("ab");
  EXPECT_EQ(line.request.source, ended("<2de> ab"));
  EXPECT_EQ(line.source, "ab");
  EXPECT_THAT(line.pieces, ElementsAre("a", "b", "</s>"));
  const LineResult result = coder.finish(line, {copy_of(line, "xy")}).front();
  ASSERT_EQ(result.attention.size(), 3U);
  EXPECT_THAT(result.attention[0], ElementsAre(1.0F, 0.0F, 0.0F));
  EXPECT_THAT(result.attention[1], ElementsAre(0.0F, 1.0F, 0.0F));

  EXPECT_EQ(coder.prepare("ab", {.languages = LanguageChoice{.source_tag = ""}}).request.source,
            ended("ab"));
  LineCoder untagged(line_model(), {}, {});
  EXPECT_EQ(
      untagged.prepare("ab", {.languages = LanguageChoice{.source_tag = "<2de>"}}).request.source,
      ended("<2de> ab"));
  EXPECT_THROW(untagged.prepare("ab", {.languages = LanguageChoice{.source_tag = "<2xx>"}}),
               DataError);
  EXPECT_THROW(untagged.prepare("ab", {.languages = LanguageChoice{.source_tag = "<2de> <2de>"}}),
               DataError);
  EXPECT_THROW(LineCoder(line_model(), {}, {.languages = {.source_tag = "<2xx>"}}), DataError);
}

TEST(LineCoder, ALongLineIsCut) {
  LineCoder coder(line_model(), {}, {});
  const LineRequest line = coder.prepare(std::string(25, 'a'));
  EXPECT_EQ(line.request.source, ended(std::string(19, 'a')));
  EXPECT_EQ(line.tokens, 20);
  EXPECT_EQ(line.cut_tokens, 6);
  EXPECT_THAT(coder.prepare("a", {.prefix = std::string(15, 'x')}).request.prefix,
              testing::SizeIs(9));
}

TEST(LineCoder, TermsOfThePartThatIsReadAreRequired) {
  const data::Glossary glossary(
      {data::glossary_term("dog", "Hund"), data::glossary_term("cat", "Katze")});
  LineCoder coder(line_model(), {}, {.glossary = &glossary});
  const LineRequest line = coder.prepare("a dog and then one long cat");
  EXPECT_EQ(line.terms.size(), 2U);
  ASSERT_EQ(line.request.constraints.terms.size(), 1U);
  EXPECT_EQ(line.request.constraints.terms[0][0], ids("Hund"));
  const LineResult result = coder.finish(line, {found_as("ein Hund")}).front();
  EXPECT_THAT(result.missing_terms, ElementsAre("Katze"));
}

TEST(LineCoder, ChecksCopiesAndAlignsWords) {
  LineCoder coder(line_model(), {.alignment = true},
                  {.alignment = AlignmentKind::kHard, .check_copies = true});
  const LineRequest line = coder.prepare("a 17");
  const LineResult result = coder.finish(line, {copy_of(line, "x 18")}).front();
  EXPECT_THAT(result.missing_copies, ElementsAre("17"));
  EXPECT_THAT(result.alignment, ElementsAre(WordPair{0, 0}, WordPair{1, 1}));
}

TEST(LineCoder, ASecondModelTranslatesWhatTheFirstFound) {
  const data::Glossary glossary({data::glossary_term("dog", "Hund")});
  const LineOptions options{.glossary = &glossary};
  LineOptions of_first = options;
  of_first.is_last = false;
  LineCoder first(line_model(), {.alignment = true}, of_first),
      last(line_model(), {.alignment = true}, options);
  LineRequest line = first.prepare(take_out_markup("a <b>dog</b>"), {.prefix = "E"});
  EXPECT_THAT(line.request.prefix, IsEmpty());
  EXPECT_THAT(line.request.constraints.terms, IsEmpty());
  last.advance(line, first, copy_of(line, "o cao"));
  EXPECT_EQ(line.text(), "o cao");
  EXPECT_EQ(line.source, "a dog");
  EXPECT_EQ(line.request.source, ended("o cao"));
  EXPECT_EQ(line.request.prefix, ids("E"));
  EXPECT_EQ(line.request.constraints.terms.size(), 1U);
  EXPECT_EQ(last.finish(line, {copy_of(line, "E Hund")}).front().text, "E <b>Hund</b>");

  LineRequest nothing = first.prepare("a");
  last.advance(nothing, first, Hypothesis());
  EXPECT_FALSE(nothing.has_text);
  EXPECT_EQ(last.finish(nothing, NBest()).front().text, "");
}

TEST(LineCoder, ReadsTheLinesBeforeInItsDocument) {
  LoadedDecoder reader = line_model();
  reader.context = {.sentences = 1, .source_separator = '|', .max_tokens = 20};
  LineCoder coder(reader, {}, {});
  EXPECT_EQ(coder.prepare("a").request.source, ended("a"));
  const DocumentContext after_a = coder.document();
  EXPECT_EQ(coder.prepare("b").request.source, ended("a|b"));
  coder.prepare("12:30");
  EXPECT_EQ(coder.prepare("b").request.source, ended("b|b"));
  coder.prepare("\u200B");
  EXPECT_EQ(coder.prepare("c").request.source, ended("c"));
  coder.continue_document(after_a);
  EXPECT_EQ(coder.prepare("d").request.source, ended("a|d"));
  coder.end_document();
  EXPECT_EQ(coder.prepare("e").request.source, ended("e"));
}

}  // namespace
}  // namespace dietmt::nmt
