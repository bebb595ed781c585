// A training command's part in a training of several processes.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus/epoch_batches.h"
#include "storage/output_lock.h"
#include "training/distributed/process_group.h"
#include "training/processes/process_place.h"

namespace dietmt::training {

/// What a command asks of its processes.
struct ProcessOptions {
  std::string device = "cpu";        // "cuda": the GPU of the process's local rank
  int64_t threads = 0;               // of a process; 0: share the cores of the machine
  int64_t processes = 1;             // to start on this machine
  int64_t accumulate = 1;            // batches per update, over all processes
  std::filesystem::path output;      // directory that all share
  std::vector<std::string> inputs;   // files that every process reads
  Configuration configuration = {};  // options that all must have in common
};

/// With `processes` above 1: runs this program in them with the words of its command line and
/// returns the exit code. Throws ConfigError if a launcher has started several processes already,
/// an update has fewer batches than processes, or an input is not a regular file.
std::optional<int> run_in_processes(const ProcessOptions& options,
                                    const std::vector<std::string>& words);

/// This process, connected to the others.
struct TrainingProcess {
  c10::Device device = c10::kCPU;
  int64_t threads = 1;
  data::BatchShare share;
  std::unique_ptr<storage::OutputLock> lock;  // held by the first process
  std::unique_ptr<ProcessGroup> group;        // null if there is only one process

  bool is_first() const { return training::is_first(group.get()); }
};

/// Finds the place that a launcher gave to this process, sets device and threads, waits for the
/// other processes, locks the output directory and makes `data` in it. All but the first process
/// log only warnings. Throws ConfigError if an input of several processes is not a regular file or
/// the configurations differ, Error if the processes do not share the output directory.
TrainingProcess join_training(const ProcessOptions& options);

/// Throws ConfigError if an update of `accumulate` batches has too few for all processes.
void require_batches_for(int64_t processes, int64_t accumulate);

/// Throws ConfigError, which names the command, if a launcher has started several processes.
void require_one_process(const std::string& command);

}  // namespace dietmt::training
