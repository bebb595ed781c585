#include "encoders/weights/low_rank.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <map>

#include "common/error.h"
#include "common/files.h"
#include "encoders/weights/adapter_file.h"
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
    weights_["y.bias"] = torch::randn({3});
    adapter_.base = fingerprint(weights_);
    file_ = scratch() / "x.adapter";
    save_adapter(file_, adapter_);
  }

  void merge() { merge_adapter(file_, weights_); }

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

// Even if it updates none of them.
TEST_F(LowRankTest, RefusesOtherWeights) {
  for (const auto& [name, tensor] : std::map(weights_)) {
    const Tensor before = tensor.clone();
    weights_[name].view(-1)[2] += 1e-3;
    EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
                AllOf(HasSubstr(file_.string()), HasSubstr("trained from another model")))
        << name;
    weights_[name] = before;
  }
  weights_.erase("x.weight");
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              HasSubstr("trained from another model"));
}

TEST_F(LowRankTest, RefusesOtherFiles) {
  save_safetensors(file_, {{"x.weight", torch::randn({2})}});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }), HasSubstr("is not an adapter"));
  const int64_t base = fingerprint(weights_);
  const Tensor scale = at::scalar_tensor(1.0, at::kDouble), a = torch::randn({2, 4});
  save_adapter_file(file_, {{{"scale", scale}, {"x.weight.lora_a", a}}, base});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              HasSubstr("tensor 'x.weight.lora_b' is missing"));
  save_adapter_file(
      file_, {{{"scale", scale}, {"x.weight.lora_a", a}, {"x.weight.lora_b", torch::randn({6, 3})}},
              base});
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              HasSubstr("the shapes of 'x.weight' do not fit together"));
}

TEST_F(LowRankTest, RefusesADamagedFile) {
  std::string bytes = read_file(file_);
  bytes[bytes.size() - 9] ^= 1;
  write_file_atomically(file_, bytes);
  EXPECT_THAT(message_of<CheckpointError>([&] { merge(); }),
              AllOf(HasSubstr(file_.string()), HasSubstr("is damaged")));
}

}  // namespace
}  // namespace dietmt::encoders
