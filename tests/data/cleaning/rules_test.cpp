#include <gmock/gmock.h>

#include <cmath>

#include "common/error.h"
#include "common/files.h"
#include "data/cleaning/rule_kinds.h"
#include "data/cleaning/rules_file.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/test_directory.h"

namespace dietmt::data {
namespace {

using ::testing::HasSubstr;

// Rules from YAML, through a file as users give them.
std::vector<Rule> rules_of(const std::string& yaml, const PairFacts& languages = {}) {
  const TestDirectory directory;
  write_file_atomically(directory.path() / "rules.yaml", yaml);
  return read_rules(directory.path() / "rules.yaml", languages);
}

bool keeps(const Rule& rule, std::string_view source, std::string_view target,
           std::optional<double> score = {}) {
  return std::get<PairTest>(rule.test)({measured(source), measured(target), score});
}

bool keeps(const std::string& yaml, std::string_view source, std::string_view target) {
  return keeps(rules_of(yaml).front(), source, target);
}

TEST(CleaningRulesTest, SidesAreMeasuredOnce) {
  const SideText side = measured("Über 12 Häuser, 日本語");
  EXPECT_EQ(side.characters, 19);
  EXPECT_EQ(side.width, 22);
  EXPECT_EQ(side.words, 4);
  EXPECT_EQ(side.spaces, 3);
  EXPECT_EQ(side.longest_word, 7);
  EXPECT_EQ(side.letters, 13);
  EXPECT_EQ(side.digits, 2);
  EXPECT_TRUE(side.is_utf8);
  EXPECT_FALSE(measured("a\xFFz").is_utf8);
  EXPECT_EQ(measured("a\xFFz").characters, 3);
}

TEST(CleaningRulesTest, Lengths) {
  EXPECT_TRUE(keeps("- LengthFilter", "a", "b c"));
  EXPECT_FALSE(keeps("- LengthFilter", "", "b"));
  EXPECT_FALSE(keeps("- LengthFilter", " \t ", "b"));
  EXPECT_FALSE(keeps("- LengthFilter: {max_length: 2}", "a", "b c d"));
  EXPECT_TRUE(keeps("- LengthFilter: {max_length: [2, 3]}", "a", "b c d"));
  EXPECT_FALSE(keeps("- LengthFilter: {unit: char, max_length: 3}", "äöüß", "b"));
  EXPECT_TRUE(keeps("- LengthFilter: {pass_empty: true}", "", ""));
  EXPECT_FALSE(keeps("- LengthRatioFilter: {threshold: 3}", "a", "a b c"));
  EXPECT_TRUE(keeps("- LengthRatioFilter: {threshold: 3}", "a", "a b"));
  EXPECT_TRUE(keeps("- LengthRatioFilter: {threshold: 3, slack: 1}", "a", "a b c"));
  EXPECT_FALSE(keeps("- src_trg_ratio", "a", "a b"));
  EXPECT_FALSE(keeps("- AverageWordLengthFilter", "a b c d", "ab"));
  EXPECT_FALSE(keeps("- LongWordFilter: {threshold: 5}", "abcde", "b"));
  EXPECT_TRUE(keeps("- LongWordFilter: {threshold: 5}", "日本語日本語日本語", "b"));
}

TEST(CleaningRulesTest, Encodings) {
  for (const char* good :
       {"für", "l'été à « Paris »", "IRMÃ», MANHÃ”", "20 °C", "a\tb", "Â", "日本"})
    EXPECT_TRUE(keeps("- EncodingFilter", "x", good)) << good;
  using namespace std::string_view_literals;
  for (const std::string_view bad :
       {"fÃ¼r"sv, "donâ€™t"sv, "20 Â°C"sv, "ÐŸÑ€Ð¸Ð²ÐµÑ‚"sv, "a\xFF"sv, "\xED\xA0\x80"sv,
        "a\uFFFDz"sv, "a\0z"sv, "a\x1Bz"sv, "\u0085"sv, "a\u2028z"sv, "a\uFEFFz"sv, "a\x7Fz"sv})
    EXPECT_FALSE(keeps("- EncodingFilter", "x", bad)) << bad;
}

TEST(CleaningRulesTest, Characters) {
  EXPECT_FALSE(keeps("- AlphabetRatioFilter", "1234 abc", "x"));
  EXPECT_FALSE(keeps("- AlphabetRatioFilter", "a b c", "x"));
  EXPECT_TRUE(keeps("- AlphabetRatioFilter: {exclude_whitespace: true}", "a b c", "x"));
  const std::string scripts =
      "- CharacterScoreFilter: {scripts: [Latin, Cyrillic], thresholds: 0.5}";
  EXPECT_TRUE(keeps(scripts, "Hund 1", "собака"));
  EXPECT_FALSE(keeps(scripts, "собака", "собака"));
  EXPECT_TRUE(keeps(scripts, "12", "34"));
  const Rule japanese = rules_of("- CharacterScoreFilter", {"en", "ja"}).front();
  EXPECT_TRUE(keeps(japanese, "dog", "犬です"));
  EXPECT_FALSE(keeps(japanese, "dog", "dog"));
  EXPECT_TRUE(keeps("- TerminalPunctuationFilter", "a.", "a."));
  EXPECT_FALSE(keeps("- TerminalPunctuationFilter", "a. b. c. d. e.", "a"));
}

TEST(CleaningRulesTest, Markup) {
  for (const char* good : {"a < b", "<5 kg", "x <- y", "a<b", "1<2>3", "&", "AT&T; x"})
    EXPECT_TRUE(keeps("- HtmlTagFilter: {entities: true}", good, "x")) << good;
  for (const char* bad :
       {"<b>x</b>", "a<br/>", "<a href='x'>", "</p>", "<!-- x -->", "a&nbsp;b", "&#160;", "&#xA0;"})
    EXPECT_FALSE(keeps("- HtmlTagFilter: {entities: true}", "x", bad)) << bad;
  EXPECT_TRUE(keeps("- HtmlTagFilter", "a&nbsp;b", "x"));
}

TEST(CleaningRulesTest, Repetitions) {
  for (const char* good : {"the cat and the dog and the bird", "very very good", "1000000", "haha",
                           "aaaa", "...", "no no no", "日本日本", "Mississippi", "abc abd abc abd"})
    EXPECT_TRUE(keeps("- RepetitionFilter", good, "x")) << good;
  for (const char* bad :
       {"very very very good", "so ha ha ha ha ha", "!!!!!!!!!!", "hahahahaha haha", "x abcabcabc",
        "日本語日本語日本語", "a b c a b c a b c", "foo  foo  foo"})
    EXPECT_FALSE(keeps("- RepetitionFilter", "x", bad)) << bad;
  EXPECT_FALSE(keeps("- RepetitionFilter: {threshold: 1}", "very very good", "x"));
  EXPECT_TRUE(keeps("- RepetitionFilter: {max_length: 3}", "very very very", "x"));
}

TEST(CleaningRulesTest, Copies) {
  EXPECT_FALSE(keeps("- no_identical", "Hello, World!", "hello world"));
  EXPECT_TRUE(keeps("- no_identical: {ignore_case: false}", "Hello", "hello"));
  EXPECT_TRUE(keeps("- no_identical: {min_words: 2}", "Berlin", "Berlin"));
  EXPECT_TRUE(keeps("- no_identical", "Hello", "Hallo"));
  EXPECT_TRUE(keeps("- no_identical", "!!", "??"));
  EXPECT_TRUE(keeps("- NonZeroNumeralsFilter", "12 of 10", "10 von 12"));
  EXPECT_FALSE(keeps("- NonZeroNumeralsFilter", "in 1999", "in 2468"));
  EXPECT_TRUE(keeps("- num_mismatch", "1,000.5 kg", "1.000,5 kg"));
  EXPECT_FALSE(keeps("- num_mismatch", "7 dogs", "8 Hunde"));
  EXPECT_TRUE(keeps("- num_mismatch: {ratio: 0.3}", "7 and 8", "7 und 9"));
  EXPECT_FALSE(keeps("- url_mismatch", "see https://a.example/x", "siehe https://b.example/x"));
  EXPECT_TRUE(keeps("- url_mismatch", "see https://a.example/x.", "https://a.example/x"));
}

TEST(CleaningRulesTest, LanguagesAndScores) {
  const Rule rule = rules_of("- LanguageIDFilter", {"en", "de"}).front();
  const char* const english = "The weather was fine and we walked along the river.";
  const char* const german = "Das Wetter war schön und wir gingen am Fluss entlang.";
  EXPECT_TRUE(keeps(rule, english, german));
  EXPECT_FALSE(keeps(rule, english, english));
  EXPECT_FALSE(keeps(rule, german, german));
  EXPECT_TRUE(keeps(rule, "OK", "12"));
  const Rule strict =
      rules_of("- LanguageIDFilter: {languages: [en, de], keep_unknown: false}").front();
  EXPECT_FALSE(keeps(strict, "12", german));
  const Rule score = rules_of("- ScoreFilter: {min_score: 0.5}", {.has_scores = true}).front();
  EXPECT_TRUE(keeps(score, "a", "b", 0.5));
  EXPECT_FALSE(keeps(score, "a", "b", 0.4));
  EXPECT_FALSE(keeps(score, "a", "b"));
}

// exp(-(|1 - 2| + 1.5)) = exp(-2.5) = 0.082
TEST(CleaningRulesTest, EntropiesOfModels) {
  EXPECT_NEAR(dual_score(1.0, 2.0), 0.0820850, 1e-6);
  EXPECT_EQ(dual_score(2.0, 1.0), dual_score(1.0, 2.0));
  EXPECT_EQ(dual_score(0.0, 0.0), 1.0);
  const auto keeps_entropies = [](const std::string& parameters, const PairEntropies& pair) {
    const std::vector<Rule> rules =
        rules_of("- CrossEntropyFilter: {" + parameters + "}",
                 {.has_score_model = true, .has_reverse_model = pair.source.has_value()});
    return std::get<EntropyTest>(rules.front().test).keeps(pair);
  };
  EXPECT_TRUE(keeps_entropies("tgt_threshold: 3", {.target = 3}));
  EXPECT_FALSE(keeps_entropies("tgt_threshold: 3", {.target = 3.1}));
  EXPECT_FALSE(keeps_entropies("", {.target = std::nan("")}));
  EXPECT_FALSE(keeps_entropies("src_threshold: 3", {.target = 1, .source = 3.1}));
  EXPECT_TRUE(keeps_entropies("diff_threshold: 1", {.target = 1, .source = 2}));
  EXPECT_FALSE(keeps_entropies("diff_threshold: 0.5", {.target = 2, .source = 1}));
  EXPECT_TRUE(keeps_entropies("dual_threshold: 0.08", {.target = 1, .source = 2}));
  EXPECT_FALSE(keeps_entropies("dual_threshold: 0.09", {.target = 1, .source = 2}));
}

TEST(CleaningRulesTest, EveryRuleTakesTimeInProportion) {
  std::string all;
  for (const RuleKind& kind : rule_kinds())
    if (kind.name != "CrossEntropyFilter" && kind.name != "WordAlignFilter")
      all += "- " + kind.name + "\n";
  const std::vector<Rule> rules = rules_of(all, {"en", "de", true});
  for (const std::string part : {"a", "ab", "a ", "<", "<a", "&a", "1.", "1 ", "@", "www.", "ä",
                                 "\xFF", "日", "Das Wetter war @ ", "a@b ", "\u0301", "abcabd"}) {
    SCOPED_TRACE(part);
    EXPECT_LE(cost_growth(
                  20'000, [&](size_t bytes) { return repeated(part, bytes); },
                  [&](const std::string& text) {
                    const PairText pair{measured(text), measured(text)};
                    for (const Rule& rule : rules)
                      if (const auto* test = std::get_if<PairTest>(&rule.test))
                        (*test)(pair);
                      else
                        std::get<DuplicateKey>(rule.test).of(pair);
                  }),
              kLinearGrowth);
  }
}

// The message of read_rules().
std::string refusal(const std::string& yaml) {
  try {
    rules_of(yaml);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(RulesFileTest, NamesTheLineOfWhatItRefuses) {
  EXPECT_THAT(
      refusal("- LengthFilter\n- LengtFilter\n"),
      HasSubstr("rules.yaml:2: there is no rule 'LengtFilter'; did you mean LengthFilter?"));
  EXPECT_THAT(refusal("- LengthFilter:\n    max_lenth: 3\n"),
              HasSubstr("rules.yaml:2: LengthFilter has no parameter 'max_lenth'; did you mean"));
  EXPECT_THAT(refusal("- LengthFilter: {max_length: x}"), HasSubstr("is 'x'; it must be a number"));
  EXPECT_THAT(refusal("- LengthFilter: {unit: byte}"), HasSubstr("it must be word, char"));
  EXPECT_THAT(refusal("- RepetitionFilter: {threshold: 0}"), HasSubstr("it must be from 1 to 100"));
  EXPECT_THAT(refusal("- RepetitionFilter: {threshold: [2, 2]}"), HasSubstr("it takes one"));
  EXPECT_THAT(refusal("- LengthFilter: {max_length: [1, 2, 3]}"), HasSubstr("one for each side"));
  EXPECT_THAT(refusal("- LengthFilter: 3"), HasSubstr("must have parameters by name"));
  EXPECT_THAT(refusal("- CharacterScoreFilter: {scripts: Latn1}"), HasSubstr("Unicode"));
  EXPECT_THAT(refusal("- LanguageIDFilter"), HasSubstr("--source-language"));
  EXPECT_THAT(refusal("- LanguageIDFilter: {languages: [en, hsb]}"), HasSubstr("'hsb'"));
  EXPECT_THAT(refusal("- ScoreFilter"), HasSubstr("--score-column"));
  EXPECT_THAT(refusal("- CrossEntropyFilter"), HasSubstr("needs --score-model"));
  EXPECT_THAT(refusal("- WordAlignFilter: {src_threshold: 0}"), HasSubstr("above 0"));
  EXPECT_THAT(refusal("- CrossEntropyFilter: {src_lm_params: x}"), HasSubstr("src_lm_params"));
  EXPECT_THAT(refusal("a: [\n"), HasSubstr("rules.yaml:"));
  EXPECT_THAT(refusal(""), HasSubstr("rules.yaml"));
  EXPECT_THAT(refusal("[]"), HasSubstr("no rules"));
  EXPECT_THAT(refusal(std::string(70'000, '#')), HasSubstr("longer than"));
  EXPECT_THAT(refusal(std::string(60'000, '[')), HasSubstr("rules.yaml"));
}

TEST(RulesFileTest, ReadsOpusFilterAndOpusCleaner) {
  const std::vector<Rule> opus_filter = rules_of(R"(
common: {output_directory: out}
steps:
  - type: remove_duplicates
    parameters: {inputs: [a, b], outputs: [c, d], compare: all}
  - type: filter
    parameters:
      inputs: [a, b]
      outputs: [c, d]
      filters:
        - LengthFilter: {unit: word, min_length: 1, max_length: 100}
        - LengthFilter: {name: second, unit: char}
        - LengthFilter
)");
  ASSERT_EQ(opus_filter.size(), 4u);
  EXPECT_EQ(opus_filter[0].name, "remove_duplicates");
  EXPECT_EQ(opus_filter[2].name, "second");
  EXPECT_EQ(rules_of("- LengthFilter\n- LengthFilter\n")[1].name, "LengthFilter.2");
  const std::vector<Rule> opus_cleaner = rules_of(
      R"({"version": 1, "files": ["a"], "filters": [
      {"filter": "max_length", "parameters": {"MAXLENGTH": 2, "MINLENGTH": 1}, "language": null},
      {"filter": "src_trg_ratio", "parameters": {"RATIO": 0.5, "LOG": false}, "language": null}]})");
  ASSERT_EQ(opus_cleaner.size(), 2u);
  EXPECT_FALSE(keeps(opus_cleaner[0], "a b c", "a"));
  EXPECT_TRUE(keeps(opus_cleaner[1], "a b", "a"));
}

TEST(RulesFileTest, TheDefaultsCanBeRead) {
  EXPECT_EQ(default_rules({}).size(), 11u);
  EXPECT_EQ(default_rules({"en", "de"}).size(), 13u);
  EXPECT_EQ(default_rules_text({"cs", "ja"}), default_rules_text({"en", "de"}));
  EXPECT_THAT(default_rules_text({"hsb", "de"}), HasSubstr("thresholds: [-1, 0]"));
  EXPECT_EQ(rules_of(default_rules_text({})).size(), 11u);
}

}  // namespace
}  // namespace dietmt::data
