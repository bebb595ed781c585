#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "common/error.h"
#include "nmt/batch_decoding/forced_scoring.h"

namespace dietmt::nmt {
namespace {

TEST(BatchesByLength, HoldEachSentenceOnceWithinTheLimit) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < 200; ++i) lengths.push_back(1 + i * 37 % 29);
  lengths.push_back(500);  // longer than a batch
  std::multiset<size_t> seen;
  int64_t last = 500;
  const auto batches = batches_by_length(lengths, 100);
  for (const auto& batch : batches) {
    const int64_t longest = lengths[batch.front()];
    EXPECT_TRUE(batch.size() == 1 || static_cast<int64_t>(batch.size()) * longest <= 100);
    for (const size_t i : batch) {
      EXPECT_LE(lengths[i], last);
      last = lengths[i];
      seen.insert(i);
    }
  }
  EXPECT_EQ(seen.size(), 201U);
  EXPECT_EQ(std::set<size_t>(seen.begin(), seen.end()).size(), 201U);
  EXPECT_LT(batches.size(), 60U);
  EXPECT_TRUE(batches_by_length({}, 100).empty());
}

TEST(ForEachBatch, WorksOnAllAndGivesTheThreadsBack) {
  const std::vector<std::vector<size_t>> batches = {{1, 2}, {3}, {4, 5, 6}, {7}};
  const int before = at::get_num_threads();
  std::atomic<size_t> sum = 0;
  int64_t reported = 0;
  for_each_batch(
      batches, 3,
      [&](const std::vector<size_t>& batch) {
        EXPECT_EQ(at::get_num_threads(), 1);
        for (const size_t i : batch) sum += i;
      },
      [&](int64_t done) { reported += done; });
  EXPECT_EQ(sum, 28U);
  EXPECT_EQ(reported, 7);
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST(ForEachBatch, PassesAnExceptionOn) {
  const std::vector<std::vector<size_t>> batches = {{1}, {2}, {3}};
  const auto work = [](const std::vector<size_t>& batch) {
    if (batch.front() == 2) throw DataError("second");
  };
  EXPECT_THROW(for_each_batch(batches, 2, work, {}), DataError);
}

}  // namespace
}  // namespace dietmt::nmt
