// Which batches of a training on several processes are this one's.
#pragma once

#include <cstdint>

namespace dietmt::data {

/// Batch m of an update belongs to process m mod `processes`. Updates have `per_update` batches
/// whatever the number of processes, so that the order of the data does not depend on it.
struct BatchShare {
  int64_t rank = 0;
  int64_t processes = 1;   // at most per_update
  int64_t per_update = 1;  // batches

  /// Of the batches counted from the start of an update.
  bool owns(int64_t batch) const { return batch % per_update % processes == rank; }
  /// An iteration that holds so many batches ahead holds `own` of this process, or more.
  int64_t ahead(int64_t own) const {
    const int64_t least = per_update / processes;  // own batches of an update
    return own * ((per_update + least - 1) / least);
  }
};

}  // namespace dietmt::data
