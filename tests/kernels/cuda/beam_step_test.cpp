// Candidate selection of beam search compared with its definition in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernels/cuda/step_runner.h"

namespace dietmt::kernels {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

struct BeamCase {
  int64_t beam = 4;
  int64_t classes = 1000;
  std::vector<int64_t> forced = {};
  std::vector<int64_t> early = {};
};

/// The result of a step by its definition.
struct Choice {
  std::vector<double> sums;
  std::vector<int64_t> tokens, parents;
  std::vector<int32_t> candidates;
  std::vector<double> log_probs;  // of the candidates
};

class BeamStepCase {
 public:
  static constexpr int64_t kSentences = 3, kEnd = 2;

  BeamStepCase(ElementType type, const BeamCase& options)
      : options_(options),
        type_(type),
        logits_(RowTensor::random(type, kSentences * options.beam * options.classes, 11)) {
    for (int64_t r = 0; r < kSentences * options.beam; ++r)
      sums_.push_back(r / options.beam == 1 && r % options.beam > 0 ? kNone : -0.01 * r);
  }

  Choice run(uint64_t order) const {
    const auto rows = static_cast<size_t>(kSentences * options_.beam);
    const size_t candidates = rows * 2;
    DeviceBeamStep call;
    call.type = type_;
    call.sentences = kSentences;
    call.beam = options_.beam;
    call.classes = options_.classes;
    call.logits = logits_.data();
    if (!options_.forced.empty()) call.forced = shared_copy(options_.forced);
    if (!options_.early.empty()) call.early = shared_copy(options_.early);
    call.end = kEnd;
    call.never[0] = 0;
    call.never[1] = 1;
    call.sums = shared_copy(sums_);
    call.tokens = shared_copy(std::vector<int64_t>(rows));
    call.parents = shared_copy(std::vector<int64_t>(rows));
    call.candidates = shared_copy(std::vector<int32_t>(candidates * 3));
    const size_t of_rows = rows * static_cast<size_t>(2 * options_.beam);
    call.row_log_probs = shared_copy(std::vector<float>(of_rows));
    call.row_tokens = shared_copy(std::vector<int32_t>(of_rows));
    run_step_here(call, order);
    Choice found{{call.sums, call.sums + rows},
                 {call.tokens, call.tokens + rows},
                 {call.parents, call.parents + rows},
                 {call.candidates, call.candidates + candidates * 3},
                 {}};
    for (size_t i = 2; i < found.candidates.size(); i += 3)
      found.log_probs.push_back(std::bit_cast<float>(found.candidates[i]));
    return found;
  }

  /// As when a product overflows: no row of the sentence has a normalizer.
  void overflow(int64_t sentence) {
    for (int64_t k = 0; k < options_.beam; ++k)
      logits_.set((sentence * options_.beam + k) * options_.classes + 7, INFINITY);
  }

  /// Sets the logit of each token in all rows to of(token).
  template <typename Function>
  void set_logits(const Function& of) {
    for (int64_t r = 0; r < kSentences * options_.beam; ++r)
      for (int64_t v = 0; v < options_.classes; ++v) logits_.set(r * options_.classes + v, of(v));
  }

  Choice wanted() const {
    Choice choice;
    for (int64_t b = 0; b < kSentences; ++b) choose(b, choice);
    return choice;
  }

 private:
  struct Scored {
    double sum, log_prob;
    int32_t row, token;
  };

  bool may_follow(int64_t b, int64_t token) const {
    const auto at = static_cast<size_t>(b);
    if (!options_.forced.empty() && options_.forced[at] >= 0) return token == options_.forced[at];
    if (token < 2) return false;
    return token != kEnd || options_.early.empty() || options_.early[at] == 0;
  }

  void choose(int64_t b, Choice& choice) const {
    const int64_t beam = options_.beam, classes = options_.classes;
    std::vector<Scored> all;
    for (int64_t k = 0; k < beam; ++k) {
      const int64_t row = b * beam + k;
      double total = 0.0;
      for (int64_t v = 0; v < classes; ++v) total += std::exp(logits_.at(row * classes + v));
      for (int64_t v = 0; v < classes; ++v) {
        if (!may_follow(b, v)) continue;
        const double log_prob = logits_.at(row * classes + v) - std::log(total);
        const double sum = sums_[static_cast<size_t>(row)] + log_prob;
        if (sum > kNone)
          all.push_back({sum, log_prob, static_cast<int32_t>(k), static_cast<int32_t>(v)});
      }
    }
    // Within 1e-7, the kernel may find sums of different rows equal or unequal.
    std::stable_sort(all.begin(), all.end(),
                     [](const Scored& x, const Scored& y) { return x.sum > y.sum; });
    int64_t open = 0;
    for (int64_t c = 0; c < 2 * beam; ++c) {
      const bool possible = c < std::ssize(all);
      const Scored one = possible ? all[static_cast<size_t>(c)] : Scored{kNone, kNone, 0, 0};
      choice.candidates.insert(choice.candidates.end(), {one.row, one.token, 0});
      choice.log_probs.push_back(one.log_prob);
      if (!possible || one.token == kEnd || open == beam) continue;
      choice.sums.push_back(one.sum);
      choice.tokens.push_back(one.token);
      choice.parents.push_back(b * beam + one.row);
      ++open;
    }
    for (; open < beam; ++open) {
      choice.sums.push_back(kNone);
      choice.tokens.push_back(kEnd);
      choice.parents.push_back(b * beam);
    }
  }

  BeamCase options_;
  ElementType type_;
  RowTensor logits_;
  std::vector<double> sums_;
};

void expect_choice(const BeamStepCase& one) {
  const Choice found = one.run(0), wanted = one.wanted();
  EXPECT_EQ(found.tokens, wanted.tokens);
  EXPECT_EQ(found.parents, wanted.parents);
  for (size_t r = 0; r < wanted.sums.size(); ++r) {
    if (wanted.sums[r] == kNone)
      EXPECT_EQ(found.sums[r], kNone);
    else
      EXPECT_NEAR(found.sums[r], wanted.sums[r], 2e-6);
  }
  for (size_t c = 0; c < wanted.log_probs.size(); ++c) {
    if (wanted.log_probs[c] == kNone) {
      EXPECT_EQ(found.log_probs[c], kNone);
      continue;
    }
    EXPECT_NEAR(found.log_probs[c], wanted.log_probs[c], 2e-6);
    EXPECT_EQ(found.candidates[3 * c], wanted.candidates[3 * c]) << c;
    EXPECT_EQ(found.candidates[3 * c + 1], wanted.candidates[3 * c + 1]) << c;
  }
  const Choice shuffled = one.run(5);
  EXPECT_EQ(shuffled.candidates, found.candidates);
  EXPECT_EQ(shuffled.sums, found.sums);
}

void expect_choice(ElementType type, const BeamCase& options) {
  expect_choice(BeamStepCase(type, options));
}

using BeamStepOf = StepTest<testing::TestWithParam<BeamCase>>;

TEST_P(BeamStepOf, EqualsItsDefinition) { expect_choice(ElementType::kFloat, GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Cases, BeamStepOf,
    testing::Values(BeamCase{}, BeamCase{.beam = 1}, BeamCase{.beam = 8, .classes = 2003},
                    BeamCase{.beam = 3, .classes = 17}, BeamCase{.beam = 2, .classes = 66008},
                    BeamCase{.forced = {-1, 900, 2}}, BeamCase{.classes = 12, .early = {1, 0, 1}}));

using BeamStep = StepTest<testing::Test>;

// 16-bit logits are often equal; the first hypothesis and the smallest token win.
TEST_F(BeamStep, OrdersEqualSums) {
  expect_choice(ElementType::kBFloat16, {.beam = 5, .classes = 600});
  expect_choice(ElementType::kHalf, {.beam = 2, .classes = 601});
}

// Also more than a block's lists hold, and classes whose elements a warp's lanes take in turns.
TEST_F(BeamStep, ChoosesTheSmallestTokensOfEqualLogits) {
  for (const int64_t classes : {24, 2003, 5000, 20001, 66008}) {
    BeamStepCase one(ElementType::kBFloat16, {.beam = 2, .classes = classes});
    one.set_logits([](int64_t /*token*/) { return 0.5F; });
    expect_choice(one);
  }
}

// One thread handles tokens 8 to 15 and every 2048th after them. Better ones follow equal ones.
TEST_F(BeamStep, FindsAllCandidatesInTheShareOfAThread) {
  const auto logit = [](int64_t token) {
    return token % 2048 / 8 == 1 ? static_cast<float>(4 + token % 8 / 3) : -1.0F;
  };
  for (const int64_t beam : {2, 5, 8}) {
    BeamStepCase one(ElementType::kBFloat16, {.beam = beam, .classes = 6000});
    one.set_logits(logit);
    expect_choice(one);
  }
}

// There are fewer team maxima than candidates.
TEST_F(BeamStep, FindsMoreCandidatesThanTeamsReachTheFloor) {
  BeamStepCase one(ElementType::kFloat, {.beam = 8, .classes = 4096});
  one.set_logits([](int64_t token) {
    return token % 512 < 9 ? 3.0F + 0.001F * static_cast<float>(token % 4001) : 0.0F;
  });
  expect_choice(one);
}

TEST_F(BeamStep, ChoosesFewerThanItMightWhereFewAreAllowed) {
  for (const int64_t classes : {2000, 2003}) {
    BeamStepCase one(ElementType::kFloat, {.beam = 4, .classes = classes, .early = {1, 0, 1}});
    one.set_logits([](int64_t token) {
      return token < 4 || token == 1999 ? static_cast<float>(token % 7) : -INFINITY;
    });
    expect_choice(one);
  }
}

TEST_F(BeamStep, ChoosesNothingWhereLogitsAreInfinite) {
  const BeamCase options;
  BeamStepCase one(ElementType::kFloat, options);
  one.overflow(1);
  const Choice found = one.run(0);
  for (int64_t r = options.beam; r < 2 * options.beam; ++r) {
    EXPECT_EQ(found.sums[static_cast<size_t>(r)], kNone);
    EXPECT_EQ(found.parents[static_cast<size_t>(r)], options.beam);
  }
  EXPECT_GT(found.sums[0], kNone);
}

}  // namespace
}  // namespace dietmt::kernels
