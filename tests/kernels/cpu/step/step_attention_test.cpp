// A step's attention in each instruction set compared with sums in double: content only, with keys
// and values in slots and in a sentence's memory, in fp32 and bf16.
#include "kernels/step_attention.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/bfloat16.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {
namespace {

using Numbers = std::vector<float>;

/// The nearest number with 8 bits, ties to even, computed arithmetically.
float rounded(float x) {
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
}

float kept(CacheType type, float x) { return type == CacheType::kFloat ? x : rounded(x); }

/// Uninitialised memory reads as huge numbers.
Bytes bytes(int64_t count) {
  Bytes made = allocate(unsigned_of(count));
  std::memset(made.get(), 0x7f, unsigned_of(count));
  return made;
}
char* at(const Bytes& memory, int64_t byte) { return static_cast<char*>(memory.get()) + byte; }

struct Case {
  const StepKernels* level;
  CacheType cache;
  int64_t heads, key_heads, head_width, hypotheses, keys;
};

class StepAttentionTest : public testing::TestWithParam<Case> {
 protected:
  int64_t width() const { return given_.heads * given_.head_width; }
  int64_t key_width() const { return given_.key_heads * given_.head_width; }
  int64_t row() const { return given_.key_heads * padded_head(given_.head_width); }

  /// softmax(q . k * scale) v for a hypothesis; keys(j), values(j): rows [G, Dh].
  template <typename RowOf>
  void expect_attention(int64_t hypothesis, const RowOf& keys, const RowOf& values) const {
    for (int64_t h = 0; h < given_.heads; ++h) {
      const int64_t at = h * given_.head_width;
      const int64_t key_at = h * given_.key_heads / given_.heads * given_.head_width;
      const float* q = queries_.data() + hypothesis * width() + at;
      std::vector<double> weights;
      double total = 0.0;
      for (int64_t j = 0; j < given_.keys; ++j) {
        double score = 0.0;
        for (int64_t d = 0; d < given_.head_width; ++d)
          score += static_cast<double>(q[d]) * kept(given_.cache, keys(j)[key_at + d]);
        weights.push_back(std::exp(score * scales_[unsigned_of(h)]));
        total += weights.back();
      }
      for (int64_t j = 0; j < std::ssize(weights_) / (given_.hypotheses * given_.heads); ++j) {
        const int64_t row = hypothesis * given_.heads + h;
        EXPECT_NEAR(weights_[unsigned_of(row * given_.keys + j)], weights[unsigned_of(j)] / total,
                    1e-5);
      }
      for (int64_t d = 0; d < given_.head_width; ++d) {
        double expected = 0.0;
        for (int64_t j = 0; j < given_.keys; ++j)
          expected += weights[unsigned_of(j)] / total * kept(given_.cache, values(j)[key_at + d]);
        EXPECT_NEAR(output_[unsigned_of(hypothesis * width() + at + d)], expected, 1e-5)
            << "hypothesis " << hypothesis << " head " << h << " dimension " << d;
      }
    }
  }

  StepAttention call() {
    StepAttention made;
    made.head_width = given_.head_width;
    made.last_head = given_.heads;
    made.heads_per_key = given_.heads / given_.key_heads;
    made.hypotheses = given_.hypotheses;
    made.position = made.keys = given_.keys;
    made.terms = &terms_;
    made.queries = queries_.data();
    made.query_stride = made.output_stride = width();
    made.output = output_.data();
    return made;
  }

  /// Keys and values [S, G, Dh] in a sentence's memory.
  StepAttention call_of_sentence(const Numbers& keys, const Numbers& values) {
    const int64_t key_stride = padded_head(given_.keys);
    const int64_t stride = row() + 32;
    key_columns_ = bytes(key_width() * key_stride * number_);
    value_rows_ = bytes(given_.keys * stride * number_);
    for (int64_t d = 0; d < key_width(); ++d)
      given_.level->cache_column(given_.cache, given_.keys, keys.data() + d, key_width(),
                                 at(key_columns_, d * key_stride * number_));
    for (int64_t j = 0; j < given_.keys; ++j)
      given_.level->cache_row(given_.cache, given_.key_heads, given_.head_width,
                              values.data() + j * key_width(),
                              at(value_rows_, j * stride * number_));
    StepAttention made = call();
    made.key_columns = key_columns_.get();
    made.key_stride = key_stride;
    made.value_rows = value_rows_.get();
    made.row_stride = stride;
    return made;
  }

  void attend(const StepAttention& call) {
    const Bytes workspace = bytes(4 * given_.level->attention_workspace(call));
    given_.level->attention(given_.cache, {&call, 1}, static_cast<float*>(workspace.get()));
  }

  void SetUp() override {
    if (!runs_here(*given_.level))
      GTEST_SKIP() << "this machine has no " << given_.level->instruction_set;
    terms_.terms.content_scale = scales_.data();
    queries_ = random_numbers(given_.hypotheses * width(), 1, 2.0);
    output_.resize(queries_.size());
  }

  const Case given_ = GetParam();
  const int64_t number_ = cache_bytes(given_.cache);
  Numbers scales_ = Numbers(unsigned_of(given_.heads), 0.3F);
  StepTerms terms_;
  Numbers queries_, output_;
  Numbers weights_;  // [hypotheses, H, S], if a test asks for them
  Bytes key_columns_, value_rows_;
};

TEST_P(StepAttentionTest, ReadsTheSlotsOfEachHypothesis) {
  const int64_t slots = given_.hypotheses * given_.keys;
  const int64_t stride = 2 * row() + 32;
  const Numbers keys = random_numbers(slots * key_width(), 2, 2.0);
  const Numbers values = random_numbers(slots * key_width(), 3, 2.0);
  const Bytes cache = bytes(slots * stride * number_);
  for (int64_t s = 0; s < slots; ++s) {
    char* to = at(cache, s * stride * number_);
    given_.level->cache_row(given_.cache, given_.key_heads, given_.head_width,
                            keys.data() + s * key_width(), to);
    given_.level->cache_row(given_.cache, given_.key_heads, given_.head_width,
                            values.data() + s * key_width(), to + row() * number_);
  }
  // Hypotheses share their first tokens.
  std::vector<int32_t> named;
  for (int64_t r = 0; r < given_.hypotheses; ++r)
    for (int64_t j = 0; j < given_.keys; ++j)
      named.push_back(
          static_cast<int32_t>(slots - 1 - (2 * j < given_.keys ? 0 : r) - j * given_.hypotheses));
  StepAttention step = call();
  step.slots = named.data();
  step.slots_stride = given_.keys;
  step.key_rows = cache.get();
  step.value_rows = at(cache, row() * number_);
  step.row_stride = stride;
  attend(step);
  for (int64_t r = 0; r < given_.hypotheses; ++r) {
    const auto rows_of = [&](const Numbers& numbers) {
      return [&, r](int64_t j) {
        return numbers.data() + named[unsigned_of(r * given_.keys + j)] * key_width();
      };
    };
    const std::function<const float*(int64_t)> key = rows_of(keys), value = rows_of(values);
    expect_attention(r, key, value);
  }
}

TEST_P(StepAttentionTest, ReadsTheMemoryOfTheSentence) {
  const Numbers keys = random_numbers(given_.keys * key_width(), 2, 2.0);
  const Numbers values = random_numbers(given_.keys * key_width(), 3, 2.0);
  StepAttention step = call_of_sentence(keys, values);
  weights_.resize(unsigned_of(given_.hypotheses * given_.heads * given_.keys));
  step.weights = weights_.data();
  step.weights_stride = given_.heads * given_.keys;
  attend(step);
  const std::function<const float*(int64_t)> key = [&](int64_t j) {
    return keys.data() + j * key_width();
  };
  const std::function<const float*(int64_t)> value = [&](int64_t j) {
    return values.data() + j * key_width();
  };
  for (int64_t r = 0; r < given_.hypotheses; ++r) expect_attention(r, key, value);
}

TEST_P(StepAttentionTest, TakesSubnormalNumbersAsZerosWhileItRuns) {
  const volatile float subnormal = 1e-39F;
  const Numbers keys = random_numbers(given_.keys * key_width(), 2, 2.0);
  attend(call_of_sentence(keys, Numbers(keys.size(), 1e-39F)));
  EXPECT_EQ(output_, Numbers(output_.size(), 0.0F));
  EXPECT_GT(subnormal * 0.5F, 0.0F);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const StepKernels* level : step_tables())
    for (const CacheType cache : {CacheType::kFloat, CacheType::kBFloat16})
      for (const int64_t head_width : {5, 16, 40, 64})
        for (const int64_t keys : {1, 7, 16, 33}) {
          all.push_back({level, cache, 3, 3, head_width, 4, keys});
          all.push_back({level, cache, 4, 2, head_width, 3, keys});
        }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Caches, StepAttentionTest, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& one) {
                           return std::string(one.param.level->instruction_set) +
                                  (one.param.cache == CacheType::kFloat ? "_fp32" : "_bf16") +
                                  "_heads" + std::to_string(one.param.key_heads) + "_width" +
                                  std::to_string(one.param.head_width) + "_keys" +
                                  std::to_string(one.param.keys);
                         });

TEST(CacheRowTest, KeepsWhatIsNotANumber) {
  const float nan = std::bit_cast<float>(0x7fffffffU);
  const Numbers from = {nan, INFINITY, -INFINITY, 3.4e38F};
  for (const StepKernels* level : step_tables()) {
    if (!runs_here(*level)) continue;
    SCOPED_TRACE(level->instruction_set);
    const Bytes row = bytes(32);
    level->cache_row(CacheType::kBFloat16, 1, 4, from.data(), row.get());
    const auto* bits = static_cast<const BFloat16*>(row.get());
    EXPECT_TRUE(std::isnan(std::bit_cast<float>(uint32_t{bits[0].bits} << 16)));
    EXPECT_EQ(bits[1].bits, 0x7f80);
    EXPECT_EQ(bits[2].bits, 0xff80);
    EXPECT_EQ(bits[3].bits, 0x7f80);  // nearer to a value past the largest one
    EXPECT_EQ(bits[4].bits, 0);
  }
}

}  // namespace
}  // namespace dietmt::kernels
