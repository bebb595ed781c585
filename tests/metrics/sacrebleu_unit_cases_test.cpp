// The literal cases of sacreBLEU's unit tests (github.com/mjpost/sacrebleu, commit f615c7286d4d,
// Apache License 2.0): inputs and expected scores.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "metrics/ter.h"

namespace dietmt::metrics {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

class UnitCases : public testing::Test {
 protected:
  void SetUp() override { tables_ = Json::parse(read_file(DIETMT_SACREBLEU_CASES)); }

  const Json& cases(const std::string& file, const std::string& table) const {
    const Json& found = tables_.at("test/test_" + file + ".py").at(table);
    EXPECT_FALSE(found.empty());
    return found;
  }

  double epsilon(const std::string& file) const {
    return tables_.at("test/test_" + file + ".py").at("EPSILON");
  }

  Json tables_;
};

// BLEU of untokenized text, with an offset in place of missing matches.
Bleu raw_bleu(double offset) {
  return Bleu({.tokenizer = BleuTokenizer::kNone,
               .smoothing = Smoothing::kFloor,
               .smoothing_value = offset,
               .effective_order = true});
}

// A row of matches and totals from {"common": [...], "total": [...]}.
std::vector<double> statistics_of(const Json& counts, double length, double reference_length) {
  std::vector<double> statistics{length, reference_length};
  for (const char* part : {"common", "total"})
    for (const double count : counts.at(part)) statistics.push_back(count);
  return statistics;
}

// With as many decimals as the table's number.
std::string printed_as(double value, const Json& expected) {
  const std::string text = expected.dump();
  char printed[64];
  std::snprintf(printed, sizeof printed, "%.*f", static_cast<int>(text.size() - text.find('.') - 1),
                value);
  return printed;
}

TEST_F(UnitCases, RawBleu) {
  for (const char* table : {"test_raw_bleu_cases", "test_case_effective_order"})
    for (const Json& c : cases("bleu", table)) {
      const double score = raw_bleu(0.01).corpus_score(c[0], c[1]).score;
      EXPECT_NEAR(score / 100, c[2], epsilon("bleu")) << c;
    }
}

TEST_F(UnitCases, CorpusBleu) {
  for (const Json& c : cases("bleu", "test_corpus_bleu_cases")) {
    BleuOptions options;
    options.tokenizer = bleu_tokenizer_from_name(c[2].value("tokenize", "13a"));
    options.smoothing = smoothing_from_name(c[2].value("smooth_method", "exp"));
    EXPECT_EQ(printed_as(Bleu(options).corpus_score(c[0], c[1]).score, c[3]), c[3].dump()) << c;
  }
}

TEST_F(UnitCases, MaxOrder) {
  for (const Json& c : cases("bleu", "test_bleu_max_order")) {
    BleuOptions options;
    options.max_order = c[0];
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", Bleu(options).corpus_score(c[1], c[2]).score);
    EXPECT_EQ(text, c[3].get<std::string>()) << c;
  }
}

TEST_F(UnitCases, Statistics) {
  for (const Json& c : cases("bleu", "test_case_statistics")) {
    const std::vector<double> sum =
        raw_bleu(0.01).corpus_statistics(c[0], c[1].get<References>()).sum();
    EXPECT_EQ(sum, statistics_of(c[2], sum[0], sum[1])) << c;
  }
}

TEST_F(UnitCases, Scoring) {
  const Bleu bleu({.smoothing = Smoothing::kNone});
  for (const Json& c : cases("bleu", "test_case_scoring")) {
    const std::vector<double> statistics = statistics_of(c[0][0], c[0][1], c[0][2]);
    EXPECT_NEAR(bleu.score(statistics).score / 100, c[1], epsilon("bleu")) << c;
  }
}

TEST_F(UnitCases, Offset) {
  for (const Json& c : cases("bleu", "test_case_offset")) {
    EXPECT_NEAR(raw_bleu(0.1).corpus_score(c[0], c[1]).score / 100, c[2], epsilon("bleu")) << c;
    EXPECT_NEAR(raw_bleu(0.0).corpus_score(c[0], c[1]).score / 100, c[3], epsilon("bleu")) << c;
  }
  for (const Json& c : cases("bleu", "test_case_degenerate_stats")) {
    const Bleu bleu({.smoothing = Smoothing::kFloor, .smoothing_value = c[1].get<double>()});
    const std::vector<double> statistics = statistics_of(c[0][0], c[0][1], c[0][2]);
    EXPECT_EQ(bleu.score(statistics).score / 100, c[2].get<double>()) << c;
  }
}

class SentenceBleu : public UnitCases {
 protected:
  void expect_scores(const std::string& table, const std::string& hypothesis,
                     const std::string& reference) {
    const Json& texts = tables_.at("test/test_sentence_bleu.py");
    for (const Json& c : cases("sentence_bleu", table)) {
      BleuOptions options;
      options.smoothing = smoothing_from_name(c[0]);
      if (!c[1].is_null()) options.smoothing_value = c[1].get<double>();
      options.lowercase = c[2];
      options.tokenizer = bleu_tokenizer_from_name(c[3]);
      options.effective_order = true;
      const Score score =
          Bleu(options).sentence_score(texts.at(hypothesis), Lines{texts.at(reference)});
      EXPECT_NEAR(score.score, c[4], epsilon("sentence_bleu")) << c;
    }
  }
};

TEST_F(SentenceBleu, Cases) { expect_scores("test_cases", "SYS", "REF"); }
TEST_F(SentenceBleu, WithoutMatches) { expect_scores("test_cases_zero_bleu", "SYS_0", "REF_0"); }

TEST_F(UnitCases, Chrf) {
  const auto expect = [&](const std::string& table, const ChrfOptions& options) {
    for (const Json& c : cases("chrf", table)) {
      const double score =
          metrics::Chrf(options).corpus_score(c[0], References{c[1].get<Lines>()}).score;
      EXPECT_NEAR(score, c[2], epsilon("chrf")) << c;
    }
  };
  expect("test_cases", {.beta = 3, .eps_smoothing = true});
  expect("test_cases_effective_order", {.beta = 3});
  expect("test_cases_keep_whitespace", {.beta = 3, .whitespace = true});
}

TEST_F(UnitCases, SentenceChrf) {
  for (const Json& c : cases("chrf", "test_sentence_level_chrf")) {
    const Lines references = c[1];
    const metrics::Chrf chrf({.eps_smoothing = true});
    EXPECT_NEAR(chrf.sentence_score(c[0], references).score, c[2], epsilon("chrf")) << c;
  }
}

TEST_F(UnitCases, Ter) {
  for (const Json& c : cases("ter", "test_cases")) {
    const double score = metrics::Ter({}).corpus_score(c[0], References{c[1].get<Lines>()}).score;
    EXPECT_NEAR(score / 100, c[2], epsilon("ter")) << c;
  }
}

TEST_F(UnitCases, TercomTokenizer) {
  const auto expect = [&](const std::string& table, const TerOptions& options) {
    for (const Json& c : cases("tokenizer_ter", table)) {
      std::string joined;
      for (const std::string& word : tokenize_tercom(options, c[0].get<std::string>()))
        joined += (joined.empty() ? "" : " ") + word;
      EXPECT_EQ(joined, c[1].get<std::string>()) << table;
    }
  };
  expect("test_cases_default", {});
  expect("test_cases_no_punct", {.no_punct = true});
  expect("test_cases_norm", {.normalized = true});
  expect("test_cases_asian", {.normalized = true, .asian_support = true});
}

}  // namespace
}  // namespace dietmt::metrics
