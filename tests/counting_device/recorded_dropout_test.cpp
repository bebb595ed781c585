// Passes with dropout, recorded forward and backward on the counting device and replayed with other
// keys: results and gradients equal the CPU's for the key of each replay.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "encoders/device/device_graphs.h"
#include "encoders/transformer/stacks.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::counting {
namespace {

using at::Tensor;
using encoders::DropoutKeys;
using encoders::StackConfig;

struct Variant {
  std::string name;
  StackConfig config;
  double dropped_words = 0.0;
  encoders::Backend backend = encoders::Backend::kAuto;
  bool recomputation = false;
  bool fused_kernels = true;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

StackConfig small_config() {
  StackConfig config;
  config.layers = 2;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.max_positions = 16;
  config.dropout = config.attention_dropout = config.activation_dropout = 0.25;
  config.embedding_dropout = 0.25;
  return config;
}

std::vector<Variant> variants() {
  StackConfig pre_norm = small_config(), swiglu = small_config(), relative = small_config();
  pre_norm.norm = encoders::NormPlacement::kPre;
  pre_norm.activation = encoders::Activation::kGelu;
  swiglu.activation = encoders::Activation::kSwiglu;
  relative.position = "diet-rel";
  return {{.name = "post_norm", .config = small_config()},
          {.name = "pre_norm", .config = pre_norm},
          {.name = "swiglu", .config = swiglu},
          {.name = "relative", .config = relative},
          {.name = "dropped_words", .config = small_config(), .dropped_words = 0.25},
          {.name = "sdpa", .config = relative, .backend = encoders::Backend::kSdpa},
          {.name = "recomputation", .config = relative, .recomputation = true},
          {.name = "tensor_algebra", .config = small_config(), .fused_kernels = false}};
}

/// An encoder over fixed tokens, and the gradients of a fixed sum of its output.
class Pass {
 public:
  Pass(const Variant& variant, at::Device device) : variant_(variant), packing_({5, 9, 2}, device) {
    at::manual_seed(3);
    stack_ = std::make_shared<encoders::EncoderStack>(variant.config);
    stack_->set_recomputation(variant.recomputation);
    table_ = torch::randn({11, variant.config.width}).to(device).requires_grad_(true);
    weights_ = torch::randn({packing_.tokens(), variant.config.width}).to(device);
    const Tensor ids = (at::arange(packing_.tokens(), at::kLong) * 7).remainder(11);
    ids_ = ids.to(device);
    order_ = at::argsort(ids, /*stable=*/true, 0).to(device);
    if (!device.is_cpu()) move_to_device(*stack_);
  }

  encoders::EncoderStack& stack() { return *stack_; }

  /// The output and all gradients.
  std::vector<Tensor> run(DropoutKeys keys) const {
    const encoders::StackInput input({table_, encoders::TokenIds(ids_, order_), 2.0},
                                     variant_.dropped_words);
    std::vector<Tensor> leaves = stack_->parameters();
    leaves.push_back(table_);
    for (const Tensor& leaf : leaves) leaf.mutable_grad().reset();
    const Tensor output = stack_->forward(input, packing_, variant_.backend, &keys);
    output.backward(weights_);
    std::vector<Tensor> results = {output.detach()};
    for (const Tensor& leaf : leaves)
      if (leaf.grad().defined()) results.push_back(leaf.grad());
    return results;
  }

 private:
  const Variant& variant_;
  encoders::Packing packing_;
  std::shared_ptr<encoders::EncoderStack> stack_;
  Tensor table_, ids_, order_, weights_;
};

Tensor place_for(uint64_t key) { return DropoutKeys(key).on_device(counting_device()); }

class RecordedDropout : public testing::TestWithParam<Variant> {};

TEST_P(RecordedDropout, DropsWhatTheKeyOfTheReplaySays) {
  constexpr uint64_t kFirst = 1, kOthers[] = {2, 0xfedcba9876543210};
  const kernels::DeviceKernels none;
  std::optional<OtherKernels> other;
  const Pass on_device(GetParam(), counting_device()), on_cpu(GetParam(), at::kCPU);
  if (!GetParam().fused_kernels) other.emplace(none);
  const Tensor place = place_for(kFirst);
  on_device.run(DropoutKeys(place));  // makes the position tables, which come from the host
  std::vector<Tensor> found;
  const auto graph = encoders::graphs_of(counting_device())->record([&] {
    found = on_device.run(DropoutKeys(place));
  });
  std::vector<Tensor> expected = on_cpu.run(DropoutKeys(kFirst));
  for (const uint64_t key : kOthers) {
    SCOPED_TRACE(key);
    const Tensor output_before = expected[0];
    place.copy_(DropoutKeys(key).on_device(place.device()));
    reset_counts();
    graph->replay();
    EXPECT_EQ(counts().launches, 1);
    EXPECT_EQ(counts().waits, 0);
    expected = on_cpu.run(DropoutKeys(key));
    EXPECT_FALSE(at::allclose(expected[0], output_before, 0.1, 0.1));
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_TRUE(at::allclose(found[i].cpu(), expected[i], 1e-4, 1e-4)) << "tensor " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, RecordedDropout, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

// Whether backward kernels read the key, or the layers run again.
TEST(DropoutKeyOfAPass, MustNotChangeBeforeTheBackwardPass) {
  for (const bool recomputation : {false, true}) {
    at::manual_seed(3);
    encoders::EncoderStack stack(small_config());
    stack.set_recomputation(recomputation);
    move_to_device(stack);
    const encoders::Packing packing({5, 9, 2}, counting_device());
    const Tensor x = torch::randn({16, 16}).to(counting_device()).requires_grad_(true);
    const Tensor place = place_for(1);
    DropoutKeys keys(place);
    const Tensor output = stack.forward(x, packing, encoders::Backend::kAuto, &keys);
    place.fill_(2);
    EXPECT_THROW(output.sum().backward(), c10::Error) << recomputation;
  }
}

// The host decides which layers run.
TEST(RecordedDropoutOfLayers, NeedsAKeyOnTheHost) {
  const Variant variant{.name = "layers", .config = small_config()};
  Pass pass(variant, counting_device());
  pass.stack().set_layer_drop(0.5);
  EXPECT_NO_THROW(pass.run(DropoutKeys(1)));
  EXPECT_THROW(pass.run(DropoutKeys(place_for(1))), Error);
}

}  // namespace
}  // namespace dietmt::counting
