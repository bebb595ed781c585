#include "data/cleaning/cleaner.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <unordered_set>

#include "common/error.h"
#include "common/files.h"
#include "common/random.h"
#include "common/text_io.h"
#include "data/cleaning/pair_aligner.h"
#include "data/cleaning/rules_file.h"
#include "data/corpus/duplicate_index.h"
#include "tests/common/test_directory.h"

namespace dietmt::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DuplicateIndexTest, HoldsWhatASetHolds) {
  const TestDirectory directory;
  DuplicateIndex index(directory.path());
  std::unordered_set<uint64_t> set;
  Random random(1);
  for (int i = 0; i < 300'000; ++i) {
    // Keys near each other meet in the table, also around its end.
    const uint64_t key = i % 3 == 0 ? random.next() : ~uint64_t{0} - random.below(300);
    ASSERT_EQ(index.contains(key), set.contains(key));
    index.insert(key);
    set.insert(key);
  }
  index.insert(0);
  EXPECT_TRUE(index.contains(0));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(TextHashTest, DependsOnTheBytesAndNotOnTheirParts) {
  const auto of = [](std::initializer_list<std::string_view> parts, uint64_t seed) {
    TextHash hash(seed);
    for (const std::string_view part : parts) hash.add(part.data(), part.size());
    return hash.finish();
  };
  EXPECT_EQ(of({"abcdefgh", "ijklmnop"}, 1), of({"abc", "defghijklmno", "p"}, 1));
  EXPECT_NE(of({"abcdefgh"}, 1), of({"abcdefgh"}, 2));
  EXPECT_NE(of({"abc"}, 1), of({"abc", std::string_view("\0", 1)}, 1));
}

class CleanerTest : public ::testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    write_file_atomically(directory_.path() / name, text);
    return directory_.path() / name;
  }

  CleaningReport clean_all(PairSource& source, const std::string& rules, int64_t threads = 2,
                           int64_t most = 1'000'000) {
    kept_.clear();
    lines_.clear();
    removed_.clear();
    const std::vector<Rule> read =
        read_rules(file("rules", rules), {.has_scores = true, .has_score_model = true});
    return clean(source,
                 {.rules = read,
                  .threads = threads,
                  .most_pairs = most,
                  .directory = directory_.path(),
                  .aligner = aligner_,
                  .model = model_},
                 {.keep =
                      [&](const SplitPair& pair, std::string_view line) {
                        kept_.push_back(std::string(pair.source) + "|" + std::string(pair.target));
                        lines_.emplace_back(line);
                        return true;
                      },
                  .remove =
                      [&](const std::string& rule, const SplitPair&) {
                        removed_.push_back(rule);
                        return true;
                      }});
  }

  TestDirectory directory_;
  PairScorer aligner_, model_;
  std::vector<std::string> kept_, lines_, removed_;
};

TEST_F(CleanerTest, CountsTheFirstRuleAndAllThatObject) {
  const auto source = open_text_pairs(file("a", "\xEF\xBB\xBFone\r\n\ntwo two two\none\nthree\n"),
                                      file("b", "eins\nx\nzwei\neins\nthree"));
  const CleaningReport report = clean_all(*source,
                                          "- LengthFilter: {max_length: 2}\n"
                                          "- LengthRatioFilter\n- no_identical\n"
                                          "- remove_duplicates\n");
  EXPECT_THAT(kept_, ElementsAre("one|eins"));
  EXPECT_THAT(removed_,
              ElementsAre("LengthFilter", "LengthFilter", "remove_duplicates", "no_identical"));
  EXPECT_EQ(report.pairs, 5);
  EXPECT_EQ(report.kept, 1);
  EXPECT_EQ(report.rules[1].removed, 0);
  EXPECT_EQ(report.rules[1].objected, 2);
  ASSERT_EQ(report.rules[3].examples.size(), 1u);
  EXPECT_EQ(report.rules[3].examples[0].number, 4);
  EXPECT_THAT(report.table(), HasSubstr("kept 1 of 5 pairs (20.00 %)"));
  EXPECT_EQ(report.json()["rules"][0]["removed"], 2);
  EXPECT_THAT(report.page("a <b>"), HasSubstr("a &lt;b&gt;"));
}

TEST_F(CleanerTest, ModelsScoreWhatOtherRulesKeep) {
  std::vector<std::string> scored;
  model_ = [&](const std::vector<PairSides>& pairs) {
    std::vector<PairEntropies> entropies;
    for (const PairSides& pair : pairs) {
      scored.emplace_back(pair.source);
      entropies.push_back({.target = pair.target == "gut" ? 1.0 : 7.0});
    }
    return entropies;
  };
  const auto source =
      open_text_pairs(file("a", "bad\n\ngood\n<b>\n"), file("b", "schlecht\nx\ngut\ngut\n"));
  const CleaningReport report = clean_all(
      *source, "- CrossEntropyFilter: {tgt_threshold: 5}\n- LengthFilter\n- HtmlTagFilter\n", 1);
  EXPECT_THAT(scored, ElementsAre("bad", "good"));
  EXPECT_THAT(kept_, ElementsAre("good|gut"));
  EXPECT_THAT(removed_, ElementsAre("CrossEntropyFilter", "LengthFilter", "HtmlTagFilter"));
  EXPECT_EQ(report.rules[0].removed, 1);
}

// 26 words, each with one translation, in sentences of five.
TEST_F(CleanerTest, AnAlignerFindsPairsWhoseWordsDoNotMatch) {
  std::string sources, targets;
  Random random(7);
  for (int i = 0; i < 400; ++i) {
    for (int word = 0; word < 5; ++word) {
      const char letter = static_cast<char>('a' + random.below(26));
      sources += std::string(word > 0 ? " s" : "s") + letter;
      targets += std::string(word > 0 ? " T" : "T") + letter;
    }
    sources += '\n';
    targets += '\n';
  }
  file("a", sources);
  file("b", targets);
  const auto text = open_text_pairs(directory_.path() / "a", directory_.path() / "b");
  const PairAligner aligner(*text, 300, 2);
  EXPECT_EQ(aligner.pairs(), 300);
  aligner_ = [&](const auto& pairs) { return aligner.entropies(pairs); };
  const auto source = open_text_pairs(file("c", "sa sb sc\nsa sb sc\nSA sb\n\nnew\n"),
                                      file("d", "ta tb tc\nTd te tf\nta TB\nx\nnew\n"));
  clean_all(*source, "- WordAlignFilter: {src_threshold: 7, tgt_threshold: 7}\n- LengthFilter");
  EXPECT_THAT(kept_, ElementsAre("sa sb sc|ta tb tc", "SA sb|ta TB"));
  const std::vector<PairEntropies> all = aligner.entropies(
      {{"sa sb sc", "ta tb tc"}, {"sa sb sc", "td te tf"}, {"", "ta"}, {"sa", ""}, {"sa", "?"}});
  EXPECT_LT(all[0].target, 2);
  EXPECT_LT(*all[0].source, 2);
  EXPECT_GT(all[1].target, 6);
  EXPECT_EQ(*all[2].source, 0);
  EXPECT_EQ(all[3].target, 0);
  EXPECT_EQ(all[4].target, WordAligner::kUnknownEntropy);
}

TEST_F(CleanerTest, ThreadsDoNotChangeTheResult) {
  std::string sources, targets;
  Random random(5);
  for (int i = 0; i < 60'000; ++i) {
    const std::string word = std::to_string(random.below(20'000));
    sources += "word " + word + "\n";
    targets += "Wort " + word + (i % 7 == 0 ? " <b>" : "") + "\n";
  }
  const std::string rules = "- HtmlTagFilter\n- remove_duplicates\n";
  const auto run = [&](int64_t threads) {
    const auto source = open_text_pairs(file("a", sources), file("b", targets));
    return clean_all(*source, rules, threads).json()["rules"];
  };
  const nlohmann::ordered_json one = run(1);
  const std::vector<std::string> kept = kept_;
  EXPECT_EQ(run(5), one);
  EXPECT_EQ(kept_, kept);
  EXPECT_EQ(one[0]["examples"].size(), 10u);
  EXPECT_GT(one[0]["examples"][9]["number"], 1'000);  // drawn from the whole text
}

TEST_F(CleanerTest, NearDuplicatesAndSides) {
  const auto pairs = [&] {
    return open_text_pairs(file("a", "Chapter 1\nchapter 2.\n12\n13\nnew\nnew\n"),
                           file("b", "Kapitel 1\nKAPITEL 2\n12\n13\nneu\nneue\n"));
  };
  clean_all(*pairs(), "- remove_duplicates: {letters_only: true, lowercase: true}");
  EXPECT_THAT(kept_, ElementsAre("Chapter 1|Kapitel 1", "12|12", "13|13", "new|neu", "new|neue"));
  clean_all(*pairs(), "- remove_duplicates: {compare: source}");
  EXPECT_EQ(kept_.size(), 5u);
  // Only pairs that were kept have duplicates.
  clean_all(*open_text_pairs(file("a", "x\nx\n"), file("b", "<b>\ny\n")),
            "- remove_duplicates: {compare: source}\n- HtmlTagFilter\n");
  EXPECT_THAT(kept_, ElementsAre("x|y"));
}

TEST_F(CleanerTest, TabSeparatedAndJsonLines) {
  const auto tsv =
      open_tsv(file("a.tsv", "id\ta b\tc\t0.7\r\nx\nid\td\te\tlow\n"), {"2", "3", "4"});
  const CleaningReport report = clean_all(*tsv, "- ScoreFilter");
  EXPECT_THAT(kept_, ElementsAre("a b|c"));
  EXPECT_THAT(lines_, ElementsAre("id\ta b\tc\t0.7"));
  EXPECT_THAT(removed_, ElementsAre("unreadable", "ScoreFilter"));
  EXPECT_EQ(report.rules.back().rule, "unreadable");
  EXPECT_EQ(report.rules.back().examples[0].source, "x");

  const auto json =
      open_json_lines(file("a.jsonl", R"({"translation": {"en": "a\nb", "de": "ä\"c"}, "s": 1}
{"translation": {"en": 1, "de": "c"}}
[[[
{"translation": {"en": "x"}}
)"),
                      {"translation.en", "translation.de", "s"});
  clean_all(*json, "- LengthFilter");
  EXPECT_THAT(kept_, ElementsAre("a b|ä\"c"));
  EXPECT_THAT(removed_, ElementsAre("unreadable", "unreadable", "unreadable"));
  EXPECT_THROW(open_tsv(file("a.tsv", ""), {"x", "2"}), ConfigError);
}

TEST_F(CleanerTest, LongLinesAreRemovedAndCostNoMemory) {
  const std::string longest(kMaxLineBytes + 5, 'x');
  clean_all(*open_text_pairs(file("a", longest + "\nab\n"), file("b", "y\ncd\n")),
            "- no_identical");
  EXPECT_THAT(kept_, ElementsAre("ab|cd"));
  EXPECT_THAT(removed_, ElementsAre("unreadable"));
}

TEST_F(CleanerTest, TextsOfDifferentLengthsAreRefusedWithBothCounts) {
  const auto source = open_text_pairs(file("a", "1\n2\n3\n"), file("b", "1\n"));
  try {
    clean_all(*source, "- LengthFilter");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/a has 3 lines"));
    EXPECT_THAT(error.what(), HasSubstr("/b has 1"));
  }
}

}  // namespace
}  // namespace dietmt::data
