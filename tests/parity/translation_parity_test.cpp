// Training and decoding of translation models on a device compared with the CPU.
#include <gtest/gtest.h>

#include <optional>

#include "common/files.h"
#include "encoders/device/device_graphs.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "nmt/training/translation_task.h"
#include "nmt/translation/translator.h"
#include "storage/checkpoint.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"
#include "tests/parity/gaps.h"
#include "tests/parity/tested_device.h"

namespace dietmt::nmt {
namespace {

constexpr double kTolerance = 1e-4;

class TranslationParityBase : public data::ParallelCorpusTest {
 protected:
  TranslationParityBase()
      : corpus_(toy_corpus()),
        valid_corpus_(corpus_of({write("valid.source", first_lines(text_.source))},
                                {write("valid.target", first_lines(text_.target))})) {}

  static std::string first_lines(const std::vector<std::string>& lines) {
    return data::joined_lines({lines.begin(), lines.begin() + 20});
  }

  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
    tested_device();  // before the first backward pass, which counts the devices
  }

  // Heads of width 32, the smallest for the CUDA kernels.
  ModelConfig config() const {
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 2;
    config.width = 128;
    config.heads = 4;
    config.feed_forward = 96;
    config.max_positions = 128;
    config.activation = "gelu";  // smooth: rounding errors turn no unit on or off
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    return config;
  }

  std::unique_ptr<TranslationTask> task(const ModelConfig& config, at::Device device,
                                        bool bf16 = false) const {
    auto model = std::make_shared<TranslationModel>(config, 5);
    if (!device.is_cpu()) move_to_tested_device(*model);
    TranslationTaskOptions options;
    options.batches.batch_tokens = 200;
    options.device = device;
    options.bf16 = bf16;
    return std::make_unique<TranslationTask>(model, corpus_, valid_corpus_, tokenizer(),
                                             tokenizer(), options);
  }

  // Without graphs, for which batches are padded, so that attention would drop other elements.
  void expect_parity(const ModelConfig& config) const {
    const StepResult expected = step_of(*task(config, at::kCPU), 7);
    encoders::allow_graphs(false);
    const auto on_device = task(config, tested_device());
    encoders::allow_graphs(true);
    expect_within(step_of(*on_device, 7), expected, kTolerance);
  }

  data::ParallelCorpus corpus_;
  data::ParallelCorpus valid_corpus_;
};

class TranslationParity : public TranslationParityBase {};

class EncodingParity : public TranslationParityBase,
                       public testing::WithParamInterface<encoders::Encoding> {};

TEST_P(EncodingParity, LossAndGradientsAreThoseOfTheCpu) {
  const encoders::Encoding& encoding = GetParam();
  ModelConfig config = this->config();
  config.encoder_position = encoding.encoder ? encoding.spec : "none";
  config.decoder_position = encoding.decoder ? encoding.spec : "none";
  expect_parity(config);
}

/// Only BERT's inputs have segments: bert_parity_test.cpp.
std::vector<encoders::Encoding> encodings_of_translation() {
  std::vector<encoders::Encoding> all;
  for (const encoders::Encoding& encoding : encodings_to_try())
    if (encoding.spec.find("segments") == std::string::npos) all.push_back(encoding);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Encodings, EncodingParity, testing::ValuesIn(encodings_of_translation()));

TEST_F(TranslationParity, OtherPartsOfTheModel) {
  ModelConfig config = this->config();
  config.norm = "pre";
  config.norm_type = "rms";
  config.activation = "swiglu";
  config.qk_norm = true;
  config.kv_heads = 2;
  config.attention_dropout = config.activation_dropout = 0.1;
  config.output_bias = true;
  config.encoder_position = config.decoder_position = "rope";
  expect_parity(config);
}

TEST_F(TranslationParity, TheValidationLossIsThatOfTheCpu) {
  const double expected = task(config(), at::kCPU)->validate().at("valid_loss");
  const double actual = task(config(), tested_device())->validate().at("valid_loss");
  EXPECT_NEAR(actual, expected, kTolerance * expected);
}

/// Trains up to `updates` in `folder`, and returns the weights as stored on disk.
class ResumeParity : public TranslationParityBase {
 protected:
  std::string trained(const std::string& folder, int64_t updates, bool bf16) const {
    ModelConfig config = this->config();
    config.encoder_position = config.decoder_position = "diet-rel";
    training::TrainerOptions options;
    options.output = scratch() / folder;
    options.max_updates = updates;
    options.valid_interval = 1000;
    options.bf16 = bf16;
    const auto made = task(config, tested_device(), bf16);
    training::train(*made, options, {}, /*resume=*/true);
    return read_file(storage::newest_checkpoint(options.output)->directory / "model.safetensors");
  }
};

TEST_F(ResumeParity, AStoppedTrainingGoesOnBitForBit) {
  for (const bool bf16 : {false, true}) {
    const std::string name = bf16 ? "bf16" : "fp32";
    const std::string whole = trained(name + "-whole", 6, bf16);
    trained(name + "-halves", 3, bf16);
    EXPECT_TRUE(trained(name + "-halves", 6, bf16) == whole) << name;
  }
}

/// Losses and gradients of passes that are enqueued directly, recorded, and replayed.
class ReplayParity : public EncodingParity {};

TEST_P(ReplayParity, GraphsGiveTheSameBits) {
  constexpr uint64_t kBatches = 4;
  for (const bool bf16 : {false, true}) {
    ModelConfig config = this->config();
    config.attention_dropout = config.activation_dropout = 0.1;
    config.encoder_position = GetParam().encoder ? GetParam().spec : "none";
    config.decoder_position = GetParam().decoder ? GetParam().spec : "none";
    const auto trained = task(config, tested_device(), bf16);
    const nlohmann::json start = trained->data_position();
    std::vector<StepResult> expected;
    for (uint64_t batch = 0; batch < kBatches; ++batch)
      expected.push_back(step_of(*trained, batch));
    for (int repeat = 0; repeat < 2; ++repeat) {
      trained->restore_data_position(start);
      for (uint64_t batch = 0; batch < kBatches; ++batch) {
        SCOPED_TRACE(std::to_string(repeat) + ", batch " + std::to_string(batch));
        expect_same_bits(step_of(*trained, batch), expected[batch]);
      }
    }
    EXPECT_EQ(trained->graphs(), kBatches) << "passes were not recorded";
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, ReplayParity, testing::ValuesIn(encodings_of_translation()));

TEST_F(TranslationParity, TranslationsAndScoresAreThoseOfTheEngine) {
  std::vector<TranslationRequest> requests(6);
  for (size_t i = 0; i < requests.size(); ++i) requests[i].source = sentence(text_.source[i]);
  for (const std::string spec : {"sinusoidal", "diet-rel", "rope", "shaw(clip=16)"}) {
    ModelConfig config = this->config();
    config.encoder_position = config.decoder_position = spec;
    const auto found = [&](at::Device device) {
      TranslationModel model(config, 5);
      if (!device.is_cpu()) move_to_tested_device(model);
      const std::vector<const TranslationModel*> models = {&model};
      SearchOptions options;
      options.beam = options.nbest = 5;
      options.max_length_factor = 0.0;
      options.max_length_offset = 16;
      return Translator({.decoder = make_decoder(models, SpecialTokens::of(tokenizer()))}, options)
          .translate(requests);
    };
    const std::vector<NBest> expected = found(at::kCPU);
    const std::vector<NBest> actual = found(tested_device());
    ASSERT_EQ(actual.size(), expected.size());
    double gap = 0.0;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(actual[i].size(), expected[i].size()) << spec << ", sentence " << i;
      for (size_t n = 0; n < expected[i].size(); ++n)
        gap = std::max(gap, std::abs(actual[i][n].score - expected[i][n].score));
    }
    EXPECT_LE(gap, kTolerance) << spec;
  }
}

}  // namespace
}  // namespace dietmt::nmt
