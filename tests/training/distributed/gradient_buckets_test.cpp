#include "training/distributed/gradient_buckets.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/training/distributed/ranks.h"
#include "tests/training/distributed/toy_model.h"

namespace dietmt::training {
namespace {

using at::Tensor;

TEST(FlatParameters, KeepTheTensorsAndTheirValues) {
  ToyModel model;
  const Tensor first = model.first;
  const Tensor before = model.first.detach().clone();
  const FlatParameters flat(model, 3);
  EXPECT_TRUE(at::equal(model.first, before));
  EXPECT_TRUE(first.is_same(model.first));
  EXPECT_EQ(flat.weights().numel() % 3, 0);
  {
    const torch::NoGradGuard no_grad;
    flat.weights().fill_(2.0);
  }
  EXPECT_TRUE(at::equal(model.second, at::full_like(model.second, 2.0)));
}

TEST(FlatParameters, LeaveFrozenParametersOut) {
  ToyModel model;
  model.first.requires_grad_(false);
  const Tensor before = model.first.clone();
  const FlatParameters flat(model, 2);
  ASSERT_EQ(flat.parameters().size(), 4U);
  EXPECT_TRUE(flat.parameters()[0].is_same(model.bias));
  const torch::NoGradGuard no_grad;
  flat.weights().fill_(2.0);
  EXPECT_TRUE(at::equal(model.first, before));
}

TEST(FlatParameters, PartsHoldEveryElementOnce) {
  ToyModel model;
  for (const int64_t parts : {1, 2, 3, 7}) {
    const FlatParameters flat(model, parts);
    std::vector<int64_t> covered(flat.places().size(), 0);
    for (int64_t part = 0; part < parts; ++part) {
      const std::vector<Slice> slices = flat.slices_in(part);
      for (size_t i = 0; i < slices.size(); ++i) {
        if (slices[i].size == 0) continue;
        EXPECT_EQ(slices[i].begin, covered[i]) << "parts follow each other";
        covered[i] += slices[i].size;
      }
    }
    for (size_t i = 0; i < covered.size(); ++i) EXPECT_EQ(covered[i], flat.places()[i].size);
  }
}

TEST(PlanBuckets, HoldEveryParameterOnceFromTheLastToTheFirst) {
  ToyModel model;
  const FlatParameters flat(model, 2);
  for (const int64_t elements : {1, 100, 400, 1 << 20}) {
    const std::vector<Bucket> buckets = plan_buckets(flat, elements);
    size_t next = flat.places().size();
    int64_t end = flat.gradients().numel();
    for (const Bucket& bucket : buckets) {
      EXPECT_EQ(bucket.last + 1, next);
      EXPECT_EQ(bucket.range.begin + bucket.range.size, end);
      EXPECT_EQ(bucket.range.begin, flat.places()[bucket.first].begin);
      if (bucket.first > 0) {
        EXPECT_GE(bucket.range.size, elements);
      }
      next = bucket.first;
      end = bucket.range.begin;
    }
    EXPECT_EQ(next, 0U);
    EXPECT_EQ(end, 0);
  }
  EXPECT_EQ(plan_buckets(flat, 1).size(), flat.places().size());
  EXPECT_EQ(plan_buckets(flat, 1 << 20).size(), 1U);
}

// Each process uses other parameters, in other updates: none waits for buckets in another order.
// Some send gradients while they are computed and others afterwards, as with graphs.
TEST(GradientBuckets, SumWhateverEachProcessHasUsed) {
  run_ranks(3, [](ProcessGroup& group) {
    ToyModel model;
    const FlatParameters flat(model, group.processes());
    GradientBuckets buckets(flat, group, at::kFloat, 64);
    for (int64_t update = 0; update < 8; ++update) {
      ToyModel alone;
      for (int64_t rank = 0; rank < 3; ++rank)
        alone.loss(toy_input(rank), rank + update).backward();

      for (Tensor parameter : model.parameters()) parameter.mutable_grad().reset();
      const bool afterwards = update < 2 || (update > 5 && group.rank() == 1);
      buckets.begin(afterwards ? Sending::kAfterwards : Sending::kWhileComputed);
      model.loss(toy_input(group.rank()), group.rank() + update).backward();
      const std::vector<bool> had = buckets.finish();
      EXPECT_EQ(had[2], (group.rank() + update) % 2 == 1) << "rare";
      EXPECT_FALSE(had[3]) << "never";
      EXPECT_TRUE(at::allclose(flat.gradient(0), alone.first.grad(), 1e-4, 1e-4));
      EXPECT_TRUE(at::allclose(flat.gradient(2), alone.rare.grad(), 1e-4, 1e-4));
      EXPECT_TRUE(at::equal(flat.gradient(3), at::zeros({7})));
      EXPECT_TRUE(at::allclose(model.second.grad(), alone.second.grad(), 1e-4, 1e-4));
    }
  });
}

}  // namespace
}  // namespace dietmt::training
