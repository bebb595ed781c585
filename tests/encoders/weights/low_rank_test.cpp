#include "encoders/weights/low_rank.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <map>

#include "common/error.h"
#include "encoders/weights/safetensors.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
using ::testing::AllOf;
using ::testing::HasSubstr;

class LowRankTest : public ScratchTest {
 protected:
  LowRankTest() {
    at::manual_seed(4);
    weights_ = {{"x.weight", torch::randn({6, 4})}, {"y.weight", torch::randn({3, 5})}};
    adapter_.scale = 0.5;
    for (const auto& [name, weight] : weights_) {
      adapter_.updates.push_back(
          {name, torch::randn({2, weight.size(1)}), torch::randn({weight.size(0), 2})});
    }
    adapter_.base = fingerprint({weights_["x.weight"], weights_["y.weight"]});
    file_ = scratch() / "x.adapter";
    save_adapter(file_, adapter_);
  }

  void merge() {
    merge_adapter(
        file_,
        [&](const std::string& name) {
          return weights_.contains(name) ? weights_.at(name) : Tensor();
        },
        [&](const std::string& name, Tensor weight) { weights_[name] = std::move(weight); });
  }

  std::map<std::string, Tensor> weights_;
  LowRankAdapter adapter_;
  std::filesystem::path file_;
};

TEST_F(LowRankTest, AFileUpdatesTheWeightsThatItWasMadeFor) {
  const auto before = weights_;
  merge();
  for (const LowRankUpdate& update : adapter_.updates) {
    const Tensor expected = before.at(update.name) + 0.5 * at::mm(update.b, update.a);
    EXPECT_TRUE(at::allclose(weights_.at(update.name), expected)) << update.name;
  }
}

TEST_F(LowRankTest, RefusesOtherWeights) {
  weights_["y.weight"][1][2] += 1e-3;
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              AllOf(HasSubstr(file_.string()), HasSubstr("trained from another model")));
  weights_["y.weight"] = torch::randn({3, 6});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              HasSubstr("has no parameter 'y.weight' of this size"));
  weights_.erase("x.weight");
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }), HasSubstr("'x.weight'"));
}

TEST_F(LowRankTest, RefusesOtherFiles) {
  save_safetensors(file_, {{"x.weight", torch::randn({2})}});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }), HasSubstr("is not an adapter"));
  const Tensor one = at::scalar_tensor(1, at::kLong);
  save_safetensors(file_, {{"scale", one}, {"base", one}, {"x.lora_a", torch::randn({2, 4})}});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              HasSubstr("tensor 'x.lora_b' is missing"));
}

TEST(LowRank, FingerprintsTellTensorsApart) {
  const Tensor x = at::arange(15, at::kFloat).view({3, 5});
  EXPECT_EQ(fingerprint({x}), fingerprint({x.clone()}));
  EXPECT_NE(fingerprint({x}), fingerprint({x + 1}));
  EXPECT_NE(fingerprint({x, x + 1}), fingerprint({x + 1, x}));
  EXPECT_NE(fingerprint({x}), fingerprint({x, at::zeros({0})}));
}

}  // namespace
}  // namespace dietmt::encoders
