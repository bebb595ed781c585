// Steps of fine-tuning a BERT encoder with every encoding on the counting device: the CPU's
// numbers, and no more waits than expected.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "bert/finetuning/classification_task.h"
#include "tests/bert/finetuning/toy_task.h"
#include "tests/counting_device/step_comparison.h"
#include "tests/counting_device/step_report.h"

namespace dietmt::bert {
namespace {

using counting::StepReport;
using encoders::Encoding;

// The host's waits for the device, at most, with any encoding.
constexpr double kWaitsOfTraining = 0.0;
constexpr double kWaitsOfValidation = 1.0;

std::vector<Encoding> encodings_of_encoders() {
  std::vector<Encoding> found;
  for (const Encoding& encoding : encoders::kEncodings)
    if (encoding.encoder) found.push_back(encoding);
  return found;
}

class FinetuningSteps : public ToyTaskTest, public testing::WithParamInterface<Encoding> {
 protected:
  FinetuningSteps() {
    description_.task = own_task(data::TaskKind::kClassification, {"accuracy"});
    description_.task.target.labels = {"other", "cat"};
    train_ = animals(64, 1);
    valid_ = {animals(20, 2)};
  }

  LabelledInputs animals(int64_t count, uint64_t seed) const {
    Random random(seed);
    LabelledInputs set;
    std::vector<data::Example> examples;
    for (int64_t i = 0; i < count; ++i) {
      examples.push_back({.first = random_words(random, 2 + static_cast<int64_t>(random.below(7))),
                          .second = random_words(random, 4)});
      set.labels.push_back(examples.back().first.find("cat") == std::string::npos ? 0 : 1);
    }
    set.inputs = encode_examples(examples, tokenizer(), {24, true});
    return set;
  }

  std::shared_ptr<encoders::Bert> model(at::Device device) const {
    encoders::BertConfig config = encoders::BertConfig::preset("tiny");
    config.vocabulary = tokenizer().vocabulary_size();
    config.layers = 2;
    config.width = 32;
    config.heads = 4;
    config.feed_forward = 48;
    config.max_positions = 64;
    config.position = GetParam().spec;
    if (GetParam().spec.find("segments") != std::string::npos) {
      config.position = "none";
      config.segment_encoding = GetParam().spec == "input-segments" ? "input" : "heads";
    }
    config.task_heads = description_.heads();
    const auto model = std::make_shared<encoders::Bert>(config, 3);
    if (!device.is_cpu()) counting::move_to_device(*model);
    return model;
  }

  ClassificationTask task(const std::shared_ptr<encoders::Bert>& model, at::Device device) const {
    FinetuningOptions options = ToyTaskTest::options();
    options.execution.device = device;
    return ClassificationTask(model, tokenizer(), description_, train_, valid_, options);
  }

  TaskDescription description_;
  LabelledInputs train_;
  std::vector<LabelledInputs> valid_;
};

TEST_P(FinetuningSteps, LossesAndGradientsAreThoseOfTheCpu) {
  const auto expected = model(at::kCPU), actual = model(counting::counting_device());
  ClassificationTask on_cpu = task(expected, at::kCPU);
  ClassificationTask on_device = task(actual, counting::counting_device());
  counting::expect_same_losses_and_gradients(on_device, on_cpu);
}

TEST_P(FinetuningSteps, TrainingDoesNotWait) {
  const StepReport report = counting::report_of_step(2, 4, [&](int64_t updates) {
    const training::TrainerOptions options =
        trainer("run" + std::to_string(updates), "accuracy", updates);
    std::filesystem::create_directories(options.output);
    const auto trained = model(counting::counting_device());
    ClassificationTask on_device = task(trained, counting::counting_device());
    training::train(on_device, options, {}, false);
  });
  counting::print_if_wanted("fine-tuning " + GetParam().spec, report);
  EXPECT_LE(report.waits, kWaitsOfTraining) << counting::text_of_waits(report);
}

TEST_P(FinetuningSteps, ValidationIsThatOfTheCpu) {
  ClassificationTask on_cpu = task(model(at::kCPU), at::kCPU);
  ClassificationTask on_device =
      task(model(counting::counting_device()), counting::counting_device());
  const double expected = on_cpu.validate().at("valid_loss");
  double actual = 0.0;
  const StepReport report =
      counting::report_of([&] { actual = on_device.validate().at("valid_loss"); });
  EXPECT_NEAR(actual / expected, 1.0, counting::kTolerance);
  counting::print_if_wanted("validation of fine-tuning " + GetParam().spec, report);
  EXPECT_LE(report.waits, kWaitsOfValidation) << counting::text_of_waits(report);
}

INSTANTIATE_TEST_SUITE_P(Encodings, FinetuningSteps, testing::ValuesIn(encodings_of_encoders()),
                         counting::name_of_encoding);

}  // namespace
}  // namespace dietmt::bert
