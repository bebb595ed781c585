#include "encoders/bert/bert.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "common/error.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

constexpr int64_t kVocabulary = 40;

BertConfig small_config(const std::string& position = "learned") {
  BertConfig config;
  config.vocabulary = kVocabulary;
  config.layers = 2;
  config.width = 32;
  config.feed_forward = 48;
  config.heads = 4;
  config.max_positions = 24;
  config.position = position;
  return config;
}

struct Batch {
  Tensor pieces;
  Packing packing;
};

Batch random_batch(const std::vector<int64_t>& lengths) {
  Batch batch{{}, Packing(lengths)};
  batch.pieces = torch::randint(kVocabulary, {batch.packing.tokens()}, at::kLong);
  batch.packing.set_segments(torch::randint(2, {batch.packing.tokens()}, at::kLong));
  return batch;
}

/// Input b of a batch as a separate batch.
Batch one_of(const Batch& batch, size_t b) {
  const int64_t begin = batch.packing.offsets()[b];
  const int64_t length = batch.packing.lengths()[b];
  Batch one{batch.pieces.narrow(0, begin, length), Packing({length})};
  one.packing.set_segments(batch.packing.segments().narrow(0, begin, length));
  return one;
}

bool close(const Tensor& a, const Tensor& b) { return at::allclose(a, b, 1e-4, 1e-5); }

/// Parameters that start at zero, such as the heads' segments, would hide errors.
void shake(Bert& model) {
  const torch::NoGradGuard no_grad;
  for (Tensor& parameter : model.parameters()) parameter.add_(torch::randn_like(parameter), 0.1);
}

/// Building a model, for example to load it, does not affect other random draws.
TEST(Bert, LeavesTheGlobalGeneratorAsItWas) {
  at::manual_seed(5);
  const Tensor wanted = torch::rand({4});
  at::manual_seed(5);
  const Bert model(small_config(), 1);
  EXPECT_TRUE(at::equal(torch::rand({4}), wanted));
  const Bert same(small_config(), 1), other(small_config(), 2);
  const auto first = [](const Bert& bert) { return bert.parameters().front(); };
  EXPECT_TRUE(at::equal(first(model), first(same)));
  EXPECT_FALSE(at::equal(first(model), first(other)));
}

class BertPositions : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BertPositions, ABatchEqualsItsInputsOneByOne) {
  const torch::NoGradGuard no_grad;
  BertConfig config = small_config(GetParam().first);
  config.segment_encoding = GetParam().second;
  Bert model(config, 1);
  shake(model);
  const Batch batch = random_batch({5, 1, 24, 9});
  const std::vector<Tensor> states = model.encoder().hidden_states(batch.pieces, batch.packing);
  ASSERT_EQ(states.size(), 3U);
  EXPECT_TRUE(at::equal(states.back(), model.encoder().forward(batch.pieces, batch.packing)));
  const Tensor pooled = model.pool(states.back(), batch.packing);
  for (size_t b = 0; b < 4; ++b) {
    const Batch one = one_of(batch, b);
    const auto single = model.encoder().hidden_states(one.pieces, one.packing);
    const int64_t begin = batch.packing.offsets()[b];
    for (size_t l = 0; l < states.size(); ++l)
      EXPECT_TRUE(close(single[l], states[l].narrow(0, begin, one.packing.tokens())))
          << "input " << b << ", layer " << l;
    EXPECT_TRUE(close(model.pool(single.back(), one.packing), pooled.narrow(0, b, 1)));
  }
}

TEST_P(BertPositions, SegmentsMatterWhereTheyAreEncoded) {
  const torch::NoGradGuard no_grad;
  BertConfig config = small_config(GetParam().first);
  config.segment_encoding = GetParam().second;
  Bert model(config, 1);
  shake(model);
  const Batch batch = random_batch({8, 12});
  const Packing without(batch.packing.lengths());
  Packing zeros(batch.packing.lengths());
  zeros.set_segments(at::zeros_like(batch.pieces));
  const auto run = [&](const Packing& packing) {
    return model.encoder().forward(batch.pieces, packing);
  };
  EXPECT_TRUE(at::equal(run(without), run(zeros)));
  EXPECT_EQ(close(run(batch.packing), run(zeros)), config.segment_encoding == "none");
}

INSTANTIATE_TEST_SUITE_P(
    Encodings, BertPositions,
    testing::Values(std::pair("learned", "input"), std::pair("learned", "heads"),
                    std::pair("none", "input"), std::pair("none", "none"),
                    std::pair("diet-rel", "heads"), std::pair("tupe-r", "input"),
                    std::pair("learned+relative-key-query", "input"),
                    std::pair("diet-abs(rank=8)", "none"), std::pair("bert-a-d", "heads"),
                    std::pair("linformer(length=6)", "input"),
                    std::pair("heads[diet-rel:0-1,shaw(clip=3):2-3]", "heads")));

TEST(Bert, EmbeddingsAreNormedBeforeTheFirstLayer) {
  const Bert model(small_config(), 2);
  const Batch batch = random_batch({6, 3});
  const Tensor first = model.encoder().hidden_states(batch.pieces, batch.packing).front();
  EXPECT_TRUE(at::allclose(first.mean(1), torch::zeros({9}), 0, 1e-5));
  EXPECT_TRUE(at::allclose(first.var(1, false), torch::ones({9}), 1e-4, 1e-4));
}

TEST(Bert, WeightsStartFromTheNormalDistributionOfBert) {
  BertConfig config = BertConfig::preset("tiny");
  config.vocabulary = 500;
  config.task_heads = {
      .pooler = true, .masked_lm = true, .next_sentence = true, .classes = 3, .spans = true};
  const Bert model(config, 3);
  for (const auto& item : model.named_parameters()) {
    const Tensor& value = item.value();
    if (value.dim() == 2) {
      // Five standard errors of a sample's standard deviation.
      const double tolerance = 5 * 0.02 / std::sqrt(2.0 * static_cast<double>(value.numel()));
      EXPECT_NEAR(value.std().item<double>(), 0.02, tolerance) << item.key();
    } else {
      const bool gain = item.key().ends_with("norm.weight");
      EXPECT_TRUE(at::equal(value, gain ? at::ones_like(value) : at::zeros_like(value)))
          << item.key();
    }
  }
}

TEST(Bert, DropoutKeysRepeatAPass) {
  const Bert model(small_config(), 4);
  const Batch batch = random_batch({7, 5});
  const auto pass = [&](uint64_t key) {
    DropoutKeys keys(key);
    return model.encoder().forward(batch.pieces, batch.packing, &keys);
  };
  EXPECT_TRUE(at::equal(pass(1), pass(1)));
  EXPECT_FALSE(close(pass(1), pass(2)));
  EXPECT_FALSE(close(pass(1), model.encoder().forward(batch.pieces, batch.packing)));
}

TEST(Bert, EveryParameterOfTheTaskGetsAGradient) {
  BertConfig config = small_config("learned+diet-rel");
  config.segment_encoding = "heads";
  config.task_heads = {
      .pooler = true, .masked_lm = true, .next_sentence = true, .classes = 3, .spans = true};
  Bert model(config, 5);
  const Batch batch = random_batch({7, 5});
  const Tensor hidden = model.encoder().forward(batch.pieces, batch.packing);
  const Tensor pooled = model.pool(hidden, batch.packing);
  const auto random_sum = [](const Tensor& x) { return (x * torch::randn_like(x)).sum(); };
  (random_sum(model.masked_lm().logits(hidden.narrow(0, 2, 3))) +
   random_sum(model.next_sentence(pooled)) + random_sum(model.classify(pooled)) +
   random_sum(model.spans(hidden)))
      .backward();
  for (const auto& item : model.named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_GT(item.value().grad().abs().max().item<double>(), 0.0) << item.key();
  }
}

TEST(Bert, MaskedTokensShareTheEmbeddings) {
  BertConfig config = small_config();
  config.task_heads.masked_lm = true;
  Bert model(config, 6);
  EXPECT_TRUE(model.masked_lm().weight().is_same(model.encoder().piece_embedding()));
  model.to(at::kDouble);
  EXPECT_EQ(model.masked_lm().weight().scalar_type(), at::kDouble);
  const Tensor rows = torch::randn({3, 32}, at::kDouble);
  const Tensor logits = model.masked_lm().logits(rows);
  EXPECT_EQ(logits.sizes(), at::IntArrayRef({3, kVocabulary}));
  EXPECT_TRUE(at::allclose(
      logits, at::mm(model.masked_lm().transform(rows), model.encoder().piece_embedding().t()) +
                  model.masked_lm().bias()));
}

TEST(Bert, AHeadThatIsNotThereIsNamed) {
  const Bert model(small_config(), 7);
  const Tensor pooled = torch::zeros({1, 32});
  try {
    model.classify(pooled);
    FAIL() << "classified";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "this model has no head for classes");
  }
  EXPECT_THROW(model.masked_lm(), Error);
  EXPECT_THROW(model.next_sentence(pooled), Error);
  EXPECT_THROW(model.spans(pooled), Error);
}

TEST(Bert, LongerInputsThanTheTableAreRefused) {
  const Bert model(small_config(), 8);
  EXPECT_EQ(model.encoder().max_length(), 24);
  const Batch batch = random_batch({25});
  EXPECT_THROW(model.encoder().forward(batch.pieces, batch.packing), Error);
}

TEST(Bert, RebuildingKeepsWhatBothHave) {
  const Bert trained(small_config("learned"), 9);
  BertConfig config = small_config("learned+diet-rel");
  config.task_heads.classes = 2;
  const RebuiltBert rebuilt = rebuild(trained, config, 10);
  EXPECT_THAT(rebuilt.inheritance.drawn,
              testing::UnorderedElementsAre("encoder.encoder.position.diet_rel.table",
                                            "classifier.weight", "classifier.bias"));
  const auto parameters = rebuilt.model->named_parameters();
  for (const auto& item : trained.named_parameters())
    EXPECT_TRUE(at::equal(parameters[item.key()], item.value())) << item.key();
}

}  // namespace
}  // namespace dietmt::encoders
