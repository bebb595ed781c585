// Vectors that do not meet position 0 on the counting device: as by the definition, without waits.
#include "encoders/attention/untied_vectors.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "encoders/attention/attention.h"
#include "tests/counting_device/counting_device.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;

const std::vector<int64_t> kSentences = {5, 1, 9};
constexpr int64_t kAllTokens = 15, kTwoHeads = 2, kEightWide = 8, kAllOffsets = 7;

/// Output and gradients of queries, keys, values and the tables, on the CPU.
std::vector<Tensor> untied_attention(at::Device device, Backend backend,
                                     const std::vector<bool>& untied) {
  const Packing packing(kSentences, device);
  double shift = 0.0;
  std::vector<Tensor> inputs;
  const auto leaf = [&](at::IntArrayRef sizes) {
    const Tensor numbers = at::arange(c10::multiply_integers(sizes), at::kFloat).add(++shift);
    inputs.push_back((numbers * numbers).sin().view(sizes).to(device).requires_grad_(true));
    return inputs.back();
  };
  const std::vector<int64_t> rows = {kAllTokens, kTwoHeads, kEightWide};
  const std::vector<int64_t> table = {kTwoHeads, kAllOffsets, kEightWide};
  const Tensor q = leaf(rows), k = leaf(rows), v = leaf(rows);
  ScoreTerms terms;
  terms.content_scale = {0.3};
  terms.relative_keys = leaf(table);
  terms.relative_queries = leaf(table);
  terms.relative_values = leaf(table);
  terms.untied_vectors = untied;
  counting::reset_counts();
  const Tensor output = attend({q, k, v, packing, packing, terms}, backend);
  std::vector<Tensor> results = torch::autograd::grad({output.square().sum()}, inputs);
  EXPECT_EQ(counting::counts().waits, 0);
  results.push_back(output.detach());
  for (Tensor& result : results) result = result.cpu();
  return results;
}

TEST(UntiedVectorsTest, TheFusedKernelsOfADeviceEqualTheDefinition) {
  const auto tied = untied_attention(at::kCPU, Backend::kReference, {false});
  for (const std::vector<bool>& untied : {std::vector<bool>{true}, {true, false}, {false, true}}) {
    const auto wanted = untied_attention(at::kCPU, Backend::kReference, untied);
    const auto found = untied_attention(counting::counting_device(), Backend::kCuda, untied);
    EXPECT_FALSE(at::allclose(wanted.back(), tied.back(), 1e-2, 1e-2));
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_TRUE(at::allclose(found[i], wanted[i], 1e-4, 1e-5)) << "tensor " << i;
    for (size_t h = 0; h < untied.size(); ++h) {
      const auto head = static_cast<int64_t>(h);
      EXPECT_EQ(
          at::allclose(wanted.back().select(1, head), tied.back().select(1, head), 1e-4, 1e-5),
          !untied[h]);
    }
  }
}

}  // namespace
}  // namespace dietmt::encoders
