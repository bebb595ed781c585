// Small translation models trained on toy text, on the CPU and on the counting device.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "nmt/training/translation_task.h"
#include "tests/counting_device/counting_device.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"
#include "tests/encoders/position/encoding_list.h"

namespace dietmt::nmt {

class TranslationStepsTest : public data::ParallelCorpusTest {
 protected:
  TranslationStepsTest()
      : corpus_(toy_corpus({.max_tokens = 60})),
        valid_corpus_(corpus_of({write("valid.source", first_lines(text_.source))},
                                {write("valid.target", first_lines(text_.target))},
                                {.max_tokens = 60})) {}

  static std::string first_lines(const std::vector<std::string>& lines) {
    return data::joined_lines({lines.begin(), lines.begin() + 40});
  }

  static ModelConfig config(const encoders::Encoding& encoding) {
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 2;
    config.width = 32;
    config.feed_forward = 48;
    config.max_positions = 128;
    config.activation = "gelu";  // smooth: rounding errors turn no unit on or off
    config.attention_dropout = config.activation_dropout = 0.1;
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    if (encoding.encoder) config.encoder_position = encoding.spec;
    if (encoding.decoder) config.decoder_position = encoding.spec;
    return config;
  }

  static std::shared_ptr<TranslationModel> model(const ModelConfig& config, at::Device device) {
    const auto model = std::make_shared<TranslationModel>(config, 5);
    if (!device.is_cpu()) counting::move_to_device(*model);
    return model;
  }

  TranslationTask task(const std::shared_ptr<TranslationModel>& model,
                       const data::ParallelCorpus& text, int64_t batch_tokens = 600,
                       bool bf16 = false) const {
    TranslationTaskOptions options;
    options.bf16 = bf16;
    options.batches.batch_tokens = batch_tokens;
    options.device = model->output_weight().device();
    return TranslationTask(model, text, valid_corpus_, tokenizer(), tokenizer(), options);
  }

  void train(TranslationTask& task, training::TrainerOptions options) const {
    static int64_t runs = 0;
    options.output = scratch() / ("run" + std::to_string(++runs));
    std::filesystem::create_directories(options.output);
    options.log_interval = 1000;
    training::train(task, options, {}, false);
  }

  data::ParallelCorpus corpus_;
  data::ParallelCorpus valid_corpus_;  // a few batches
};

/// The encodings of the list for models whose tokens have no segments.
inline std::vector<encoders::Encoding> encodings_without_segments() {
  std::vector<encoders::Encoding> found;
  for (const encoders::Encoding& encoding : encoders::kEncodings)
    if (encoding.spec.find("segments") == std::string::npos) found.push_back(encoding);
  return found;
}

}  // namespace dietmt::nmt
