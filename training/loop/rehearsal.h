// Time and memory of a training, measured on its first batches: --dry-run and --find-batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "training/loop/trainer.h"

namespace dietmt::training {

struct Rehearsal {
  double seconds = 0;  // of a batch, the fastest
  double tokens = 0;   // of a batch, the mean: those of progress
  double batches_per_epoch = 0;
  int64_t peak_memory = 0;  // bytes, of the process, with the state of Adam
};

/// Runs `batches` batches forward and backward as one of `processes`, without an update. Throws
/// Stopped after a signal.
Rehearsal rehearse(TrainingTask& task, int64_t batches, uint64_t seed, int64_t processes);

/// A few lines for the user: size, memory, epochs and time.
std::string rehearsal_text(const Rehearsal& rehearsal, int64_t parameters,
                           const TrainerOptions& options, int64_t processes);

/// Makes the task with batches of so many tokens.
using TaskOfBatches = std::function<std::unique_ptr<TrainingTask>(int64_t batch_tokens)>;

/// The largest batch, in tokens, that fits into memory; 0 if none does. On the CPU, sizes whose
/// extrapolated memory exceeds this process's share of nine tenths of the available memory are not
/// tried; on other devices sizes are tried until the allocator fails.
int64_t find_batch(const TaskOfBatches& make_task, bool on_cpu, uint64_t seed, int64_t processes);

}  // namespace dietmt::training
