// Time and memory of a training run, measured on its first batches: --dry-run and --find-batch.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "training/loop/trainer.h"

namespace dietmt::training {

/// Memory as a linear function of the batch's tokens, fitted to measurements.
class MemoryLine {
 public:
  void add(int64_t tokens, int64_t bytes);

  /// Bytes for `tokens`; until two sizes have been measured, those of the largest so far.
  int64_t predict(int64_t tokens) const;

 private:
  struct Point {
    int64_t tokens = 0;
    int64_t bytes = 0;
  };
  Point before_, last_;
};

/// The largest size from `smallest` to `largest` for which `fits` holds, within an eighth: doubles
/// the size until it does not fit, then halves the gap three times. 0: not even `smallest` fits.
/// Never asks about a size above one that does not fit.
int64_t largest_fitting(int64_t smallest, int64_t largest,
                        const std::function<bool(int64_t)>& fits);

struct DryRun {
  double seconds = 0;  // per batch: the fastest; on a device the mean of all except the first
  double tokens = 0;   // per batch, the mean: those of progress
  double batches_per_epoch = 0;
  int64_t peak_memory = 0;  // bytes, of the process or the device, with the optimiser's state
  bool has_graphs = false;  // whether the device has graphs: faster training, more memory
};

/// Runs `batches` batches forward and backward as one of `processes`, without an update or device
/// graphs, then task.try_validation() if it `validates`. Throws Stopped after a signal.
DryRun dry_run(TrainingTask& task, int64_t batches, const TrainerOptions& options,
               int64_t processes, bool validates);

/// A few lines for the user: size, memory, epochs and time.
std::string dry_run_text(const DryRun& tried, int64_t parameters, const TrainerOptions& options,
                         int64_t processes);

/// Makes the task with batches of this many tokens.
using TaskOfBatches = std::function<std::unique_ptr<TrainingTask>(int64_t batch_tokens)>;

/// The largest batch, in tokens, that fits in memory, at most 65,536 and no larger than one that
/// holds the whole training text; 0 if none fits. On the CPU it skips sizes whose extrapolated
/// memory exceeds this process's share of nine tenths of the available memory; on other devices it
/// tries sizes until allocation fails.
int64_t find_batch(const TaskOfBatches& make_task, bool on_cpu, const TrainerOptions& options,
                   int64_t processes);

}  // namespace dietmt::training
