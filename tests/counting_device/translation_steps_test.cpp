// Steps of translation models with every encoding on the counting device: the CPU's numbers, and no
// more waits than expected.
#include "tests/counting_device/translation_steps.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/counting_device/step_comparison.h"
#include "tests/counting_device/step_report.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using counting::StepReport;
using encoders::Encoding;

// The host's waits for the device, at most, with any encoding.
constexpr double kWaitsOfTraining = 0.0;    // in a step
constexpr double kWaitsOfValidation = 1.0;  // in a validation

class TranslationSteps : public TranslationStepsTest, public testing::WithParamInterface<Encoding> {
 protected:
  static std::shared_ptr<TranslationModel> model(at::Device device) {
    return TranslationStepsTest::model(config(GetParam()), device);
  }

  // Batches as on the CPU.
  TranslationTask task(const std::shared_ptr<TranslationModel>& model, bool bf16 = false) const {
    const encoders::WithoutGraphs without_graphs;
    return TranslationStepsTest::task(model, corpus_, 600, bf16);
  }

  StepReport report_of_training(bool bf16) const {
    return counting::report_of_step(2, 4, [&](int64_t updates) {
      TranslationTask trained = task(model(counting::counting_device()), bf16);
      training::TrainerOptions options;
      options.max_updates = updates;
      train(trained, options);
    });
  }
};

TEST_P(TranslationSteps, LossesAndGradientsAreThoseOfTheCpu) {
  const auto expected = model(at::kCPU), actual = model(counting::counting_device());
  TranslationTask on_cpu = task(expected), on_device = task(actual);
  counting::expect_same_losses_and_gradients(on_device, on_cpu);
}

TEST_P(TranslationSteps, TrainingDoesNotWaitAndAddsInOneOrder) {
  for (const bool bf16 : {false, true}) {
    const StepReport report = report_of_training(bf16);
    counting::print_if_wanted("training " + GetParam().spec + (bf16 ? ", bf16" : ""), report);
    EXPECT_LE(report.waits, kWaitsOfTraining) << counting::text_of_waits(report);
  }
  // CUDA uses atomics here. index_add moves padding rows, each once.
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
