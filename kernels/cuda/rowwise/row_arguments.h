// Arguments of the row kernels in addition to a call of kernels/device_kernels.h: how blocks share
// the rows, where column sums go, and whether rows begin at 16 bytes. row_plan.h makes them.
#pragma once

#include <cstdint>

#include "kernels/cuda/attention_arguments.h"
#include "kernels/cuda/elements.h"
#include "kernels/device_kernels.h"
#include "kernels/dropout.h"

namespace dietmt::kernels {

constexpr int kRowThreads = 256;  // of a block

constexpr int kNormThreads = kRowThreads;
constexpr int kNormElements = 16;  // of a row in a lane
constexpr int kNormWarps = kNormThreads / 32;
constexpr int kNormBlocks = 264;  // two on each of the 132 multiprocessors of the largest devices

constexpr int kRowBlocksTogether = 3;   // on a multiprocessor
constexpr int kMostBlocks = 396;        // on the 132 of the largest devices
constexpr int kPartsOfGroup = 16;       // whose sums are added first
constexpr int64_t kTicketCount = 4096;  // for the most strips and groups
constexpr int kMostColumnSums = 3;

/// A block of kRowThreads threads covers `lanes` rows at a time, a thread for each of `per_strip`
/// units of a row (16 bytes each, say); wider rows are cut into strips. Block (part, strip) walks
/// down rows part * lanes + lane, then parts * lanes further on.
struct RowSplit {
  int64_t rows = 0;
  int units = 0;
  int per_strip = 0;
  int strips = 0;
  int lanes = 0;
  int parts = 0;

  BlockIndex grid() const { return {parts, strips, 1}; }
};

/// Sorted places of embeddings that a lane adds up.
constexpr int kPlacesOfChunk = 16;

enum class Rows { kVectors, kRagged };

/// Dropout of elements by their index in the tensor, with the key that a thread has made.
class DropoutMask {
 public:
  DIETMT_DEVICE explicit DropoutMask(const DropoutNumbers& numbers)
      : numbers_(numbers), key_(numbers.threshold != 0 ? numbers.key.value() : 0) {}

  /// To elements index, index + 1, ..
  template <int kCount>
  DIETMT_DEVICE void apply(float (&values)[kCount], uint32_t index) const {
    if (numbers_.threshold == 0) return;
    DIETMT_UNROLL
    for (int e = 0; e < kCount; ++e) {
      const bool keeps = dropout_keeps(key_, index + static_cast<uint32_t>(e), numbers_.threshold);
      values[e] = keeps ? values[e] * numbers_.scale : 0.0f;
    }
  }

 private:
  const DropoutNumbers& numbers_;
  uint64_t key_;
};

/// Sums over the rows: every block leaves its own sums in `partial`; the last block of each group
/// adds those of the group, the last of all blocks those of the groups (column_reduction.cuh).
struct ColumnReduction {
  float* partial = nullptr;           // [count, parts + groups, stride]
  uint32_t* tickets = nullptr;        // [strips, 1 + groups], zeros before and after the kernel
  float* sums[kMostColumnSums] = {};  // [width] each; null: not wanted
  int count = 0;
  int parts = 0;
  int strips = 1;
  int64_t width = 0;
  bool add = false;  // to the existing contents

  DIETMT_HOST_DEVICE int groups() const { return (parts + kPartsOfGroup - 1) / kPartsOfGroup; }
  DIETMT_HOST_DEVICE int64_t stride() const { return (width + 3) / 4 * 4; }
  DIETMT_HOST_DEVICE float* row(int sum, int part) const {
    return partial + (int64_t{sum} * (parts + groups()) + part) * stride();
  }
  int64_t numbers() const { return int64_t{count} * (parts + groups()) * stride(); }
};

/// State that the kernels of a stream share: `partial` has partial_numbers() of the call, `tickets`
/// kTicketCount.
struct RowMemory {
  float* partial = nullptr;
  uint32_t* tickets = nullptr;
};

struct AddNormArguments {
  AddNorm call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  int blocks = 0;
};

struct AddNormBackwardArguments {
  AddNormBackward call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  ColumnReduction reduction;  // gamma, beta, bias of the branch; parts: blocks
};

struct ActivateArguments {
  Activate call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  RowSplit split;
};

struct ActivateBackwardArguments {
  ActivateBackward call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  RowSplit split;
  ColumnReduction reduction;  // the bias, in two halves for kSwiglu; count 0: not wanted
};

struct ColumnSumsArguments {
  DeviceColumnSums call;
  Rows rows = Rows::kVectors;
  RowSplit split;
  ColumnReduction reduction;
};

struct EmbedArguments {
  DeviceEmbed call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  RowSplit split;
};

struct EmbedBackwardArguments {
  DeviceEmbedBackward call;
  DropoutNumbers dropout;
  Rows rows = Rows::kVectors;
  RowSplit split;            // its rows are chunks of places, one for each lane of the grid
  float* partial = nullptr;  // two rows for each chunk

  DIETMT_HOST_DEVICE int64_t stride() const {
    return int64_t{split.strips} * split.per_strip * (call.type == ElementType::kFloat ? 4 : 8);
  }
  int64_t numbers() const { return 2 * split.rows * stride(); }

  /// The chunk's sum of the run that continues from the previous chunk.
  DIETMT_HOST_DEVICE float* arriving(int64_t chunk) const { return partial + 2 * chunk * stride(); }
  /// Its sum of the run that begins in the chunk and continues in the next.
  DIETMT_HOST_DEVICE float* leaving(int64_t chunk) const { return arriving(chunk) + stride(); }
};

struct CrossEntropyArguments {
  DeviceCrossEntropy call;
  Rows rows = Rows::kVectors;
};

struct RotateArguments {
  Rotate call;
  Rows rows = Rows::kVectors;
  RowSplit split;  // units: heads * groups
  int groups = 0;  // of kVector pairs in a head
};

}  // namespace dietmt::kernels
