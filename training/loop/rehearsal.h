// What a training will cost, found by doing its first batches: --dry-run and --find-batch.
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

/// Does `batches` batches, forward and backward, as one of `processes`; no weight moves. Throws
/// Stopped after a signal.
Rehearsal rehearse(TrainingTask& task, int64_t batches, uint64_t seed, int64_t processes);

/// What a user wants to know of it before the training begins: size, memory, epochs and time, some
/// lines.
std::string rehearsal_text(const Rehearsal& rehearsal, int64_t parameters,
                           const TrainerOptions& options, int64_t processes);

/// Makes the task with batches of so many tokens.
using TaskOfBatches = std::function<std::unique_ptr<TrainingTask>(int64_t batch_tokens)>;

/// The largest batch, in tokens, with which the training fits into memory, 0 if none does. On the
/// CPU sizes whose memory, as smaller ones let expect, is more than this process's share of nine
/// tenths of what is available are not tried; elsewhere sizes are tried until the device's
/// allocator gives up.
int64_t find_batch(const TaskOfBatches& make_task, bool on_cpu, uint64_t seed, int64_t processes);

}  // namespace dietmt::training
