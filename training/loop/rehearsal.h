// Time and memory of a training, measured on its first batches: --dry-run and --find-batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "training/loop/trainer.h"

namespace dietmt::training {

/// Memory as a linear function of the tokens of a batch, fitted to measurements.
class MemoryLine {
 public:
  void add(int64_t tokens, int64_t bytes);

  /// Bytes for `tokens`; before two sizes were measured, those of the largest so far.
  int64_t predict(int64_t tokens) const;

 private:
  struct Point {
    int64_t tokens = 0;
    int64_t bytes = 0;
  };
  Point before_, last_;
};

/// The largest size from `smallest` to `largest` for which `fits` holds, to an eighth of it: sizes
/// are doubled until one does not fit, and the gap is halved three times. 0: not even the smallest.
/// `fits` is asked for no size larger than one that does not fit.
int64_t largest_fitting(int64_t smallest, int64_t largest,
                        const std::function<bool(int64_t)>& fits);

struct Rehearsal {
  double seconds = 0;  // of a batch: the fastest; on a device the mean of all but the first
  double tokens = 0;   // of a batch, the mean: those of progress
  double batches_per_epoch = 0;
  int64_t peak_memory = 0;  // bytes, of the process or the device, with the state of the optimiser
  bool has_graphs = false;  // the device: they would make training faster and take more memory
};

/// Runs `batches` batches forward and backward as one of `processes`, without an update and without
/// graphs of the device. Throws Stopped after a signal.
Rehearsal rehearse(TrainingTask& task, int64_t batches, const TrainerOptions& options,
                   int64_t processes);

/// A few lines for the user: size, memory, epochs and time.
std::string rehearsal_text(const Rehearsal& rehearsal, int64_t parameters,
                           const TrainerOptions& options, int64_t processes);

/// Makes the task with batches of so many tokens.
using TaskOfBatches = std::function<std::unique_ptr<TrainingTask>(int64_t batch_tokens)>;

/// The largest batch, in tokens, that fits into memory, at most 65,536 and no larger than one that
/// holds the whole training text; 0 if none fits. On the CPU, sizes whose extrapolated memory
/// exceeds this process's share of nine tenths of the available memory are not tried; on other
/// devices sizes are tried until the allocator fails.
int64_t find_batch(const TaskOfBatches& make_task, bool on_cpu, const TrainerOptions& options,
                   int64_t processes);

}  // namespace dietmt::training
