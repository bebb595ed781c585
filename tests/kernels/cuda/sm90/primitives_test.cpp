// The host's emulation of sm_90a compared with the PTX manual on barriers, copies of boxes and
// warpgroup products. Mistakes that a GPU would ignore must end the program.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cuda/sm90/warpgroup_rows.cuh"
#include "tests/kernels/cuda/sm90/async_block.h"

namespace dietmt::kernels {
namespace {

constexpr int kBox = 64;  // columns
constexpr int kRowBytes = 128;
constexpr int kThreadsWithProducer = kWarpgroupThreads + kWarpThreads;

/// Runs one block; `body` gets shared memory aligned to a swizzling pattern.
void run_block(uint64_t order, const std::function<void(char*)>& body,
               int threads = kWarpgroupThreads) {
  run_on_host(
      {1, 1, 1}, size_t{64} << 10, {.order = order},
      [&](BlockIndex, char* shared) {
        body(shared + (1024 - shared_address(shared) % 1024) % 1024);
      },
      threads);
}

float number(int row, int column) { return static_cast<float>((row * 7 + column * 3) % 11 - 5); }

uint16_t half(int row, int column) { return round_to(Half{}, number(row, column)); }

/// Rows of `width` numbers, and the layout that copies them.
struct Matrix {
  std::vector<Words> memory;
  TensorLayout layout;

  Matrix(int rows, int width, int box_rows, Swizzle swizzle = Swizzle::k128Bytes)
      : memory(static_cast<size_t>(rows * width) / 8) {
    auto* const elements = reinterpret_cast<uint16_t*>(memory.data());
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < width; ++column) {
        elements[row * width + column] = half(row, column);
      }
    }
    layout = {.data = memory.data(),
              .type = ElementType::kHalf,
              .swizzle = swizzle,
              .sizes = {width, 1, rows},
              .strides = {2 * width, 2 * width},
              .box = {swizzle_bytes(swizzle) / 2, 1, box_rows}};
  }
  TensorMap map() const { return encode_tensor_map(layout); }
};

void init_by_first_thread(TransactionBarrier* barrier, int arrivals) {
  if (thread_index() == 0) {
    init_barrier(barrier, arrivals);
    fence_async_proxy();
  }
  sync_block();
}

TEST(Sm90PrimitivesTest, BarriersCountArrivalsOfEachPhase) {
  for (const uint64_t order : {0, 1, 2}) {
    int written = 0;
    run_block(
        order,
        [&](char* shared) {
          auto* const barriers = reinterpret_cast<TransactionBarrier*>(shared);
          if (thread_index() == 0) {
            init_barrier(barriers, 1);
            init_barrier(barriers + 1, kWarpgroupThreads);
          }
          sync_block();
          if (warp_index() == 4) {
            for (int round = 0; round < 5; ++round) {
              wait_barrier(barriers + 1, round % 2 == 0 ? 1 : 0);
              if (lane_index() == 0) {
                written = round;
                arrive(barriers);
              }
            }
            return;
          }
          for (int round = 0; round < 5; ++round) {
            wait_barrier(barriers, round % 2);
            EXPECT_EQ(written, round);
            arrive(barriers + 1);
          }
        },
        kThreadsWithProducer);
  }
}

TEST(Sm90PrimitivesTest, CopiesBoxesSwizzledAndZerosBeyondTheTensor) {
  for (const Swizzle swizzle : {Swizzle::k128Bytes, Swizzle::k64Bytes}) {
    const int columns = swizzle_bytes(swizzle) / 2;
    const Matrix matrix(20, 72, 16, swizzle);
    const TensorMap map = matrix.map();
    for (const uint64_t order : {0, 1, 2, 3}) {
      run_block(order, [&](char* shared) {
        auto* const barrier = reinterpret_cast<TransactionBarrier*>(shared + 16 * kRowBytes);
        init_by_first_thread(barrier, 1);
        if (thread_index() == 0) {
          arrive_expecting(barrier, 16 * 2 * columns);
          load_box(shared, map, {40, 0, 8}, barrier);
        }
        wait_barrier(barrier, 0);
        const auto* tile = reinterpret_cast<const uint16_t*>(shared);
        for (int row = thread_index(); row < 16; row += kWarpgroupThreads) {
          for (int column = 0; column < columns; ++column) {
            // The manual's figures: 16-byte pieces are permuted by the index of their 128 bytes.
            const int line = row * 2 * columns / 128;
            const int piece = column / 8 ^ line % (columns / 8);
            const uint16_t found = tile[row * columns + piece * 8 + column % 8];
            const bool inside = row + 8 < 20 && column + 40 < 72;
            ASSERT_EQ(found, inside ? half(row + 8, column + 40) : 0) << row << " " << column;
          }
        }
      });
    }
  }
}

/// Copies `rows` rows and `width` columns, box by box.
void load_matrix(char* to, const TensorMap& map, int rows, int width, TransactionBarrier* barrier) {
  if (thread_index() == 0) {
    arrive_expecting(barrier, rows * width * 2);
    for (int box = 0; box < width / kBox; ++box) {
      load_box(to + box * rows * kRowBytes, map, {box * kBox, 0, 0}, barrier);
    }
  }
  wait_barrier(barrier, 0);
}

TEST(Sm90PrimitivesTest, MultipliesRowsOfSharedMemory) {
  const Matrix left(64, 128, 64);
  const Matrix right(64, 128, 64);
  const TensorMap left_map = left.map();
  const TensorMap right_map = right.map();
  for (const uint64_t order : {0, 1, 2, 3}) {
    run_block(order, [&](char* shared) {
      char* const a = shared;
      char* const b = shared + 64 * 256;
      auto* const barriers = reinterpret_cast<TransactionBarrier*>(b + 64 * 256);
      init_by_first_thread(barriers, 1);
      init_by_first_thread(barriers + 1, 1);
      load_matrix(a, left_map, 64, 128, barriers);
      load_matrix(b, right_map, 64, 128, barriers + 1);
      WarpgroupRows<64> sums;
      begin_multiplies(sums.value);
      for (int k = 0; k < 128; k += kDepth) {
        const int place = k / kBox * 64 * kRowBytes + k % kBox * 2;
        multiply_shared<Half>(sums.value, matrix_descriptor(a + place, Swizzle::k128Bytes, 1024, 0),
                              matrix_descriptor(b + place, Swizzle::k128Bytes, 1024, 0), k > 0);
      }
      commit_multiplies();
      EXPECT_TRUE(std::isnan(sums.value[0]));  // not available before the wait
      wait_multiplies<0>(sums.value);
      sums.for_each([&](int row, int column, float& sum, int) {
        float wanted = 0.0f;
        for (int k = 0; k < 128; ++k) wanted += number(row, k) * number(column, k);
        ASSERT_EQ(sum, wanted) << row << " " << column;
      });
    });
  }
}

template <int kWidth>
void multiply_registers_with_columns() {
  const Matrix right(32, kWidth, 32);
  const TensorMap map = right.map();
  for (const uint64_t order : {0, 1, 2, 3}) {
    run_block(order, [&](char* shared) {
      auto* const barrier = reinterpret_cast<TransactionBarrier*>(shared + 32 * 256);
      init_by_first_thread(barrier, 1);
      load_matrix(shared, map, 32, kWidth, barrier);
      uint32_t a[8];
      for (int i = 0; i < 8; ++i) {
        const int row = warpgroup_row(i % 2);
        const int k = 8 * (i / 2) + 2 * (lane_index() % 4);
        a[i] = pack<Half>(number(row, k), number(row, k + 1));
      }
      WarpgroupRows<kWidth> sums;
      sums.for_each([](int row, int, float& sum, int) { sum = static_cast<float>(row); });
      begin_multiplies(sums.value, a);
      for (int step = 0; step < 2; ++step) {
        multiply_registers<Half>(sums.value, a + 4 * step,
                                 matrix_descriptor(shared + step * kDepth * kRowBytes,
                                                   Swizzle::k128Bytes, 1024, 32 * kRowBytes));
      }
      commit_multiplies();
      wait_multiplies<0>(sums.value, a);
      sums.for_each([&](int row, int column, float& sum, int) {
        auto wanted = static_cast<float>(row);
        for (int k = 0; k < 32; ++k) wanted += number(row, k) * number(k, column);
        ASSERT_EQ(sum, wanted) << row << " " << column;
      });
    });
  }
}

TEST(Sm90PrimitivesTest, MultipliesRegistersByColumnsOfSharedMemory) {
  multiply_registers_with_columns<64>();
  multiply_registers_with_columns<128>();
}

// A tile for width 32: rows of 64 bytes, whose pattern repeats every 512.
TEST(Sm90PrimitivesTest, MultipliesTilesOf64ByteRows) {
  const Matrix matrix(64, 32, 64, Swizzle::k64Bytes);
  const TensorMap map = matrix.map();
  run_block(1, [&](char* shared) {
    auto* const barrier = reinterpret_cast<TransactionBarrier*>(shared + 64 * 64);
    init_by_first_thread(barrier, 1);
    if (thread_index() == 0) {
      arrive_expecting(barrier, 64 * 64);
      load_box(shared, map, {0, 0, 0}, barrier);
    }
    wait_barrier(barrier, 0);
    WarpgroupRows<64> sums;
    begin_multiplies(sums.value);
    for (int k = 0; k < 32; k += kDepth) {
      const uint64_t tile = matrix_descriptor(shared + 2 * k, Swizzle::k64Bytes, 512, 0);
      multiply_shared<Half>(sums.value, tile, tile, k > 0);
    }
    commit_multiplies();
    wait_multiplies<0>(sums.value);
    sums.for_each([&](int row, int column, float& sum, int) {
      float wanted = 0.0f;
      for (int k = 0; k < 32; ++k) wanted += number(row, k) * number(column, k);
      ASSERT_EQ(sum, wanted);
    });
  });
}

/// One product of zeros in shared memory written by `write`.
template <typename Before>
float product_after(uint64_t order, const Before& before) {
  float first = 0.0f;
  run_block(order, [&](char* shared) {
    for (int i = thread_index(); i < 64 * kRowBytes / 4; i += kWarpgroupThreads) {
      reinterpret_cast<uint32_t*>(shared)[i] = 0;
    }
    before();
    sync_block();
    WarpgroupRows<64> sums;
    begin_multiplies(sums.value);
    const uint64_t tile = matrix_descriptor(shared, Swizzle::k128Bytes, 1024, 0);
    multiply_shared<Half>(sums.value, tile, tile, false);
    commit_multiplies();
    wait_multiplies<0>(sums.value);
    if (thread_index() == 0) first = sums.value[0];
  });
  return first;
}

TEST(Sm90PrimitivesTest, WrittenMemoryNeedsAFence) {
  EXPECT_EQ(product_after(0, [] { fence_async_proxy(); }), 0.0f);
  EXPECT_TRUE(std::isnan(product_after(0, [] {})));
}

using Sm90PrimitivesDeathTest = testing::Test;

/// Copies 8 rows into a tile without waiting for them correctly.
void copy_rows(const std::function<void(char*, TransactionBarrier*, const TensorMap&)>& use) {
  const Matrix matrix(8, 64, 8);
  const TensorMap map = matrix.map();
  run_block(0, [&](char* shared) {
    use(shared, reinterpret_cast<TransactionBarrier*>(shared + 1024), map);
  });
}

TEST(Sm90PrimitivesDeathTest, CopiesMustBeAwaited) {
  EXPECT_DEATH(copy_rows([](char* to, TransactionBarrier* barrier, const TensorMap& map) {
                 init_by_first_thread(barrier, 1);
                 if (thread_index() > 0) return;
                 arrive_expecting(barrier, 1024);
                 load_box(to, map, {0, 0, 0}, barrier);
               }),
               "a block ends before its copies have arrived");
}

TEST(Sm90PrimitivesDeathTest, WrongParityWaitsForever) {
  EXPECT_DEATH(copy_rows([](char* to, TransactionBarrier* barrier, const TensorMap& map) {
                 init_by_first_thread(barrier, 1);
                 if (thread_index() == 0) {
                   arrive_expecting(barrier, 1024);
                   load_box(to, map, {0, 0, 0}, barrier);
                 }
                 wait_barrier(barrier, 0);
                 wait_barrier(barrier, 1);
               }),
               "others never reach");
}

TEST(Sm90PrimitivesDeathTest, ExpectedBytesMustCome) {
  EXPECT_DEATH(copy_rows([](char* to, TransactionBarrier* barrier, const TensorMap& map) {
                 init_by_first_thread(barrier, 1);
                 if (thread_index() == 0) {
                   arrive_expecting(barrier, 1040);
                   load_box(to, map, {0, 0, 0}, barrier);
                 }
                 wait_barrier(barrier, 0);
               }),
               "others never reach");
}

TEST(Sm90PrimitivesDeathTest, BarriersNeedInitializationAndAFence) {
  EXPECT_DEATH(
      copy_rows([](char*, TransactionBarrier* barrier, const TensorMap&) { arrive(barrier); }),
      "a barrier is not initialized");
  EXPECT_DEATH(copy_rows([](char* to, TransactionBarrier* barrier, const TensorMap& map) {
                 if (thread_index() > 0) return;
                 init_barrier(barrier, 1);
                 load_box(to, map, {0, 0, 0}, barrier);
               }),
               "a barrier is not initialized");
}

TEST(Sm90PrimitivesDeathTest, BarriersTakeOnlyTheArrivalsTheyAwait) {
  EXPECT_DEATH(copy_rows([](char*, TransactionBarrier* barrier, const TensorMap&) {
                 init_by_first_thread(barrier, 2);
                 if (thread_index() == 0) host::count(barrier, 3, 0);
               }),
               "more arrivals");
}

/// One product of a tile of zeros, with errors around it.
void multiply_zeros(const std::function<void(float (&)[32], uint64_t)>& use) {
  run_block(0, [&](char* shared) {
    std::memset(shared, 0, 64 * kRowBytes);
    fence_async_proxy();
    sync_block();
    float sums[32] = {};
    use(sums, matrix_descriptor(shared, Swizzle::k128Bytes, 1024, 0));
  });
}

TEST(Sm90PrimitivesDeathTest, ProductsMustBeAwaited) {
  EXPECT_DEATH(multiply_zeros([](float(&sums)[32], uint64_t tile) {
                 begin_multiplies(sums);
                 multiply_shared<Half>(sums, tile, tile, false);
                 commit_multiplies();
               }),
               "a block ends before its products are done");
}

TEST(Sm90PrimitivesDeathTest, AllWarpsOfAWarpgroupIssueAProduct) {
  EXPECT_DEATH(multiply_zeros([](float(&sums)[32], uint64_t tile) {
                 if (warp_index() == 2) return;
                 begin_multiplies(sums);
                 multiply_shared<Half>(sums, tile, tile, false);
                 commit_multiplies();
                 wait_multiplies<0>(sums);
               }),
               "issue different products");
}

TEST(Sm90PrimitivesDeathTest, AllWarpsOfAWarpgroupChangeTheirRegisters) {
  EXPECT_DEATH(run_block(0,
                         [](char*) {
                           if (warp_index() != 2) take_registers<232>();
                         }),
               "others never reach");
}

TEST(Sm90PrimitivesDeathTest, ProductsNeedAFenceAfterRegistersChange) {
  EXPECT_DEATH(multiply_zeros([](float(&sums)[32], uint64_t tile) {
                 multiply_shared<Half>(sums, tile, tile, false);
               }),
               "need begin_multiplies");
  EXPECT_DEATH(multiply_zeros([](float(&sums)[32], uint64_t tile) {
                 begin_multiplies(sums);
                 sums[3] = 1.0f;
                 multiply_shared<Half>(sums, tile, tile, true);
               }),
               "change after begin_multiplies");
}

TEST(Sm90PrimitivesDeathTest, DescriptorsBeginAtAPattern) {
  EXPECT_DEATH(multiply_zeros([](float(&sums)[32], uint64_t tile) {
                 begin_multiplies(sums);
                 multiply_shared<Half>(sums, tile, tile - (uint64_t{512 / 16} << 32), false);
                 commit_multiplies();
                 wait_multiplies<0>(sums);
               }),
               "where the swizzling pattern does");
}

}  // namespace
}  // namespace dietmt::kernels
