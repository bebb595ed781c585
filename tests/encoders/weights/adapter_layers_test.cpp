#include "encoders/weights/adapter_layers.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

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
using ::testing::Not;
using Tensors = std::map<std::string, Tensor>;

class AdapterLayersTest : public ScratchTest {
 protected:
  AdapterLayersTest() {
    at::manual_seed(4);
    base_ = {{"embedding", torch::randn({6, 4})}, {"layer0.bias", torch::randn({4})}};
    whole_ = base_;
    whole_["layer0.adapter.up_weight"] = torch::randn({4, 3});
    whole_["layer0.adapter.up_bias"] = torch::randn({4});
    file_ = scratch() / "x.adapter";
    save_adapter_layers(file_, whole_);
  }

  std::string refusal(Tensors weights) const {
    return message_of<CheckpointError>([&] { add_adapter_layers(file_, weights); });
  }

  Tensors base_, whole_;
  std::filesystem::path file_;
};

TEST_F(AdapterLayersTest, AFileHoldsWhatTheModelLacks) {
  Tensors weights = base_;
  add_adapter_layers(file_, weights);
  ASSERT_EQ(weights.size(), whole_.size());
  for (const auto& [name, tensor] : whole_) EXPECT_TRUE(at::equal(weights.at(name), tensor));
  EXPECT_FALSE(load_safetensors(file_).contains("embedding"));
}

TEST_F(AdapterLayersTest, AnyOtherWeightOfTheModelIsNoticed) {
  for (const auto& [name, tensor] : base_) {
    Tensors other = base_;
    other[name] = tensor.clone();
    other[name].view(-1)[3] += 1e-3;
    EXPECT_THAT(refusal(other), AllOf(HasSubstr(file_.string()),
                                      HasSubstr("was trained from another model than the one in "
                                                "its directory")))
        << name;
  }
}

TEST_F(AdapterLayersTest, EveryDamagedByteIsNoticed) {
  const std::string whole = read_file(file_);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    write_file_atomically(file_, damaged);
    EXPECT_THAT(refusal(base_), AllOf(HasSubstr(file_.string()), Not(HasSubstr("another model"))))
        << "byte " << at;
  }
  write_file_atomically(file_, whole.substr(0, whole.size() - 8));
  EXPECT_THAT(refusal(base_), HasSubstr(file_.string()));
}

TEST_F(AdapterLayersTest, OtherFilesAreNoAdapters) {
  save_safetensors(file_, {{"layer0.adapter.up_bias", torch::randn({4})}});
  EXPECT_THAT(refusal(base_), HasSubstr("x.adapter: is not an adapter of dietmt train"));
}

TEST(AdapterFile, FingerprintsTellTensorsApart) {
  const Tensor x = at::arange(15, at::kFloat).view({3, 5});
  const auto of = [](const Tensors& tensors) { return fingerprint(tensors); };
  EXPECT_EQ(of({{"x", x}}), of({{"x", x.clone()}}));
  EXPECT_EQ(of({{"x", x}}), of({{"x", x.to(at::kBFloat16)}}));  // whole numbers are exact
  EXPECT_NE(of({{"x", x}}), of({{"y", x}}));
  EXPECT_NE(of({{"x", x}}), of({{"x", x + 1}}));
  EXPECT_NE(of({{"x", x}}), of({{"x", x.view({5, 3})}}));
  EXPECT_NE(of({{"x", x}, {"y", x + 1}}), of({{"x", x + 1}, {"y", x}}));
  EXPECT_NE(of({{"x", x}}), of({{"x", x}, {"y", at::zeros({0})}}));
}

}  // namespace
}  // namespace dietmt::encoders
