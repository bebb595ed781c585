#include "training/optimization/freezing.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include "common/error.h"
#include "tests/common/test_directory.h"
#include "training/optimization/loss.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {
namespace {

using at::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Part : torch::nn::Module {
  Part() {
    weight = register_parameter("weight", torch::ones({2, 3}));
    bias = register_parameter("bias", torch::ones({3}));
  }
  Tensor weight, bias;
};

struct Whole : torch::nn::Module {
  Whole() {
    encoder = register_module("encoder", std::make_shared<Part>());
    decoder = register_module("decoder", std::make_shared<Part>());
  }

  std::vector<std::string> trained() const {
    std::vector<std::string> names;
    for (const auto& item : named_parameters())
      if (item.value().requires_grad()) names.push_back(item.key());
    return names;
  }

  std::shared_ptr<Part> encoder, decoder;
};

TEST(Freezing, PatternsNameWholeParameters) {
  Whole model;
  EXPECT_EQ(freeze(model, {"encoder.*", "*.bias"}), 6 + 3 + 3);
  EXPECT_THAT(model.trained(), ElementsAre("decoder.weight"));
  Whole other;
  EXPECT_EQ(freeze(other, {"[de]*coder.w?ight"}), 12);
  EXPECT_THAT(other.trained(), ElementsAre("encoder.bias", "decoder.bias"));
}

TEST(Freezing, APatternWithoutAParameterIsAnError) {
  Whole model;
  const std::string message = message_of<ConfigError>([&] {
    freeze(model, {"encoder.*", "decodr.*"});
  });
  EXPECT_THAT(message, HasSubstr("no parameter of the model matches 'decodr.*'"));
  EXPECT_THAT(message, HasSubstr("did you mean decoder.*?"));
  EXPECT_THAT(message_of<ConfigError>([&] { freeze(model, {"encoder"}); }),
              HasSubstr("did you mean encoder.*?"));
  EXPECT_THAT(message_of<ConfigError>([&] { freeze(model, {"*"}); }),
              HasSubstr("leaves no parameter to train"));
}

TEST(Freezing, AllButSomeAreFrozen) {
  Whole model;
  const auto is_bias = [](const std::string& name) { return name.ends_with(".bias"); };
  EXPECT_EQ(freeze_all_but(model, is_bias), 12);
  EXPECT_THAT(model.trained(), ElementsAre("encoder.bias", "decoder.bias"));
}

TEST(Freezing, FrozenParametersStayAndHaveNoState) {
  Whole model;
  freeze(model, {"encoder.*"});
  Optimizer optimizer(model, {});
  (model.encoder->weight.sum() * model.decoder->weight.sum()).backward();
  EXPECT_FALSE(model.encoder->weight.grad().defined());
  optimizer.step(0.1);
  EXPECT_TRUE(at::equal(model.encoder->weight, at::ones({2, 3})));
  EXPECT_FALSE(at::equal(model.decoder->weight, at::ones({2, 3})));
  for (const auto& [name, tensor] : optimizer.state())
    EXPECT_TRUE(name.starts_with("decoder.")) << name;
}

TEST(Freezing, TheLossDoesWithoutTheGradientOfAFrozenWeight) {
  at::manual_seed(1);
  const Tensor hidden = torch::randn({20, 8}).requires_grad_(true);
  const Tensor weight = torch::randn({30, 8});
  const Tensor targets = torch::randint(30, {20}, at::kLong);
  linear_cross_entropy(hidden, weight, targets, 0.1, at::kFloat).smoothed.backward();
  const Tensor frozen = hidden.grad().clone();
  hidden.mutable_grad().reset();
  const Tensor trained = weight.clone().requires_grad_(true);
  linear_cross_entropy(hidden, trained, targets, 0.1, at::kFloat).smoothed.backward();
  EXPECT_TRUE(at::equal(frozen, hidden.grad()));
  EXPECT_FALSE(weight.grad().defined());
}

}  // namespace
}  // namespace dietmt::training
