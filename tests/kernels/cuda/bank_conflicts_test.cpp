// A warp's accesses to shared memory, computed from the kernels' strides. Memory has 32 banks of 4
// bytes; lanes that need different words of one bank take turns. Accesses of 8 bytes are served per
// half warp, rows of ldmatrix per eight lanes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "kernels/cuda/offset_band.cuh"
#include "kernels/cuda/offset_bias.cuh"
#include "kernels/cuda/pair_bias.cuh"

namespace dietmt::kernels {
namespace {

constexpr int kBanks = 32;

/// Turns needed by lanes first .. first + count - 1; address(lane) in bytes, `bytes` bytes each.
template <typename Address>
int turns(int first, int count, int bytes, const Address& address) {
  std::array<std::set<int>, kBanks> words;
  for (int lane = first; lane < first + count; ++lane) {
    const int start = address(lane);
    for (int byte = 0; byte < bytes; byte += 4) {
      const int word = (start + byte) / 4;
      words[static_cast<size_t>(((word % kBanks) + kBanks) % kBanks)].insert(word);
    }
  }
  size_t most = 0;
  for (const auto& bank : words) most = std::max(most, bank.size());
  return static_cast<int>(most);
}

template <typename Address>
int word_turns(const Address& word) {
  return turns(0, 32, 4, [&](int lane) { return 4 * word(lane / 4, lane % 4); });
}

template <typename Address>
int pair_turns(const Address& word) {
  const auto address = [&](int lane) { return 4 * word(lane / 4, lane % 4); };
  return std::max(turns(0, 16, 8, address), turns(16, 16, 8, address));
}

/// Eight rows of 16 bytes, `stride` 16-bit elements apart.
int matrix_turns(int stride) {
  return turns(0, 8, 16, [&](int lane) { return 2 * lane * stride; });
}

template <typename S>
void expect_no_conflicts() {
  constexpr int kShift = 1 << 20;  // keeps addresses positive
  EXPECT_EQ(matrix_turns(kStride<S::kWidth>), 1) << "tiles of vectors";
  EXPECT_EQ(matrix_turns(S::kBandStride), 1) << "the band";
  const auto offset = [](int g, int t) { return window_offset<S>(g, 2 * t); };
  EXPECT_EQ(word_turns([&](int g, int t) { return kShift + offset(g, t) * S::kProductStride + g; }),
            1)
      << "gather by row";
  EXPECT_EQ(word_turns([&](int g, int t) { return 2 * t * S::kProductStride + g; }), 1)
      << "products by row";
  EXPECT_EQ(word_turns([&](int g, int t) {
              return kShift + offset(g, t) * S::kColumnProductStride + 2 * t;
            }),
            1)
      << "gather by column";
  EXPECT_LE(word_turns([&](int g, int t) { return 2 * t * S::kColumnProductStride + g; }), 2)
      << "stores of products by column, fewer than a score each";
  EXPECT_EQ(turns(0, 32, 2,
                  [&](int lane) {
                    return kShift + 2 * (offset(lane / 4, lane % 4) * S::kBandStride + lane / 4);
                  }),
            1)
      << "scatter";
  EXPECT_EQ(pair_turns([](int g, int t) { return g * S::kDiagonalStride + 2 * t; }), 1)
      << "sums along diagonals";
  EXPECT_EQ(word_turns([&](int g, int t) { return kShift + offset(g, t); }), 1)
      << "biases of offsets";
  if constexpr (S::kQueryRows) {
    EXPECT_EQ(pair_turns([](int g, int t) { return pair_place<S>(g, 2 * t); }), 1) << "pairs";
  } else {
    EXPECT_EQ(word_turns([](int g, int t) { return pair_place<S>(g, 2 * t); }), 1) << "pairs";
  }
}

template <int kWidth, bool kQueryRows, int kColumns, bool kGradients>
using EverythingShape =
    Shape<BFloat16, kWidth, TermClass::kEverything, kQueryRows, kColumns, kGradients>;

TEST(BankConflictsTest, ThereAreNoneInForward) {
  expect_no_conflicts<EverythingShape<32, true, 32, false>>();
  expect_no_conflicts<EverythingShape<64, true, 32, false>>();
  expect_no_conflicts<EverythingShape<64, true, 64, false>>();
  expect_no_conflicts<EverythingShape<96, true, 32, false>>();
  expect_no_conflicts<EverythingShape<128, true, 32, false>>();
}

TEST(BankConflictsTest, ThereAreNoneInBackward) {
  expect_no_conflicts<EverythingShape<32, true, 32, true>>();
  expect_no_conflicts<EverythingShape<64, true, 16, true>>();
  expect_no_conflicts<EverythingShape<32, false, 32, true>>();
  expect_no_conflicts<EverythingShape<64, false, 16, true>>();
  expect_no_conflicts<EverythingShape<64, false, 32, false>>();
  expect_no_conflicts<EverythingShape<128, false, 16, true>>();
}

TEST(BankConflictsTest, FindsConflicts) {
  EXPECT_EQ(matrix_turns(64), 8);
  EXPECT_EQ(word_turns([](int g, int) { return 32 * g; }), 8);
}

}  // namespace
}  // namespace dietmt::kernels
