#include "data/text/moses.h"

#include <gmock/gmock.h>

#include <array>

#include "data/text/merged_pieces.h"
#include "data/text/moses_normalizer.h"
#include "data/text/subwords.h"
#include "tests/common/cpu_cost.h"

namespace dietmt::data {
namespace {

using testing::ElementsAre;

Characters characters_in(std::string_view text) {
  return source_characters(text, 0, static_cast<int32_t>(text.size()));
}

std::string utf8(const Characters& text) {
  std::string made;
  for (const SourceCharacter& one : text) append_utf8(one.code, made);
  return made;
}

std::vector<Characters> words_in(std::string_view language, std::string_view text,
                                 MosesSteps steps = MosesSteps::kAll) {
  return moses_words(*moses_language(language), steps, characters_in(text));
}

std::string tokenized(std::string_view language, std::string_view text,
                      MosesSteps steps = MosesSteps::kAll) {
  std::string made;
  for (const Characters& word : words_in(language, text, steps))
    made.append(made.empty() ? "" : " ").append(utf8(word));
  return made;
}

std::string detokenized(std::string_view language, std::string_view text) {
  const auto is_space = [](char32_t code) { return code == ' '; };
  return utf8(moses_text(*moses_language(language), words_of(characters_in(text), is_space)));
}

struct Example {
  const char* language;
  const char* text;
  const char* words;
  const char* text_of_words;
};

// By sacremoses 0.2.0, with the steps of transformers' FSMTTokenizer before it.
constexpr Example kExamples[] = {
    {"en", "Mr. Smith's cat, No. 5 (no. 6), isn't 1990's... e.g. well-known: “Go!” he said.'",
     "Mr. Smith &apos;s cat , No. 5 ( no . 6 ) , isn &apos;t 1990 &apos;s ... e.g. well @-@ known "
     ": &quot; Go ! &quot; he said . &apos;",
     "Mr. Smith's cat, No. 5 (no. 6), isn't 1990's... e.g. well-known: \"Go!\" he said. '"},
    {"en", "a\u00a0% 1\u00a0000 «x»。 y 猫が", "a % 1.000 &quot; x . &quot; y 猫 が",
     "a% 1.000 \"x.\" y 猫が"},
    {"en", "\"Yes\", [a|b] <c> & d etc. So No. x",
     "&quot; Yes , &quot; &#91; a &#124; b &#93; &lt; c &gt; &amp; d etc . So No. x",
     "\"Yes,\" [a | b] < c > & d etc. So No. x"},
    {"de", "Dr. Müller, z. B. am 3. Mai: „So.“ 'Ja' usw. 1\u00a0000 €.",
     "Dr. Müller , z. B. am 3. Mai : &quot; So &quot; . &apos; Ja &apos; usw. 1,000 € .",
     "Dr. Müller, z. B. am 3. Mai: \"So\". 'Ja' usw. 1,000 €."},
    {"ru", "В 1990г. и т.д. «дом» ул. Ленина. Конец.",
     "В 1990г. и т.д. &quot; дом &quot; ул. Ленина . Конец .",
     "В 1990г. и т.д. \"дом\" ул. Ленина. Конец."}};

TEST(Moses, WordsAreThoseOfSacremoses) {
  for (const Example& one : kExamples) {
    EXPECT_EQ(tokenized(one.language, one.text), one.words);
    EXPECT_EQ(detokenized(one.language, one.words), one.text_of_words);
  }
  EXPECT_EQ(tokenized("de", " \t\u200b "), "");
  EXPECT_EQ(moses_language("fr"), nullptr);
  EXPECT_EQ(moses_language("tr"), moses_language("other"));
}

// By MosesPunctNormalizer of sacremoses 0.2.0.
TEST(Moses, PunctuationIsThatOfSacremoses) {
  constexpr std::array<std::array<const char*, 3>, 4> kNormalized = {{
      {"en", "“Oui”, «non.» 1\u00a0000", "\"Oui,\" \"non.\" 1.000"},
      {"fr", "“Oui”, «non.» 1\u00a0000", "\"Oui\", \"non\". 1,000"},
      {"cs", "“Oui”, «non.» 1\u00a0000", "\"Oui\", \"non.\" 1,000"},
      {"pl", "“Oui”, «non.» 1\u00a0000", "\"Oui\", \"non.\" 1.000"},
  }};
  for (const auto& [language, text, normalized] : kNormalized) {
    Characters characters = characters_in(text);
    normalize_punctuation(language, characters);
    EXPECT_EQ(utf8(characters), normalized) << language;
  }
}

// By MosesPunctNormalizer and MosesTokenizer of sacremoses 0.2.0, as Argos Translate calls them.
TEST(Moses, WordsOfNormalizedTextAreThoseOfSacremoses) {
  constexpr std::array<std::array<const char*, 3>, 6> kNormalized = {{
      {"en", "Mr. Smith's well-known cat… “Go!”\u00a0No. 5\x07 a\tb e.g. x",
       "Mr. Smith &apos;s well-known cat ... &quot; Go ! &quot; No. 5 a b e.g. x"},
      {"en", "it's 1,5 – “so-so”, [a|b] <c> & d etc.",
       "it &apos;s 1,5 - &quot; so-so , &quot; &#91; a &#124; b &#93; &lt; c &gt; &amp; d etc ."},
      {"de", "Dr. Müller, z. B. am 3. Mai: „So-so.“ 'Ja' usw. 1\u00a0000 €.",
       "Dr. Müller , z. B. am 3. Mai : &quot; So-so &quot; . &apos; Ja &apos; usw. 1,000 € ."},
      {"tr", "Ankara'nın Dr. Ali'si: «iyi-kötü» 1\u00a0000 v. No. 7 şu.",
       "Ankara &apos; nın Dr. Ali &apos; si : &quot; iyi-kötü &quot; 1.000 v. No. 7 şu ."},
      {"tr", "I. Dünya Savaşı", "I. Dünya Savaşı"},
      {"uk", "Він сказав: «об'єкт» — т.д. 猫が",
       "Він сказав : &quot; об &apos; єкт &quot; - т.д. 猫 が"},
  }};
  for (const auto& [language, text, words] : kNormalized)
    EXPECT_EQ(tokenized(language, text, MosesSteps::kNormalized), words);
}

TEST(Moses, TextIsThatOfSacremoses) {
  EXPECT_EQ(detokenized("en", "the dogs ' house isn 't `` a '' &quot; b &quot; &quot; c"),
            "the dogs' house isn't ``a ''\"b\" \"c");
  EXPECT_EQ(detokenized("en", "@-@ a @-@ @-@ b @-@"), "-a-@-@ b-");
  EXPECT_EQ(detokenized("en", "猫 が x 가 가 € 5 &amp;lt; ( 6 ) ?"), "猫が x 가가 €5 &lt; (6)?");
  EXPECT_EQ(detokenized("de", "er sagte &quot; ja &quot; „ nein “ isn 't"),
            "er sagte \"ja\" „nein“ isn 't");
}

std::vector<TextSpan> spans_of(const std::vector<Characters>& words) {
  std::vector<TextSpan> spans;
  for (const Characters& word : words) spans.push_back({word.front().begin, word.back().end});
  return spans;
}

TEST(Moses, WordsKnowTheirBytes) {
  EXPECT_THAT(spans_of(words_in("en", "it's “so-so”…")),
              ElementsAre(TextSpan{0, 2}, TextSpan{2, 4}, TextSpan{5, 8}, TextSpan{8, 10},
                          TextSpan{10, 11}, TextSpan{11, 13}, TextSpan{16, 19}, TextSpan{13, 16}))
      << "English puts stops before the quotation mark";
}

TEST(Moses, PiecesKnowTheirBytes) {
  const PieceVocabulary vocabulary = {
      {"<s>", "</s>", "<unk>", "dog", "&apos;@@", "s", "a@@", "b", "@-@"}, 2, 0, 1};
  constexpr std::string_view kMerges =
      "d o\ndo g</w>\n& a\n&a p\n&ap o\n&apo s\n&apos ;\n@ -\n@- @</w>\n";
  const auto subwords = merged_pieces(
      vocabulary, merge_rules(*moses_language("en"), MosesSteps::kAll, kMerges), "codes");
  const SpannedPieces pieces = subwords->encode_with_spans("ab-dog's");
  EXPECT_THAT(pieces.ids, ElementsAre(6, 7, 8, 3, 4, 5));
  EXPECT_THAT(pieces.spans, ElementsAre(TextSpan{0, 1}, TextSpan{1, 2}, TextSpan{2, 3},
                                        TextSpan{3, 6}, TextSpan{6, 7}, TextSpan{7, 8}));
  const SpannedText text = subwords->decode_with_spans(pieces.ids);
  EXPECT_EQ(text.text, "ab-dog's");
  EXPECT_EQ(text.spans, pieces.spans);
  const auto stored = merged_pieces(
      vocabulary, subwords->serialized().substr(subwords->serialized().find("moses en")), "stored");
  EXPECT_EQ(stored->encode("ab-dog's"), pieces.ids);
  const auto normalized = merged_pieces(
      vocabulary, merge_rules(*moses_language("tr"), MosesSteps::kNormalized, kMerges), "codes");
  EXPECT_THAT(normalized->encode("ab-dog's"), ElementsAre(6, 2, 2, 3, 2, 2, 5))
      << "the words are ab-dog, &apos; and s";
}

TEST(Moses, CostsTimeInProportionToItsText) {
  for (const std::string text :
       {"a", ". ", "..", "'", "\"", ".\"", "\".", "-a", "Dr. ", "\u00a0", "("})
    for (const char* language : {"de", "en"}) {
      SCOPED_TRACE(text);
      EXPECT_LE(
          cost_growth(
              20'000, [&](size_t size) { return repeated(text, size); },
              [&](const std::string& line) { detokenized(language, tokenized(language, line)); }),
          kLinearGrowth);
    }
}

}  // namespace
}  // namespace dietmt::data
