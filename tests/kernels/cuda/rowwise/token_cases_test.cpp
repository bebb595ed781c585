// embed, cross_entropy and rotate compared with the same formulas in double.
#include <algorithm>
#include <numeric>

#include "kernels/cuda/rowwise/row_arguments.h"
#include "tests/kernels/cuda/rowwise/row_tensor.h"

namespace dietmt::kernels {
namespace {

using Values = std::vector<double>;

class TokenCasesTest : public testing::TestWithParam<ElementType> {
 protected:
  void SetUp() override {
    const std::string reason = reason_not_to_run();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  void check_embed(int64_t rows, int64_t width, bool positions) const {
    constexpr int64_t kTokens = 13;
    const RowTensor table = RowTensor::random(ElementType::kFloat, kTokens * width, 1);
    const RowTensor places = RowTensor::random(ElementType::kFloat, 5 * width, 2);
    std::vector<int64_t> ids, at_position;
    for (int64_t r = 0; r < rows; ++r) {
      ids.push_back(r * r % kTokens);
      at_position.push_back(r % 5);
    }
    const RowTensor output(GetParam(), rows * width);
    DeviceEmbed call;
    call.type = GetParam();
    call.rows = rows;
    call.width = width;
    call.table = table.floats();
    call.ids = shared_copy(ids);
    call.scale = 1.5;
    call.position_table = positions ? places.floats() : nullptr;
    call.positions = positions ? shared_copy(at_position) : nullptr;
    call.dropout = dropout_of(0.2, 5);
    call.output = output.data();
    run_rows_here(call);
    Values expected;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        const double position = positions ? places.at(r % 5 * width + c) : 0.0;
        expected.push_back(mask_at(call.dropout, r * width + c) *
                           (1.5 * table.at(ids[at(r)] * width + c) + position));
      }
    }
    output.expect_near(expected, 1e-6, "embed " + std::to_string(width));
  }

  /// `runs`: how many rows each token has; rows are in random order.
  void check_embed_backward(const std::vector<int64_t>& runs, int64_t width) const {
    std::vector<int64_t> ids;
    for (size_t token = 0; token < runs.size(); ++token) {
      ids.insert(ids.end(), at(runs[token]), static_cast<int64_t>(token));
    }
    const auto rows = static_cast<int64_t>(ids.size());
    Random(3).shuffle(ids);
    std::vector<int64_t> order(ids.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return ids[at(a)] < ids[at(b)]; });
    const RowTensor grad = RowTensor::random(GetParam(), rows * width, 1);
    const RowTensor table =
        RowTensor::random(ElementType::kFloat, static_cast<int64_t>(runs.size()) * width, 2);
    Values expected = table.values();
    DeviceEmbedBackward call;
    call.type = GetParam();
    call.rows = rows;
    call.width = width;
    call.grad_output = grad.data();
    call.ids = shared_copy(ids);
    call.order = shared_copy(order);
    call.scale = 0.5;
    call.dropout = dropout_of(0.1, 6);
    call.grad_table = table.floats();
    run_rows_here(call);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width; ++c) {
        expected[at(ids[at(r)] * width + c)] +=
            0.5 * mask_at(call.dropout, r * width + c) * grad.at(r * width + c);
      }
    }
    const auto longest = static_cast<double>(*std::ranges::max_element(runs));
    table.expect_near(expected, 2e-6 * (5.0 + longest / 50.0),
                      std::to_string(rows) + " rows of " + std::to_string(width));
  }

  void check_cross_entropy(int64_t rows, int64_t classes, double smoothing, bool bias,
                           bool weighted = false) const {
    const RowTensor logits = RowTensor::random(GetParam(), rows * classes, 1, 8.0);
    const RowTensor offsets = RowTensor::random(ElementType::kFloat, classes, 2);
    std::vector<int64_t> targets;
    for (int64_t r = 0; r < rows; ++r)
      targets.push_back(r == 1 ? -1 : (r * 7 + classes - 1) % classes);
    const RowTensor losses(ElementType::kFloat, 2 * rows);
    DeviceCrossEntropy call;
    call.type = GetParam();
    call.rows = rows;
    call.classes = classes;
    call.logits = logits.data();
    call.bias = bias ? offsets.floats() : nullptr;
    call.targets = shared_copy(targets);
    const std::vector<float> weights = {2.5F, 1.0F, 0.0F};
    if (weighted) call.weights = shared_copy(weights);
    call.smoothing = smoothing;
    call.losses = losses.floats();
    const Values before = logits.values();
    run_rows_here(call);
    EXPECT_EQ(logits.values(), before) << "without gradient the logits stay";
    const Values without = losses.values();
    call.gradient = true;
    run_rows_here(call);
    EXPECT_EQ(losses.values(), without);
    expect_cross_entropy(call, logits, before, offsets, losses);
  }

  static void expect_cross_entropy(const DeviceCrossEntropy& call, const RowTensor& gradient,
                                   const Values& before, const RowTensor& offsets,
                                   const RowTensor& losses) {
    Values expected, expected_losses;
    const auto classes = static_cast<double>(call.classes);
    for (int64_t r = 0; r < call.rows; ++r) {
      const auto logit = [&](int64_t c) {
        return before[at(r * call.classes + c)] + (call.bias == nullptr ? 0.0 : offsets.at(c));
      };
      double sum = 0.0;
      double mean = 0.0;
      for (int64_t c = 0; c < call.classes; ++c) {
        sum += std::exp(logit(c));
        mean += logit(c) / classes;
      }
      if (call.targets[r] < 0) {
        expected_losses.insert(expected_losses.end(), 2, 0.0);
        expected.insert(expected.end(), at(call.classes), 0.0);
        continue;
      }
      const double weight = call.weights == nullptr ? 1.0 : call.weights[r];
      const double target_loss = std::log(sum) - logit(call.targets[r]);
      expected_losses.push_back(weight * ((1.0 - call.smoothing) * target_loss +
                                          call.smoothing * (std::log(sum) - mean)));
      expected_losses.push_back(weight * target_loss);
      for (int64_t c = 0; c < call.classes; ++c) {
        expected.push_back(weight * (std::exp(logit(c)) / sum - call.smoothing / classes -
                                     (c == call.targets[r] ? 1.0 - call.smoothing : 0.0)));
      }
    }
    const std::string name = "cross-entropy over " + std::to_string(call.classes);
    losses.expect_near(expected_losses, 1e-5, name);
    gradient.expect_near(expected, 2e-6, "gradient of " + name);
  }

  void check_rotate(int64_t width, int64_t table_heads, uint64_t halved, bool positions) const {
    constexpr int64_t kRows = 7;
    constexpr int64_t kHeads = 3;
    const int64_t stride = kHeads * width + 24;
    const RowTensor x = RowTensor::random(GetParam(), kRows * stride, 1);
    const RowTensor table =
        RowTensor::random(ElementType::kFloat, 4 * 2 * table_heads * width / 2, 2);
    std::vector<int64_t> at_position;
    for (int64_t r = 0; r < kRows; ++r) at_position.push_back(r % 4);
    const RowTensor output(GetParam(), kRows * kHeads * width);
    Rotate call;
    call.type = GetParam();
    call.rows = kRows;
    call.heads = kHeads;
    call.head_width = width;
    call.x = x.data();
    call.row_stride = stride;
    call.table = table.floats();
    call.table_heads = table_heads;
    call.positions = positions ? shared_copy(at_position) : nullptr;
    call.halved_heads = halved;
    call.output = output.data();
    for (const bool back : {false, true}) {
      call.back = back;
      run_rows_here(call);
      Values expected(at(output.size()));
      for (int64_t r = 0; r < kRows; ++r) {
        for (int64_t h = 0; h < kHeads; ++h) {
          for (int64_t m = 0; m < width / 2; ++m) {
            const bool split = (halved >> h & 1U) != 0;
            const int64_t first = split ? m : 2 * m;
            const int64_t second = split ? m + width / 2 : 2 * m + 1;
            const int64_t row = positions ? at_position[at(r)] : 0;
            const int64_t head = table_heads == 1 ? 0 : h;
            const int64_t entry = (row * 2 * table_heads + head) * (width / 2) + m;
            const double cosine = table.at(entry);
            const double sine = table.at(entry + table_heads * (width / 2)) * (back ? -1.0 : 1.0);
            const double a = x.at(r * stride + h * width + first);
            const double b = x.at(r * stride + h * width + second);
            expected[at((r * kHeads + h) * width + first)] = a * cosine - b * sine;
            expected[at((r * kHeads + h) * width + second)] = b * cosine + a * sine;
          }
        }
      }
      output.expect_near(expected, 1e-6, "rotate " + std::to_string(width));
    }
  }
};

TEST_P(TokenCasesTest, Embed) {
  for (const int64_t width : {64, 100, 512, 513, 4096}) {
    check_embed(40, width, true);
    check_embed(9, width, false);
  }
  check_embed(5000, 64, true);
}

TEST_P(TokenCasesTest, GradientOfEmbeddings) {
  const std::vector<int64_t> short_runs = {1, 2, 0, 3, 1, 1, 5, 0, 2, 7, 1};
  for (const int64_t width : {1, 64, 100, 512, 513, 4100}) {
    check_embed_backward(short_runs, width);
    check_embed_backward({5, 40, 3}, width);
  }
  check_embed_backward(std::vector<int64_t>(500, 1), 64);
}

TEST_P(TokenCasesTest, GradientOfEmbeddingsWhoseRunsCrossChunks) {
  constexpr int64_t kChunk = kPlacesOfChunk;
  const std::vector<std::vector<int64_t>> cases = {
      {kChunk, kChunk, kChunk},                 // none crosses
      {kChunk + 1},                             // only the last element in a new chunk
      {kChunk - 1, 2, kChunk - 1},              // one place on each side
      {3, 2 * kChunk - 3, 2, 2 * kChunk - 2},   // they end where chunks do
      {kChunk / 2, 3 * kChunk, kChunk / 2, 1},  // over whole chunks
      {kChunk + 4, kChunk, kChunk, 0, 9},       // one arrives and one leaves in a chunk
      {0, 0, 300 * kChunk + 5}};                // all equal, more than a block adds in one go
  for (const std::vector<int64_t>& runs : cases) {
    check_embed_backward(runs, 64);
    check_embed_backward(runs, 512);
  }
  check_embed_backward(cases[4], 4100);
}

// The widest ones do not fit in a block's memory.
TEST_P(TokenCasesTest, CrossEntropy) {
  for (const int64_t classes : {1, 2, 100, 1000, 2048, 9001}) {
    check_cross_entropy(3, classes, 0.1, true);
    check_cross_entropy(2, classes, 0.0, false);
    check_cross_entropy(3, classes, 0.1, false, true);
  }
  check_cross_entropy(2, 34000, 0.1, true);
  check_cross_entropy(2, 34001, 0.1, false);
}

TEST_P(TokenCasesTest, CrossEntropyOfInfiniteLogits) {
  constexpr int64_t kClasses = 40;
  RowTensor logits = RowTensor::random(GetParam(), kClasses, 1);
  for (int64_t c = 8; c < 32; ++c) logits.set(c, -std::numeric_limits<double>::infinity());
  const Values before = logits.values();
  const RowTensor losses(ElementType::kFloat, 2);
  DeviceCrossEntropy call;
  call.type = GetParam();
  call.rows = 1;
  call.classes = kClasses;
  call.logits = logits.data();
  call.targets = shared_copy<int64_t>({3});
  call.gradient = true;
  call.losses = losses.floats();
  run_rows_here(call);
  double sum = 0.0;
  for (const double logit : before) sum += std::exp(logit);
  EXPECT_NEAR(losses.at(1), std::log(sum) - before[3], 1e-5);
  EXPECT_EQ(logits.at(20), 0.0);
}

TEST_P(TokenCasesTest, Rotate) {
  for (const int64_t width : {2, 6, 32, 48, 64, 100, 128}) {
    check_rotate(width, 1, 0b000, true);
    check_rotate(width, 3, 0b101, true);
    check_rotate(width, 1, 0b111, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, TokenCasesTest, testing::ValuesIn(kAllTypes),
                         [](const auto& type) { return name_of(type.param); });

}  // namespace
}  // namespace dietmt::kernels
