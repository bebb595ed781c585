// Compares the estimate of what stacks keep for the backward pass with what LibTorch's allocator
// counts: never above it, or training would refuse batches that fit, and not far below.
#include <ATen/ATen.h>
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <memory>

#include "encoders/transformer/stacks.h"

namespace dietmt::encoders {
namespace {

class LiveBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t size, size_t, size_t, c10::Device) override {
    bytes += size;
  }
  bool memoryProfilingEnabled() const override { return true; }

  int64_t bytes = 0;
};

/// The fp32 numbers that are alive because the result is.
double kept(const std::function<at::Tensor()>& forward) {
  const auto live = std::make_shared<LiveBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, live);
  const at::Tensor result = forward();
  return static_cast<double>(live->bytes) / sizeof(float);
}

void expect_close_below(double estimate, double measured) {
  EXPECT_LE(estimate, measured);
  EXPECT_GE(estimate, measured / 3.0);
}

StackConfig config_of(NormPlacement norm, Activation activation) {
  StackConfig config;
  config.layers = 3;
  config.width = 64;
  config.feed_forward = 192;
  config.heads = 4;
  config.norm = norm;
  config.activation = activation;
  return config;
}

at::Tensor embeddings(const Packing& packing) {
  return torch::randn({packing.tokens(), 64}).requires_grad_(true);
}

/// For an encoder and a decoder with `config`.
void expect_counted(const StackConfig& config, bool recomputation, const Packing& source_packing,
                    const Packing& target_packing, const Packing& memory_packing) {
  EncoderStack encoder(config);
  DecoderStack decoder(config);
  encoder.set_recomputation(recomputation);
  decoder.set_recomputation(recomputation);
  const at::Tensor source = embeddings(source_packing), target = embeddings(target_packing);
  const at::Tensor memory = embeddings(memory_packing);
  DropoutKeys keys(1);
  expect_close_below(encoder.kept_elements(source_packing), kept([&] {
                       return encoder.forward(source, source_packing, Backend::kAuto, &keys);
                     }));
  expect_close_below(decoder.kept_elements(target_packing, memory_packing), kept([&] {
                       return decoder.forward(target, target_packing, memory, memory_packing,
                                              Backend::kAuto, &keys);
                     }));
}

TEST(KeptElements, AreFewerThanStacksKeep) {
  for (const NormPlacement norm : {NormPlacement::kPost, NormPlacement::kPre})
    for (const Activation activation : {Activation::kRelu, Activation::kGelu, Activation::kSwiglu})
      for (const bool recomputation : {false, true}) {
        const StackConfig config = config_of(norm, activation);
        const Packing source({70, 41, 90}), target({60, 80, 33});
        expect_counted(config, recomputation, source, target, source);
      }
}

TEST(KeptElements, CountAdapters) {
  const Packing source({70, 41, 90}), target({60, 80, 33});
  for (const bool recomputation : {false, true}) {
    StackConfig config = config_of(NormPlacement::kPost, Activation::kRelu);
    config.adapter = 2000;
    expect_counted(config, recomputation, source, target, source);
  }
}

/// They are the largest part of what these stacks keep.
TEST(KeptElements, CountTablesOverPairsOfPositions) {
  for (const char* position : {"fire(hidden=100)", "fire(hidden=100,share=none)", "diet-abs",
                               "tupe-a", "tupe-r", "heads[fire(hidden=100):0-1,diet-rel:2-3]"})
    for (const bool recomputation : {false, true}) {
      SCOPED_TRACE(position);
      StackConfig config = config_of(NormPlacement::kPost, Activation::kRelu);
      config.position = position;
      const Packing pairs({400, 20}), memory({50, 60});
      expect_counted(config, recomputation, pairs, pairs, memory);
    }
}

/// Feature products are not computed for so many pairs.
TEST(KeptElements, CountNoTablesOfLongSentences) {
  for (const char* position : {"diet-abs", "tupe-r"}) {
    SCOPED_TRACE(position);
    StackConfig config = config_of(NormPlacement::kPost, Activation::kRelu);
    config.position = position;
    config.max_positions = 1100;
    const EncoderStack encoder(config);
    const Packing packing({1100});
    const at::Tensor input = embeddings(packing);
    DropoutKeys keys(1);
    expect_close_below(encoder.kept_elements(packing), kept([&] {
                         return encoder.forward(input, packing, Backend::kAuto, &keys);
                       }));
  }
}

}  // namespace
}  // namespace dietmt::encoders
