#include "bert/prediction/pseudo_likelihood.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "common/error.h"
#include "data/text/wordpiece.h"
#include "encoders/attention/packing.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::bert {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kPieces = 9;
constexpr int32_t kClassify = 2, kSeparate = 3, kMask = 4, kRed = 5, kCat = 6;

class PseudoLikelihoodTest : public ScratchTest {
 protected:
  std::unique_ptr<const data::BertTokenizer> tokenizer() const {
    return std::make_unique<data::WordPieceTokenizer>(
        write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nred\ncat\ndog\nsees\n"),
        data::BertTextOptions{});
  }

  static std::shared_ptr<encoders::Bert> model(int64_t vocabulary, bool has_head) {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = vocabulary;
    config.layers = 2;
    config.width = 32;
    config.feed_forward = 64;
    config.max_positions = 8;
    config.task_heads.masked_lm = has_head;
    auto made = std::make_shared<encoders::Bert>(config, 3);
    const torch::NoGradGuard no_grad;  // initial weights are so small that all words are alike
    for (at::Tensor& weight : made->parameters()) weight.mul_(8);
    return made;
  }
};

// log p(piece | the input with [MASK] in its place), each in a separate pass.
double log_prob(const encoders::Bert& model, std::vector<int32_t> input, size_t place) {
  const torch::NoGradGuard no_grad;
  const int32_t wanted = input[place];
  input[place] = kMask;
  const at::Tensor hidden = model.encoder().forward(
      encoders::ids_of(input, at::kCPU), encoders::Packing({std::ssize(input)}, at::kCPU));
  const at::Tensor row =
      hidden.slice(0, static_cast<int64_t>(place), static_cast<int64_t>(place) + 1);
  return at::log_softmax(model.masked_lm().logits(row), 1)[0][wanted].item<double>();
}

TEST_F(PseudoLikelihoodTest, MasksEachPieceInTurn) {
  const auto model = this->model(kPieces, true);
  const std::vector<int32_t> input = {kClassify, kRed, kCat, kRed, kSeparate};
  const double expected =
      (log_prob(*model, input, 1) + log_prob(*model, input, 2) + log_prob(*model, input, 3)) / 3;
  const std::vector<std::string> texts = {"dog sees", "red cat red", "", "cat"};
  for (const int64_t batch_tokens : {1, 12, 4096}) {
    const PseudoLikelihood scorer(model, tokenizer(), batch_tokens);
    const std::vector<double> means = scorer.mean_log_probs(texts);
    ASSERT_EQ(means.size(), 4U);
    EXPECT_NEAR(means[1], expected, 1e-5) << batch_tokens;
    EXPECT_NEAR(means[3], log_prob(*model, {kClassify, kCat, kSeparate}, 1), 1e-5) << batch_tokens;
    EXPECT_NEAR(means[2], -std::log(9.0), 1e-12);
    EXPECT_GT(std::abs(means[0] - means[1]), 1e-3);
  }
}

TEST_F(PseudoLikelihoodTest, CutsWhatTheModelCannotRead) {
  const PseudoLikelihood scorer(model(kPieces, true), tokenizer(), 100);
  const std::vector<std::string> texts = {"red cat dog sees red cat dog sees red",
                                          "red cat dog sees red cat"};
  const std::vector<double> means = scorer.mean_log_probs(texts);
  EXPECT_NEAR(means[0], means[1], 1e-6);
}

TEST_F(PseudoLikelihoodTest, NeedsAHeadAndAllPieces) {
  EXPECT_THAT(message_of<Error>([&] { PseudoLikelihood(model(kPieces, false), tokenizer(), 100); }),
              HasSubstr("head for masked tokens"));
  EXPECT_THAT(message_of<ConfigError>([&] { PseudoLikelihood(model(8, true), tokenizer(), 100); }),
              HasSubstr("9 pieces, but the model knows only 8"));
}

}  // namespace
}  // namespace dietmt::bert
