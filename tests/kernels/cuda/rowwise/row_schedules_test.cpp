// What only the host can vary: the order of threads and blocks, and blocks in flight.
#include "tests/kernels/cuda/rowwise/host_rows.h"
#include "tests/kernels/cuda/rowwise/norm_case.h"

namespace dietmt::kernels {
namespace {

constexpr HostSchedule kSchedules[] = {{.workers = 1, .order = 0},
                                       {.workers = 1, .order = 1},
                                       {.workers = 3, .order = 2},
                                       {.workers = 1, .order = 3, .together = 3},
                                       {.workers = 2, .order = 4, .together = 5}};

using Results = std::vector<std::vector<double>>;

/// `run(schedule)` gives the same bits in every schedule.
template <typename Run>
void expect_same_bits(const Run& run) {
  const Results in_order = run(kSchedules[0]);
  for (const HostSchedule& schedule : kSchedules) {
    const Results results = run(schedule);
    ASSERT_EQ(results.size(), in_order.size());
    for (size_t i = 0; i < results.size(); ++i) {
      ASSERT_EQ(results[i], in_order[i]) << "result " << i << ", order " << schedule.order;
    }
  }
}

void expect_norm(int64_t rows, int64_t width) {
  expect_same_bits([&](const HostSchedule& schedule) {
    const NormCase norm(
        {.type = ElementType::kBFloat16, .rows = rows, .width = width, .dropout = 0.1});
    run_rows_on_host(norm.forward(), schedule);
    EXPECT_TRUE(run_rows_on_host(norm.backward(), schedule)) << "tickets are left";
    Results results;
    for (const RowTensor* tensor : norm.results()) results.push_back(tensor->values());
    return results;
  });
}

// One warp per row and several, which exchange sums through shared memory; one group of blocks and
// several.
TEST(RowSchedulesTest, Norms) {
  expect_norm(600, 64);
  expect_norm(300, 512);
  expect_norm(19, 520);
  expect_norm(40, 1536);
  expect_norm(70, 2056);
}

TEST(RowSchedulesTest, ActivationsAndColumnSums) {
  for (const Activation activation : {Activation::kGelu, Activation::kSwiglu}) {
    for (const int64_t width : {64, 2056}) {
      expect_same_bits([&](const HostSchedule& schedule) {
        constexpr int64_t kRows = 200;
        const int64_t inputs = activation == Activation::kSwiglu ? 2 * width : width;
        const RowTensor x = RowTensor::random(ElementType::kHalf, kRows * inputs, 1);
        const RowTensor grad = RowTensor::random(ElementType::kHalf, kRows * width, 2);
        const RowTensor grad_x(ElementType::kHalf, kRows * inputs);
        const RowTensor grad_bias(ElementType::kFloat, inputs);
        ActivateBackward call;
        call.forward = {.type = ElementType::kHalf,
                        .activation = activation,
                        .rows = kRows,
                        .width = width,
                        .x = x.data(),
                        .dropout = dropout_of(0.1, 8)};
        call.grad_output = grad.data();
        call.grad_x = grad_x.data();
        call.grad_bias = grad_bias.floats();
        EXPECT_TRUE(run_rows_on_host(call, schedule)) << "tickets are left";
        return Results{grad_x.values(), grad_bias.values()};
      });
    }
  }
}

TEST(RowSchedulesTest, GradientOfEmbeddings) {
  expect_same_bits([](const HostSchedule& schedule) {
    constexpr int64_t kRows = 700;
    constexpr int64_t kWidth = 520;
    std::vector<int64_t> ids, order;
    for (int64_t r = 0; r < kRows; ++r) {
      ids.push_back(r < 300 ? 0 : r < 400 ? 1 : r / 3);
      order.push_back(r);
    }
    const RowTensor grad = RowTensor::random(ElementType::kBFloat16, kRows * kWidth, 1);
    const RowTensor table = RowTensor::random(ElementType::kFloat, kRows * kWidth, 2);
    DeviceEmbedBackward call;
    call.type = ElementType::kBFloat16;
    call.rows = kRows;
    call.width = kWidth;
    call.grad_output = grad.data();
    call.ids = ids.data();
    call.order = order.data();
    call.grad_table = table.floats();
    run_rows_on_host(call, schedule);
    return Results{table.values()};
  });
}

TEST(RowSchedulesTest, CrossEntropy) {
  for (const int64_t classes : {333, 4096, 33000}) {
    expect_same_bits([&](const HostSchedule& schedule) {
      constexpr int64_t kRows = 4;
      const RowTensor logits = RowTensor::random(ElementType::kBFloat16, kRows * classes, 1, 8.0);
      const std::vector<int64_t> targets = {0, classes - 1, 17, 200};
      const RowTensor losses(ElementType::kFloat, 2 * kRows);
      DeviceCrossEntropy call;
      call.type = ElementType::kBFloat16;
      call.rows = kRows;
      call.classes = classes;
      call.logits = logits.data();
      call.targets = targets.data();
      call.smoothing = 0.1;
      call.gradient = true;
      call.losses = losses.floats();
      run_rows_on_host(call, schedule);
      return Results{logits.values(), losses.values()};
    });
  }
}

// Blocks detect the last of them by tickets of their strip and group.
TEST(RowSchedulesTest, ColumnSumsOfManyStripsAndGroups) {
  expect_same_bits([](const HostSchedule& schedule) {
    constexpr int64_t kRows = 700;
    constexpr int64_t kWidth = 8200;
    const RowTensor x = RowTensor::random(ElementType::kFloat, kRows * kWidth, 1);
    const RowTensor sums(ElementType::kFloat, kWidth);
    const DeviceColumnSums call{.type = ElementType::kFloat,
                                .rows = kRows,
                                .width = kWidth,
                                .x = x.data(),
                                .row_stride = kWidth,
                                .sums = sums.floats()};
    const ColumnSumsArguments arguments = plan(call, {});
    EXPECT_GT(arguments.split.strips, 1);
    EXPECT_GT(arguments.reduction.groups(), 1);
    EXPECT_TRUE(run_rows_on_host(call, schedule)) << "tickets are left";
    return Results{sums.values()};
  });
}

TEST(RowSchedulesTest, ColumnSumsMayBeAddedToWhatIsThere) {
  constexpr int64_t kRows = 40;
  constexpr int64_t kWidth = 24;
  const RowTensor x = RowTensor::random(ElementType::kFloat, kRows * kWidth, 1);
  RowTensor sums(ElementType::kFloat, kWidth);
  const DeviceColumnSums call{.type = ElementType::kFloat,
                              .rows = kRows,
                              .width = kWidth,
                              .x = x.data(),
                              .row_stride = kWidth,
                              .sums = sums.floats()};
  run_rows_on_host(call, {});
  const std::vector<double> once = sums.values();
  std::vector<Words> partial(static_cast<size_t>(partial_numbers(call) / 4 + 1));
  std::vector<uint32_t> tickets(kTicketCount, 0);
  const RowMemory memory{reinterpret_cast<float*>(partial.data()), tickets.data()};
  launch_rows_on_host(call.type, plan(call, memory, ColumnTarget::kAdd), {});
  for (int64_t c = 0; c < kWidth; ++c) {
    EXPECT_EQ(sums.at(c), 2.0 * once[static_cast<size_t>(c)]);
  }
}

}  // namespace
}  // namespace dietmt::kernels
