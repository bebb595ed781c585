// Compares with scores of the Python package (tests/interchange/make_comet_cases.py).
#include "bert/comet/comet_scorer.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "interchange/comet/comet_checkpoint.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using Texts = CometScorer::Texts;
using nlohmann::json;

constexpr const char* kCases[] = {"normed",         "sparse",  "referenceless",
                                  "unified_source", "unified", "one_layer"};
constexpr double kTolerance = 2e-6;

fs::path cases() { return DIETMT_COMET_CASES; }

json read(const fs::path& file) { return json::parse(read_file(cases() / file)); }

struct Segments {
  Texts sources, translations, references;
};

Segments segments() {
  Segments all;
  for (const json& segment : read("segments.json")) {
    all.sources.push_back(segment.at("src"));
    all.translations.push_back(segment.at("mt"));
    all.references.push_back(segment.at("ref"));
  }
  return all;
}

class CometScorerTest : public testing::Test {
 protected:
  void load(const std::string& name) {
    model_ = interchange::import_comet(cases() / name, cases() / "encoder");
    tokenizer_ = data::load_bert_tokenizer(cases() / "encoder");
  }
  CometScorer scorer(int64_t batch_tokens = 64) const {
    return CometScorer(*model_, *tokenizer_, batch_tokens);
  }

  std::shared_ptr<encoders::CometModel> model_;
  std::unique_ptr<data::BertTokenizer> tokenizer_;
  const Segments texts_ = segments();
};

void expect_scores(const std::vector<double>& scores, const fs::path& file) {
  const auto expected = read(file).get<std::vector<double>>();
  ASSERT_EQ(scores.size(), expected.size());
  for (size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], expected[i], kTolerance) << i;
}

TEST_F(CometScorerTest, GivesTheScoresOfThePackage) {
  for (const std::string name : kCases) {
    SCOPED_TRACE(name);
    load(name);
    for (const int64_t batch_tokens : {1, 50, 10'000}) {
      CometScorer comet = scorer(batch_tokens);
      const auto scores = comet.score(texts_.sources, texts_.references, {texts_.translations});
      expect_scores(scores.at(0), name + "/scores.json");
      EXPECT_GT(comet.cut(), 0);  // the last segment
    }
  }
}

TEST_F(CometScorerTest, AUnifiedModelCanDoWithoutReferences) {
  load("unified");
  const auto scores = scorer().score(texts_.sources, {}, {texts_.translations});
  expect_scores(scores.at(0), "unified/scores_without_reference.json");
}

TEST_F(CometScorerTest, ModelsWithoutReferencesDoNotLookAtThem) {
  for (const std::string name : {"referenceless", "unified_source"}) {
    SCOPED_TRACE(name);
    load(name);
    const auto scores = scorer().score(texts_.sources, {}, {texts_.translations});
    expect_scores(scores.at(0), name + "/scores.json");
  }
}

TEST_F(CometScorerTest, AModelThatNeedsReferencesSaysSo) {
  load("normed");
  EXPECT_THROW(scorer().score(texts_.sources, {}, {texts_.translations}), ConfigError);
}

TEST_F(CometScorerTest, SystemsAreScoredOneByOne) {
  load("sparse");
  const auto both =
      scorer().score(texts_.sources, texts_.references, {texts_.references, texts_.translations});
  ASSERT_EQ(both.size(), 2U);
  expect_scores(both[1], "sparse/scores.json");
  EXPECT_NE(both[0], both[1]);
}

TEST_F(CometScorerTest, TheExpectedScoreIsThatWithEachCandidateAsTheReference) {
  const std::vector<double> weights = {0.5, 0.2, 0.2, 0.1};
  for (const std::string name : {"normed", "unified"}) {
    SCOPED_TRACE(name);
    load(name);
    std::vector<metrics::WeightedCandidates> sentences(2);
    for (size_t s = 0; s < sentences.size(); ++s) {
      sentences[s].source = texts_.sources[s];
      sentences[s].texts = {texts_.translations[s], texts_.references[s], texts_.translations[s],
                            texts_.sources[s]};  // one occurs twice
      sentences[s].weights = weights;
    }
    const auto found = scorer().expected(sentences);
    ASSERT_EQ(found.size(), sentences.size());
    for (size_t s = 0; s < sentences.size(); ++s) {
      const Texts& texts = sentences[s].texts;
      const Texts sources(texts.size(), sentences[s].source);
      ASSERT_EQ(found[s].size(), texts.size());
      for (size_t i = 0; i < texts.size(); ++i) {
        const auto scores = scorer().score(sources, texts, {Texts(texts.size(), texts[i])}).at(0);
        double expected = 0.0;
        for (size_t j = 0; j < texts.size(); ++j) expected += weights[j] * scores[j];
        EXPECT_NEAR(found[s][i], expected, kTolerance) << s << ' ' << i;
      }
    }
  }
}

TEST_F(CometScorerTest, WithoutReferencesTheExpectedScoreIsTheScore) {
  load("referenceless");
  std::vector<metrics::WeightedCandidates> sentences;
  for (size_t s = 0; s < texts_.sources.size(); ++s)
    sentences.push_back({.source = texts_.sources[s],
                         .texts = {texts_.references[s], texts_.translations[s]},
                         .weights = {0.9, 0.1}});
  sentences.push_back({.source = "a sentence without candidates"});
  const auto found = scorer().expected(sentences);
  ASSERT_EQ(found.size(), sentences.size());
  EXPECT_TRUE(found.back().empty());
  std::vector<double> of_translations;
  for (size_t s = 0; s < texts_.sources.size(); ++s) of_translations.push_back(found[s].at(1));
  expect_scores(of_translations, "referenceless/scores.json");
}

}  // namespace
}  // namespace dietmt::bert
