// Graphs for benchmarks of training.
#pragma once

#include <nlohmann/json.hpp>

#include "training/loop/trainer.h"

namespace dietmt::bench {

/// Passes over the next `batches` twice, so that a device with graphs has recorded their sizes, and
/// goes back to the first one.
inline void record_passes(training::TrainingTask& task, int64_t batches) {
  const nlohmann::json start = task.data_position();
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int64_t i = 0; i < batches; ++i) {
      encoders::DropoutKeys dropout(static_cast<uint64_t>(i));
      task.accumulate_gradients(dropout);
    }
    task.restore_data_position(start);
  }
}

}  // namespace dietmt::bench
