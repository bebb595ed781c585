// Steps of translation models with every encoding on the counting device: the numbers of the CPU,
// and no more waits than are known.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "nmt/training/translation_task.h"
#include "tests/counting_device/step_comparison.h"
#include "tests/counting_device/step_report.h"
#include "tests/data/corpus/parallel_corpus_fixture.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using counting::StepReport;
using encoders::Encoding;

// The most waits of the host for the device, of any encoding.
constexpr double kWaitsOfTraining = 0.0;    // in a step
constexpr double kWaitsOfValidation = 1.0;  // in a validation

std::vector<Encoding> encodings_without_segments() {
  std::vector<Encoding> found;
  for (const Encoding& encoding : encoders::kEncodings)
    if (encoding.spec.find("segments") == std::string::npos) found.push_back(encoding);
  return found;
}

class TranslationSteps : public data::ParallelCorpusTest,
                         public testing::WithParamInterface<Encoding> {
 protected:
  TranslationSteps()
      : corpus_(toy_corpus({.max_tokens = 60})),
        valid_corpus_(corpus_of({write("valid.source", first_lines(text_.source))},
                                {write("valid.target", first_lines(text_.target))},
                                {.max_tokens = 60})) {}

  static std::string first_lines(const std::vector<std::string>& lines) {
    return data::joined_lines({lines.begin(), lines.begin() + 40});
  }

  static std::shared_ptr<TranslationModel> model(at::Device device) {
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 2;
    config.width = 32;
    config.feed_forward = 48;
    config.max_positions = 128;
    config.activation = "gelu";  // smooth: no unit turns on or off by a rounding error
    config.attention_dropout = config.activation_dropout = 0.1;
    config.source_vocabulary = config.target_vocabulary = tokenizer().vocabulary_size();
    if (GetParam().encoder) config.encoder_position = GetParam().spec;
    if (GetParam().decoder) config.decoder_position = GetParam().spec;
    const auto model = std::make_shared<TranslationModel>(config, 5);
    if (!device.is_cpu()) counting::move_to_device(*model);
    return model;
  }

  TranslationTask task(const std::shared_ptr<TranslationModel>& model) const {
    TranslationTaskOptions options;
    options.batches.batch_tokens = 600;
    options.device = model->output_weight().device();
    return TranslationTask(model, corpus_, valid_corpus_, tokenizer(), tokenizer(), options);
  }

  StepReport report_of_training() const {
    return counting::report_of_step(2, 4, [&](int64_t updates) {
      training::TrainerOptions options;
      options.output = scratch() / ("run" + std::to_string(updates));
      std::filesystem::create_directories(options.output);
      options.max_updates = updates;
      options.log_interval = 1000;
      TranslationTask trained = task(model(counting::counting_device()));
      training::train(trained, options, {}, false);
    });
  }

  data::ParallelCorpus corpus_;
  data::ParallelCorpus valid_corpus_;
};

TEST_P(TranslationSteps, LossesAndGradientsAreThoseOfTheCpu) {
  const auto expected = model(at::kCPU), actual = model(counting::counting_device());
  TranslationTask on_cpu = task(expected), on_device = task(actual);
  counting::expect_same_losses_and_gradients(on_device, on_cpu);
}

TEST_P(TranslationSteps, TrainingDoesNotWaitAndAddsInOneOrder) {
  const StepReport report = report_of_training();
  counting::print_if_wanted("training " + GetParam().spec, report);
  EXPECT_LE(report.waits, kWaitsOfTraining) << counting::text_of_waits(report);
  // By atomics on CUDA. index_add moves rows of padding, each once.
  EXPECT_THAT(counting::launches_by_operator(),
              testing::Not(testing::Contains(testing::Key(testing::HasSubstr("scatter_add")))));
}

TEST_P(TranslationSteps, ValidationIsThatOfTheCpu) {
  TranslationTask on_cpu = task(model(at::kCPU));
  TranslationTask on_device = task(model(counting::counting_device()));
  const double expected = on_cpu.validate().at("valid_loss");
  double actual = 0.0;
  const StepReport report =
      counting::report_of([&] { actual = on_device.validate().at("valid_loss"); });
  EXPECT_NEAR(actual / expected, 1.0, counting::kTolerance);
  counting::print_if_wanted("validation " + GetParam().spec, report);
  EXPECT_LE(report.waits, kWaitsOfValidation) << counting::text_of_waits(report);
}

INSTANTIATE_TEST_SUITE_P(Encodings, TranslationSteps,
                         testing::ValuesIn(encodings_without_segments()),
                         counting::name_of_encoding);

}  // namespace
}  // namespace dietmt::nmt
