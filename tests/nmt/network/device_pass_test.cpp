// Passes through a translation model on the counting device: the CPU's results and gradients, how
// much they launch, and that they never wait.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "encoders/ops/scopes.h"
#include "nmt/network/translation_model.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using counting::counting_device;
using encoders::Packing;

void move_to_device(const torch::nn::Module& module) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  for (const Tensor& parameter : module.parameters()) {
    const Tensor moved = parameter.to(counting_device());
    parameter.unsafeGetTensorImpl()->shallow_copy_from(moved.getIntrusivePtr());
  }
}

struct Batch {
  std::vector<int64_t> source_lengths = {20, 31, 7, 140};
  std::vector<int64_t> target_lengths = {22, 30, 9, 133};

  static std::vector<int32_t> ids(const std::vector<int64_t>& lengths) {
    std::vector<int32_t> drawn;
    for (const int64_t length : lengths)
      for (int64_t i = 0; i < length; ++i)
        drawn.push_back(static_cast<int32_t>(3 + (7 * i + length) % 40));
    return drawn;
  }
};

/// The decoder's hidden states after a pass with dropout.
Tensor hidden_states(const TranslationModel& model, const Batch& batch, at::Device device) {
  encoders::DropoutKeys keys(7);
  const Packing source(batch.source_lengths, device), target(batch.target_lengths, device);
  const Tensor memory =
      model.encode(encoders::ids_of(Batch::ids(batch.source_lengths), device), source, &keys);
  return model.decode(encoders::ids_of(Batch::ids(batch.target_lengths), device), target, memory,
                      source, &keys);
}

ModelConfig base_config() {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 50;
  config.encoder_layers = config.decoder_layers = 6;
  config.width = 512;
  config.feed_forward = 2048;
  config.heads = 8;
  config.max_positions = 256;
  return config;
}

// The network's launches for a `base` model in bf16, forward and backward, without those of the
// loss and the optimiser.
TEST(DevicePass, BaseLaunchesFewKernelsAndNeverWaits) {
  TranslationModel model(base_config(), 1);
  move_to_device(model);
  encoders::WeightCopies copies(model);
  const counting::WithoutComputing fast;
  const auto pass = [&] {
    Tensor hidden;
    {
      const encoders::MixedPrecision mixed(true, &copies);
      hidden = hidden_states(model, {}, counting_device());
    }
    EXPECT_EQ(hidden.scalar_type(), at::kBFloat16);
    hidden.backward(at::ones_like(hidden));
    for (const Tensor& parameter : model.parameters()) {
      EXPECT_EQ(parameter.grad().scalar_type(), at::kFloat);
      parameter.mutable_grad().reset();
    }
  };
  pass();
  counting::reset_counts();
  pass();
  const counting::Counts counts = counting::counts();
  EXPECT_LE(counts.launches, 330);
  EXPECT_EQ(counts.host_to_device, 5);  // two packings, two lists of ids, the dropout key
  EXPECT_EQ(counts.waits, 0);
  if (!HasFailure()) return;
  for (const auto& [name, count] : counting::launches_by_operator())
    std::cerr << count << " " << name << "\n";
}

struct Variant {
  std::string name;
  std::function<void(ModelConfig&)> change;
  std::function<void(TranslationModel&)> set = [](TranslationModel&) {};
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"plain", [](ModelConfig&) {}},
      {"pre_norm", [](ModelConfig& c) { c.norm = "pre"; }},
      {"shared_heads",
       [](ModelConfig& c) {
         c.norm_type = "rms";
         c.qk_norm = true;
         c.kv_heads = 2;
       }},
      {"swiglu",
       [](ModelConfig& c) {
         c.activation = "swiglu";
         c.activation_dropout = 0.1;
       }},
      {"gelu", [](ModelConfig& c) { c.activation = "gelu"; }},
      {"attention_dropout", [](ModelConfig& c) { c.attention_dropout = 0.1; }},
      {"ssru", [](ModelConfig& c) { c.decoder_layer = "ssru"; }},
      {"adapters", [](ModelConfig& c) { c.adapter_size = 8; }},
      {"mixed_heads",
       [](ModelConfig& c) {
         c.encoder_position = c.decoder_position = "heads[diet-rel:0-1,shaw(clip=3):2,t5:3]";
       }},
      {"compressed_memory", [](ModelConfig& c) { c.cross_position = "linformer(length=4)"; }},
      {"recomputation", [](ModelConfig&) {},
       [](TranslationModel& m) { m.set_recomputation(true); }},
      {"dropped_words_and_layers", [](ModelConfig&) {},
       [](TranslationModel& m) {
         m.set_whole_dropout({.source_words = 0.2, .target_words = 0.2, .layers = 0.3});
       }},
      {"sdpa", [](ModelConfig& c) { c.encoder_position = c.decoder_position = "diet-rel"; },
       [](TranslationModel& m) { m.set_attention_backend(encoders::Backend::kSdpa); }},
  };
  return all;
}

class DevicePassTest : public testing::TestWithParam<Variant> {
 protected:
  std::shared_ptr<TranslationModel> model() const {
    ModelConfig config = base_config();
    config.encoder_layers = config.decoder_layers = 2;
    config.width = 32;
    config.feed_forward = 48;
    config.heads = 4;
    config.max_positions = 64;
    GetParam().change(config);
    const auto built = std::make_shared<TranslationModel>(config, 3);
    GetParam().set(*built);
    return built;
  }

  const Batch batch_{{5, 9, 2}, {7, 4, 3}};
};

TEST_P(DevicePassTest, GradientsAreThoseOfTheCpu) {
  const auto on_device = model(), on_cpu = model();
  move_to_device(*on_device);
  // The device first: LibTorch's engine learns about devices in the first backward pass.
  const Tensor found = hidden_states(*on_device, batch_, counting_device());
  const Tensor expected = hidden_states(*on_cpu, batch_, at::kCPU);
  EXPECT_TRUE(at::allclose(found.cpu(), expected, 1e-4, 1e-4));
  torch::manual_seed(2);
  const Tensor gradient = torch::randn(expected.sizes());
  found.backward(gradient.to(counting_device()));
  expected.backward(gradient);
  const auto parameters = on_device->named_parameters();
  for (const auto& item : on_cpu->named_parameters()) {
    const Tensor& wanted = item.value().grad();
    const Tensor& own = parameters[item.key()].grad();
    ASSERT_EQ(own.defined(), wanted.defined()) << item.key();
    if (!wanted.defined()) continue;
    EXPECT_TRUE(at::allclose(own.cpu(), wanted, 1e-3, 1e-3)) << item.key();
  }
}

/// |a - b| / |b|
double difference(const Tensor& a, const Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

enum class Precision { kFp32, kBf16 };

/// The hidden states of a pass, and the gradients of all parameters.
struct PassResult {
  Tensor hidden, gradients;
};

PassResult result_of(const TranslationModel& model, const Batch& batch, at::Device device,
                     encoders::WeightCopies* copies, Precision precision) {
  Tensor hidden;
  {
    const encoders::MixedPrecision mixed(precision == Precision::kBf16, copies);
    hidden = hidden_states(model, batch, device);
  }
  torch::manual_seed(2);
  hidden.backward(torch::randn(hidden.sizes()).to(hidden.options()));
  std::vector<Tensor> gradients;
  for (const Tensor& parameter : model.parameters())
    if (parameter.grad().defined()) gradients.push_back(parameter.grad().cpu().flatten());
  return {hidden.detach().cpu().to(at::kFloat), at::cat(gradients)};
}

// Everything between embeddings and loss is rounded to 8 bits.
TEST_P(DevicePassTest, PassesInBf16AreNear) {
  std::vector<PassResult> results;
  const std::vector<at::Device> devices = {counting_device(), at::kCPU};  // see above
  for (const at::Device device : devices) {
    const auto in_bf16 = model();
    if (!device.is_cpu()) move_to_device(*in_bf16);
    encoders::WeightCopies copies(*in_bf16);
    results.push_back(result_of(*in_bf16, batch_, device, &copies, Precision::kBf16));
  }
  const PassResult expected = result_of(*model(), batch_, at::kCPU, nullptr, Precision::kFp32);
  for (size_t i = 0; i < devices.size(); ++i) {
    const at::Device device = devices[i];
    const PassResult& found = results[i];
    EXPECT_LT(difference(found.hidden, expected.hidden), 0.01) << device;
    // Inputs of ReLUs near zero may change sign.
    EXPECT_LT(difference(found.gradients, expected.gradients), 0.15) << device;
  }
}

TEST_P(DevicePassTest, NeverWaits) {
  const auto trained = model();
  move_to_device(*trained);
  encoders::WeightCopies copies(*trained);
  const auto pass = [&] {
    const encoders::MixedPrecision mixed(true, &copies);
    const Tensor hidden = hidden_states(*trained, batch_, counting_device());
    hidden.backward(at::ones_like(hidden));
  };
  pass();
  counting::reset_counts();
  pass();
  EXPECT_EQ(counting::counts().waits, 0);
  for (const counting::Place& place : counting::places_of_waits())
    std::cerr << place.operation << " in\n" << place.frames << "\n";
}

INSTANTIATE_TEST_SUITE_P(Variants, DevicePassTest, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace dietmt::nmt
