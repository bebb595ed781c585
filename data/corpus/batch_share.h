// The batches of one process when several processes train together.
#pragma once

#include <cstdint>

namespace dietmt::data {

/// Batch m of an update belongs to process m mod `processes`. Updates have `per_update` batches
/// whatever the number of processes, so that the order of the data does not depend on it.
struct BatchShare {
  int64_t rank = 0;
  int64_t processes = 1;   // at most per_update
  int64_t per_update = 1;  // batches

  /// `batch` counts from the start of an update.
  bool owns(int64_t batch) const { return batch % per_update % processes == rank; }
  /// How many batches to prefetch so that at least `own` of them belong to this process.
  int64_t ahead(int64_t own) const {
    const int64_t least = per_update / processes;  // own batches per update
    return own * ((per_update + least - 1) / least);
  }
};

}  // namespace dietmt::data
