#include "bert/embedding/embedding_writer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstring>

#include "common/error.h"
#include "common/files.h"
#include "encoders/attention/packing.h"
#include "tests/common/scratch.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Inputs of two, one and three tokens.
const encoders::Packing& packing() {
  static const encoders::Packing kPacking({2, 1, 3});
  return kPacking;
}

at::Tensor hidden() {
  return torch::tensor({1., 2., 3., 6., 5., 5., 0., 0., 1., 2., 5., 1.}).view({6, 2});
}

TEST(Pooling, NoneKeepsAllTokens) {
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kNone), hidden()));
}

TEST(Pooling, FirstTakesTheFirstTokenOfEachInput) {
  const at::Tensor expected = torch::tensor({1., 2., 5., 5., 0., 0.}).view({3, 2});
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kFirst), expected));
}

TEST(Pooling, MeanStaysInsideEachInput) {
  const at::Tensor expected = torch::tensor({2., 4., 5., 5., 2., 1.}).view({3, 2});
  EXPECT_TRUE(at::equal(pool(hidden(), packing(), Pooling::kMean), expected));
}

TEST(Pooling, NamesAreThoseOfTheCommand) {
  EXPECT_EQ(parse_pooling("none"), Pooling::kNone);
  EXPECT_EQ(parse_pooling("cls"), Pooling::kFirst);
  EXPECT_EQ(parse_pooling("mean"), Pooling::kMean);
  try {
    parse_pooling("max");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("possible: none, cls, mean"));
  }
}

using at::Tensor;
using data::EncoderInput;

constexpr int64_t kWidth = 8;
constexpr int64_t kLayers = 2;

encoders::BertConfig small_config() {
  encoders::BertConfig config;
  config.vocabulary = 20;
  config.layers = kLayers;
  config.width = kWidth;
  config.feed_forward = 12;
  config.heads = 2;
  config.max_positions = 16;
  config.position = "learned+diet-rel";
  config.segment_encoding = "heads";
  return config;
}

// Lengths 4, 2, 7 and 5; the third is a pair.
const std::vector<EncoderInput>& inputs() {
  static const std::vector<EncoderInput> kInputs = {
      {.ids = {2, 10, 11, 3}, .second_begin = 4},
      {.ids = {2, 3}, .second_begin = 2},
      {.ids = {2, 12, 3, 13, 14, 15, 3}, .second_begin = 3},
      {.ids = {2, 16, 17, 18, 3}, .second_begin = 5}};
  return kInputs;
}

class EmbeddingWriterTest : public ScratchTest {
 protected:
  EmbeddingWriterTest() : model_(small_config(), 7), path_(scratch() / "states.npy") {
    model_.eval();
  }

  /// The states of one input computed separately: [L + 1, T, D].
  Tensor states_of(const EncoderInput& input) const {
    const torch::NoGradGuard no_grad;
    encoders::Packing packing({std::ssize(input.ids)});
    const Tensor segments = at::zeros({packing.tokens()}, at::kLong);
    segments.slice(0, input.second_begin).fill_(1);
    packing.set_segments(segments);
    return at::stack(
        model_.encoder().hidden_states(encoders::ids_of(input.ids, at::kCPU), packing));
  }

  /// What the writer wrote: [leading..., D].
  Tensor written(const EmbeddingOptions& options, const std::vector<int64_t>& shape) {
    EmbeddingWriter writer(model_, options, path_);
    for (const EncoderInput& input : inputs()) writer.add(input);
    writer.commit();
    const std::string bytes = read_file(path_);
    EXPECT_EQ(bytes.substr(0, 128), storage::npy_header("<f4", shape));
    Tensor values = at::empty(shape);
    EXPECT_EQ(bytes.size(), 128 + values.nbytes());
    std::memcpy(values.data_ptr(), bytes.data() + 128, values.nbytes());
    return values;
  }

  encoders::Bert model_;
  fs::path path_;
};

// As in XLM-R.
TEST_F(EmbeddingWriterTest, AModelOfOneSegmentReadsPairs) {
  encoders::BertConfig config = small_config();
  config.segments = 1;
  config.segment_encoding = "input";
  encoders::Bert model(config, 7);
  model.eval();
  EmbeddingWriter writer(model, {.layer = kLayers}, path_);
  const EncoderInput& pair = inputs()[2];
  writer.add(pair);
  writer.commit();
  const torch::NoGradGuard no_grad;
  const Tensor expected = model.encoder().forward(encoders::ids_of(pair.ids, at::kCPU),
                                                  encoders::Packing({std::ssize(pair.ids)}));
  Tensor states = at::empty_like(expected);
  const std::string bytes = read_file(path_);
  ASSERT_EQ(bytes.size(), 128 + states.nbytes());
  std::memcpy(states.data_ptr(), bytes.data() + 128, states.nbytes());
  EXPECT_LT((states - expected).abs().max().item<double>(), 1e-6);
}

TEST_F(EmbeddingWriterTest, TokensOfAllLayersEqualThoseOfEachInputByItself) {
  std::vector<Tensor> alone;
  for (const EncoderInput& input : inputs()) alone.push_back(states_of(input));
  const Tensor expected = at::cat(alone, 1);
  for (const int64_t batch_tokens : {1, 9, 100}) {
    const Tensor states =
        written({.layer = {}, .batch_tokens = batch_tokens}, {kLayers + 1, 18, kWidth});
    EXPECT_LT((states - expected).abs().max().item<double>(), 1e-5) << batch_tokens;
  }
  std::vector<int64_t> offsets(5);
  const std::string bytes = read_file(scratch() / "states.offsets.npy");
  ASSERT_EQ(bytes.size(), 128 + 5 * sizeof(int64_t));
  EXPECT_EQ(bytes.substr(0, 128), storage::npy_header("<i8", {5}));
  std::memcpy(offsets.data(), bytes.data() + 128, 5 * sizeof(int64_t));
  EXPECT_THAT(offsets, ::testing::ElementsAre(0, 4, 6, 13, 18));
}

TEST_F(EmbeddingWriterTest, OneLayerIsThatOfAll) {
  const Tensor all = written({.layer = {}}, {kLayers + 1, 18, kWidth});
  for (int64_t layer = 0; layer <= kLayers; ++layer)
    EXPECT_TRUE(at::equal(written({.layer = layer}, {18, kWidth}), all[layer])) << layer;
}

TEST_F(EmbeddingWriterTest, PooledRowsStandInTheOrderOfTheInputs) {
  for (const Pooling pooling : {Pooling::kFirst, Pooling::kMean}) {
    const Tensor rows = written({.layer = kLayers, .pooling = pooling, .batch_tokens = 7},
                                {std::ssize(inputs()), kWidth});
    for (int64_t b = 0; b < std::ssize(inputs()); ++b) {
      const Tensor last = states_of(inputs()[b])[kLayers];
      const Tensor expected = pooling == Pooling::kFirst ? last[0] : last.mean(0);
      EXPECT_LT((rows[b] - expected).abs().max().item<double>(), 1e-5) << b;
    }
  }
  EXPECT_FALSE(fs::exists(EmbeddingWriter::offsets_path(path_)));
}

TEST_F(EmbeddingWriterTest, NoInputIsAnEmptyArray) {
  EmbeddingWriter writer(model_, {.layer = kLayers}, path_);
  writer.commit();
  EXPECT_EQ(read_file(path_), storage::npy_header("<f4", {0, kWidth}));
  EXPECT_EQ(read_file(EmbeddingWriter::offsets_path(path_)),
            storage::npy_header("<i8", {1}) + std::string(8, '\0'));
}

TEST_F(EmbeddingWriterTest, ALayerThatIsNotThereIsRefused) {
  try {
    EmbeddingWriter(model_, {.layer = kLayers + 1}, path_);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("0 (embeddings) to 2"));
  }
}

}  // namespace

}  // namespace dietmt::bert
