// Scores of WMT17 and WMT21 submissions equal the published ones to the last printed digit.
#include <gtest/gtest.h>

#include "common/text_io.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"
#include "tests/metrics/score_table.h"
#include "tests/metrics/shared_data.h"

namespace dietmt::metrics {
namespace {

std::string padded(const std::string& number, size_t decimals) {
  const size_t point = number.find('.');
  return number + std::string(decimals - (number.size() - point - 1), '0');
}

class Wmt17 : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = parity_folder() / "wmt17.en-de";
    DIETMT_REQUIRE_FILE(folder_);
    rows_ = read_table(folder_ / "scores.tsv");
    ASSERT_EQ(rows_.size(), 8);
    references_ = {read_lines((folder_ / "newstest2017.en-de.ref.de.gz").string())};
  }

  // Each number of the column equals the metric's score divided by `scale`.
  void expect_column(const std::string& column, const Metric& metric, double scale = 1.0) {
    int checked = 0;
    for (const Row& row : rows_) {
      const std::string& expected = row.at(column);
      if (expected.empty()) continue;
      const double score = metric.corpus_score(hypotheses(row), references_).score;
      EXPECT_EQ(printed_like(score / scale, expected), expected) << row.at("file") << " " << column;
      ++checked;
    }
    EXPECT_GT(checked, 0) << column;
  }

  std::vector<std::string> hypotheses(const Row& row) const {
    return read_lines((folder_ / (row.at("file") + ".gz")).string());
  }

  std::filesystem::path folder_;
  std::vector<Row> rows_;
  References references_;
};

TEST_F(Wmt17, MtevalBleuHasTwoDecimals) {
  for (const Row& row : rows_) {
    const std::string expected = padded(row.at("mteval-v13a_BLEU"), 2);
    const double score = Bleu({}).corpus_score(hypotheses(row), references_).score;
    EXPECT_EQ(printed_like(score, expected), expected) << row.at("file");
  }
}

TEST_F(Wmt17, PrintedLine) {
  for (const Row& row : rows_) {
    const Score score = Bleu({}).corpus_score(hypotheses(row), references_);
    EXPECT_EQ(score.to_string(), row.at("sacreBLEU_13a_printed")) << row.at("file");
  }
}

TEST_F(Wmt17, Bleu13a) { expect_column("sacreBLEU_13a", Bleu({})); }
TEST_F(Wmt17, BleuLowercase) {
  expect_column("sacreBLEU_13a_lowercase", Bleu({.lowercase = true}));
}
TEST_F(Wmt17, BleuNone) {
  expect_column("sacreBLEU_none", Bleu({.tokenizer = BleuTokenizer::kNone}));
}
TEST_F(Wmt17, BleuIntl) {
  expect_column("sacreBLEU_intl", Bleu({.tokenizer = BleuTokenizer::kIntl}));
}
TEST_F(Wmt17, BleuChar) {
  expect_column("sacreBLEU_char", Bleu({.tokenizer = BleuTokenizer::kChar}));
}
TEST_F(Wmt17, Chrf) { expect_column("sacreBLEU_chrF2", Chrf({})); }
TEST_F(Wmt17, ChrfPlusPlus) { expect_column("sacreBLEU_chrF2++", Chrf({.word_order = 2})); }
TEST_F(Wmt17, ChrfScript) { expect_column("chrF(chrF++.py -nw 0)", Chrf({.eps_smoothing = true})); }
TEST_F(Wmt17, ChrfPlusPlusScript) {
  expect_column("chrF++(chrF++.py)", Chrf({.word_order = 2, .eps_smoothing = true}));
}
TEST_F(Wmt17, Tercom) { expect_column("TER(tercom)", Ter({}), 100.0); }

class Wmt21 : public testing::TestWithParam<std::string> {};

// The reference sets of a row: `bleu-A`, ..., `bleu-all`.
References references_of(const std::string& choice, const std::map<std::string, References>& all) {
  References chosen;
  for (const auto& [letter, set] : all)
    if (choice == "all" || choice == letter) chosen.push_back(set[0]);
  return chosen;
}

TEST_P(Wmt21, BleuAndChrfForEachReference) {
  const std::filesystem::path folder = parity_folder() / ("wmt21." + GetParam());
  DIETMT_REQUIRE_FILE(folder);
  const std::string target = GetParam().substr(3);
  std::map<std::string, References> all;
  for (const std::string letter : {"A", "B", "C", "D"}) {
    const std::filesystem::path path =
        folder / ("newstest2021." + GetParam() + ".ref." + letter + "." + target + ".gz");
    if (std::filesystem::exists(path)) all[letter] = {read_lines(path.string())};
  }
  ASSERT_GE(all.size(), 2);
  for (const Row& row : read_table(folder / "scores.tsv")) {
    const std::string& name = row.at("metric");
    const References references = references_of(name.substr(5), all);
    ASSERT_FALSE(references.empty()) << name;
    const Bleu bleu({});
    const Chrf chrf({});
    const Metric& metric = name.starts_with("bleu") ? static_cast<const Metric&>(bleu) : chrf;
    const double score =
        metric.corpus_score(read_lines((folder / (row.at("file") + ".gz")).string()), references)
            .score;
    const std::string& expected = row.at("sacreBLEU_2.6.0");
    EXPECT_EQ(printed_like(score, expected), expected) << row.at("file") << " " << name;
    EXPECT_NEAR(score, std::stod(row.at("official")), 1e-11) << row.at("file") << " " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Directions, Wmt21, testing::Values("cs-en", "de-en", "en-cs", "en-de"),
                         [](const auto& direction) {
                           return direction.param.substr(0, 2) + direction.param.substr(3);
                         });

}  // namespace
}  // namespace dietmt::metrics
