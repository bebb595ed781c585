// Compares with scores of the Python package (tests/interchange/make_comet_cases.py).
#include "bert/comet/comet_scorer.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "encoders/attention/packing.h"
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

// The vector of a text after its context: the states of <s> and of the text and its </s>, from an
// input that is put together here.
class CometContextTest : public CometScorerTest {
 protected:
  std::vector<double> mean_with_context(const Texts& context, const std::string& text) const {
    const data::SpecialPieces& special = tokenizer_->special();
    std::vector<int32_t> ids = {special.classify};
    const auto add = [&](const std::string& one) {
      for (const int32_t id : tokenizer_->encode(one).ids) ids.push_back(id);
      ids.push_back(special.separate);
    };
    for (const std::string& one : context) add(one);
    const size_t begin = ids.size();
    add(text);
    const encoders::Packing packing({std::ssize(ids)});
    // The mean of all tokens, then without those of the context.
    std::vector<double> mean;
    const std::vector<at::Tensor> states = states_of(ids, packing);
    for (int64_t d = 0; d < states.front().size(0); ++d) {
      double sum = 0.0;
      for (size_t t = 0; t < ids.size(); ++t)
        if (t == 0 || t >= begin) sum += states[t][d].item<double>();
      mean.push_back(sum / static_cast<double>(ids.size() - begin + 1));
    }
    return mean;
  }

  // Each token as the only one that counts.
  std::vector<at::Tensor> states_of(const std::vector<int32_t>& ids,
                                    const encoders::Packing& packing) const {
    const torch::NoGradGuard no_grad;
    std::vector<at::Tensor> states;
    for (size_t t = 0; t < ids.size(); ++t) {
      const encoders::PooledTokens token{at::tensor({static_cast<int64_t>(t)}),
                                         encoders::Packing({1})};
      states.push_back(model_->embed(encoders::ids_of(ids, at::kCPU), packing, &token)[0]);
    }
    return states;
  }

  at::Tensor vector_of(const Texts& context, const std::string& text) const {
    return at::tensor(mean_with_context(context, text), at::kDouble).to(at::kFloat).unsqueeze(0);
  }
};

TEST_F(CometContextTest, OnlyTheOwnTokensCount) {
  const Texts sources = {"a b", "c", "d e", "f"}, references = {"g", "h i", "j", "k l"},
              translations = {"m", "n", "o p", "q"};
  const metrics::DocumentContext context{2, {0, 0, 0, 1}};
  const auto before = [](const Texts& texts, size_t i) {
    return i == 3 ? Texts()
                  : Texts(texts.begin() + static_cast<ptrdiff_t>(i < 2 ? 0 : i - 2),
                          texts.begin() + static_cast<ptrdiff_t>(i));
  };
  for (const std::string name : {"normed", "referenceless"}) {
    SCOPED_TRACE(name);
    load(name);
    ASSERT_EQ(model_->config().pooling, "avg");
    const bool reads_reference = model_->config().reads_reference;
    for (const int64_t batch_tokens : {1, 10'000}) {
      const auto found =
          scorer(batch_tokens).score(sources, references, {translations}, context).at(0);
      for (size_t i = 0; i < sources.size(); ++i) {
        const torch::NoGradGuard no_grad;
        encoders::CometVectors vectors{
            .translation =
                vector_of(before(reads_reference ? references : translations, i), translations[i]),
            .source = vector_of(before(sources, i), sources[i])};
        if (reads_reference) vectors.reference = vector_of(before(references, i), references[i]);
        EXPECT_NEAR(found[i], model_->estimate(vectors).item<double>(), 1e-5) << i;
      }
      const auto plain = scorer().score(sources, references, {translations}).at(0);
      EXPECT_NE(found[2], plain[2]);
      EXPECT_NEAR(found[3], plain[3], kTolerance);
    }
  }
}

TEST_F(CometContextTest, WhatDoesNotFitIsLeftOut) {
  load("referenceless");
  const std::string text = texts_.sources[0];
  std::string endless;
  for (int i = 0; i < 600; ++i) endless += "a ";
  const Texts texts = {endless, text, text};
  const auto found = scorer().score(texts, {}, {texts}, {2, {0, 0, 0}}).at(0);
  const auto one_before = scorer().score({text, text}, {}, {{text, text}}, {1, {0, 0}}).at(0);
  EXPECT_NEAR(found[2], one_before[1], kTolerance) << "only the sentence right before it";
  EXPECT_NEAR(found[1], one_before[0], kTolerance);
}

TEST_F(CometContextTest, AUnifiedModelHasNone) {
  load("unified");
  EXPECT_THROW(scorer().score({"a"}, Texts{"b"}, {{"c"}}, {1, {0}}), ConfigError);
}

}  // namespace
}  // namespace dietmt::bert
