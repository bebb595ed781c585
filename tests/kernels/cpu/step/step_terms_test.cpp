// The score terms of a decoding step compared with their definition in kernels/attention.h, in
// double, for each instruction set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/step_attention.h"
#include "tests/kernels/cpu/kernel_test.h"

namespace dietmt::kernels {
namespace {

using Numbers = std::vector<float>;

constexpr int64_t kHeads = 2;

struct TermCase {
  const StepKernels* level;
  std::string name;
  std::vector<std::string> tables;  // names of Table below
  int64_t clip = 3;
  bool shared = false;  // by all heads
  int64_t head_width = 20;
  int64_t keys = 19;
  bool memory = false;  // keys and values from a memory instead of slots
};

/// A table [H|1, rows, width], with rows `stride` apart.
struct Table {
  Numbers numbers;
  int64_t head_stride = 0, stride = 0;

  const float* row(int64_t head, int64_t r) const {
    return numbers.data() + head * head_stride + r * stride;
  }
  HeadTable view() { return {numbers.data(), head_stride}; }
};

/// One step: its terms, caches and queries.
class Step {
 public:
  explicit Step(const TermCase& given)
      : given_(given),
        row_(kHeads * padded_head(given.head_width)),
        position_(given.memory ? 5 : given.keys - 1),
        queries_(random_numbers(kHypotheses * width(), 1, 1.0)),
        keys_(random_numbers(tokens() * width(), 2, 1.0)),
        values_(random_numbers(tokens() * width(), 3, 1.0)),
        output_(queries_.size()) {
    AttentionTerms& terms = terms_.terms;
    terms.content_scale = scales_;
    terms.rank = kRank;
    terms.bias_clip = given.clip;
    terms.key_clip = given.clip + 1;
    terms.query_clip = given.clip + 2;
    terms.value_clip = given.clip + 3;
    terms_.bias_keys = given.keys + 4;
    terms_.contextual_positions = kPositions;
    const int64_t padded = padded_head(given.head_width), width = given.head_width;
    add("position_bias", position_bias_, terms.tables.position_bias, position_ + 1, given.keys,
        terms_.bias_keys);
    add("features", query_features_, terms.tables.query_features, position_ + 1, kRank, kRank);
    add("features", key_features_, terms.tables.key_features, given.keys, kRank, kRank);
    add("offset_bias", offset_bias_, terms.tables.offset_bias, 2 * terms.bias_clip + 1, 1, 1);
    add("relative_keys", relative_keys_, terms.tables.relative_keys, 2 * terms.key_clip + 1, width,
        padded);
    add("relative_queries", relative_queries_, terms.tables.relative_queries,
        2 * terms.query_clip + 1, width, padded);
    add("relative_values", relative_values_, terms.tables.relative_values, 2 * terms.value_clip + 1,
        width, padded);
    add("contextual", contextual_, terms_.contextual, kPositions, width, padded);
  }

  void run() {
    const StepKernels& level = *given_.level;
    const int64_t width = given_.head_width, key_stride = padded_head(given_.keys);
    const Bytes rows = allocate(unsigned_of(tokens() * 2 * row_) * sizeof(float));
    auto* numbers = static_cast<float*>(rows.get());
    for (int64_t t = 0; t < tokens(); ++t) {
      level.cache_row(CacheType::kFloat, kHeads, width, key(t, 0), numbers + t * 2 * row_);
      level.cache_row(CacheType::kFloat, kHeads, width, value(t, 0), numbers + (t * 2 + 1) * row_);
    }
    const Bytes columns = allocate(unsigned_of(kHeads * width * key_stride) * sizeof(float));
    StepAttention call{.head_width = width,
                       .last_head = kHeads,
                       .hypotheses = kHypotheses,
                       .position = position_,
                       .keys = given_.keys,
                       .terms = &terms_,
                       .queries = queries_.data(),
                       .query_stride = this->width(),
                       .output = output_.data(),
                       .output_stride = this->width(),
                       .value_rows = numbers + row_,
                       .row_stride = 2 * row_};
    std::vector<int32_t> slots;
    if (given_.memory) {
      for (int64_t d = 0; d < this->width(); ++d)
        level.cache_column(CacheType::kFloat, given_.keys, keys_.data() + d, this->width(),
                           static_cast<float*>(columns.get()) + d * key_stride);
      call.key_columns = columns.get();
      call.key_stride = key_stride;
    } else {
      for (int64_t r = 0; r < kHypotheses; ++r)
        for (int64_t j = 0; j < given_.keys; ++j)
          slots.push_back(static_cast<int32_t>(token(r, j)));
      call.slots = slots.data();
      call.slots_stride = given_.keys;
      call.key_rows = numbers;
    }
    const Bytes workspace = allocate(unsigned_of(level.attention_workspace(call)) * sizeof(float));
    level.attention(CacheType::kFloat, {&call, 1}, static_cast<float*>(workspace.get()));
  }

  void check() const {
    for (int64_t r = 0; r < kHypotheses; ++r)
      for (int64_t h = 0; h < kHeads; ++h) {
        const std::vector<double> expected = attended(r, h);
        for (int64_t d = 0; d < given_.head_width; ++d)
          ASSERT_NEAR(output_[unsigned_of(r * width() + h * given_.head_width + d)],
                      expected[unsigned_of(d)], 2e-5)
              << "hypothesis " << r << " head " << h << " dimension " << d;
      }
  }

 private:
  static constexpr int64_t kHypotheses = 3, kRank = 3, kPositions = 6;

  int64_t width() const { return kHeads * given_.head_width; }
  int64_t tokens() const { return given_.memory ? given_.keys : kHypotheses * given_.keys; }
  /// Key j of a hypothesis: hypotheses share the first half.
  int64_t token(int64_t hypothesis, int64_t j) const {
    return given_.memory ? j : j * kHypotheses + (2 * j < given_.keys ? 0 : hypothesis);
  }
  const float* query(int64_t r, int64_t h) const {
    return queries_.data() + r * width() + h * given_.head_width;
  }
  const float* key(int64_t t, int64_t h) const {
    return keys_.data() + t * width() + h * given_.head_width;
  }
  const float* value(int64_t t, int64_t h) const {
    return values_.data() + t * width() + h * given_.head_width;
  }

  /// Tables of vectors have zeros after each row.
  void add(const std::string& name, Table& table, HeadTable& view, int64_t rows, int64_t row_width,
           int64_t stride) {
    if (std::ranges::count(given_.tables, name) == 0) return;
    const int64_t heads = given_.shared ? 1 : kHeads;
    table.stride = stride;
    table.head_stride = given_.shared ? 0 : rows * stride;
    table.numbers.assign(unsigned_of(heads * rows * stride), 0.0f);
    const Numbers random = random_numbers(heads * rows * row_width, ++seed_, 0.7);
    for (int64_t r = 0; r < heads * rows; ++r)
      std::copy_n(random.begin() + r * row_width, row_width, table.numbers.begin() + r * stride);
    view = table.view();
  }

  double dot(const float* x, const float* y, int64_t size) const {
    double sum = 0.0;
    for (int64_t d = 0; d < size; ++d) sum += static_cast<double>(x[d]) * y[d];
    return sum;
  }
  /// The row of a table over offsets.
  const float* at_offset(const Table& table, int64_t head, int64_t j, int64_t clip) const {
    return table.row(head, std::clamp(j - position_, -clip, clip) + clip);
  }

  /// CoPE: what each key adds through its contextual position, derived from the content's gates.
  std::vector<double> contextual_scores(int64_t r, int64_t h) const {
    std::vector<double> scores(unsigned_of(given_.keys));
    double place = 0.0;
    for (int64_t j = given_.keys - 1; j >= 0; --j) {
      const double content = scales_[h] * dot(query(r, h), key(token(r, j), h), given_.head_width);
      place += 1.0 / (1.0 + std::exp(-content));
      const double clamped = std::min(place, static_cast<double>(kPositions - 1));
      const auto below = static_cast<int64_t>(clamped);
      const int64_t above = std::min(below + 1, kPositions - 1);
      const double share = clamped - static_cast<double>(below);
      const auto product = [&](int64_t p) {
        return dot(query(r, h), contextual_.row(h, p), given_.head_width);
      };
      scores[unsigned_of(j)] = share * product(above) + (1.0 - share) * product(below);
    }
    return scores;
  }

  double score(int64_t r, int64_t h, int64_t j) const {
    const AttentionTerms& terms = terms_.terms;
    const int64_t size = given_.head_width;
    const float *q = query(r, h), *k = key(token(r, j), h);
    double content = dot(q, k, size);
    if (terms.tables.relative_keys.data)
      content += dot(q, at_offset(relative_keys_, h, j, terms.key_clip), size);
    if (terms.tables.relative_queries.data)
      content += dot(k, at_offset(relative_queries_, h, j, terms.query_clip), size);
    double sum = content * scales_[h];
    if (terms.tables.position_bias.data) sum += position_bias_.row(h, position_)[j];
    if (terms.tables.query_features.data)
      sum += dot(query_features_.row(h, position_), key_features_.row(h, j), kRank);
    if (terms.tables.offset_bias.data) sum += *at_offset(offset_bias_, h, j, terms.bias_clip);
    return sum;
  }

  std::vector<double> attended(int64_t r, int64_t h) const {
    const AttentionTerms& terms = terms_.terms;
    std::vector<double> contextual(unsigned_of(given_.keys));
    if (terms_.contextual.data) contextual = contextual_scores(r, h);
    std::vector<double> sums(unsigned_of(given_.head_width));
    double total = 0.0;
    for (int64_t j = 0; j < given_.keys; ++j) {
      const double weight = std::exp(score(r, h, j) + contextual[unsigned_of(j)]);
      total += weight;
      const float* v = value(token(r, j), h);
      const float* relative = terms.tables.relative_values.data
                                  ? at_offset(relative_values_, h, j, terms.value_clip)
                                  : nullptr;
      for (int64_t d = 0; d < given_.head_width; ++d)
        sums[unsigned_of(d)] += weight * (v[d] + (relative ? relative[d] : 0.0f));
    }
    for (double& sum : sums) sum /= total;
    return sums;
  }

  const TermCase& given_;
  const int64_t row_, position_;
  const float scales_[kHeads] = {0.3f, 0.25f};
  uint64_t seed_ = 10;
  Numbers queries_, keys_, values_, output_;
  StepTerms terms_;
  Table position_bias_, query_features_, key_features_, offset_bias_, relative_keys_,
      relative_queries_, relative_values_, contextual_;
};

class StepTermsTest : public testing::TestWithParam<TermCase> {
 protected:
  void SetUp() override {
    const StepKernels& level = *GetParam().level;
    if (!runs_here(level)) GTEST_SKIP() << "this machine has no " << level.instruction_set;
  }
};

TEST_P(StepTermsTest, EqualTheDefinition) {
  Step step(GetParam());
  step.run();
  step.check();
}

std::vector<TermCase> term_cases() {
  const std::vector<std::string> of_positions = {"position_bias", "features", "offset_bias"};
  std::vector<std::string> all = of_positions;
  for (const char* name : {"relative_keys", "relative_queries", "relative_values", "contextual"})
    all.push_back(name);
  std::vector<TermCase> cases;
  for (const StepKernels* level : step_tables()) {
    const std::string prefix = std::string(level->instruction_set) + "_";
    for (const std::string& table : all)
      for (const bool shared : {false, true})
        cases.push_back({.level = level,
                         .name = prefix + table + (shared ? "_shared" : ""),
                         .tables = {table},
                         .shared = shared});
    for (const int64_t width : {5, 16, 64})
      for (const int64_t keys : {1, 16, 33})
        cases.push_back(
            {.level = level,
             .name = prefix + "all_width" + std::to_string(width) + "_keys" + std::to_string(keys),
             .tables = all,
             .head_width = width,
             .keys = keys});
    cases.push_back({.level = level, .name = prefix + "unclipped", .tables = all, .clip = 50});
    cases.push_back(
        {.level = level, .name = prefix + "memory", .tables = of_positions, .memory = true});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Terms, StepTermsTest, testing::ValuesIn(term_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace dietmt::kernels
