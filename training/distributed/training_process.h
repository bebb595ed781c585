// Sets up one process of a training command, which may be one of several.
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
#include "training/processes/configuration.h"

namespace dietmt::training {

/// What a command asks of its processes.
struct ProcessOptions {
  std::string device = "cpu";        // "cuda": the GPU of the process's local rank
  int64_t threads = 0;               // per process; 0: share the machine's cores
  int64_t processes = 1;             // to start on this machine
  int64_t accumulate = 1;            // batches per update, over all processes
  std::filesystem::path output;      // directory shared by all
  std::vector<std::string> inputs;   // files that every process reads
  Configuration configuration = {};  // options that must be the same in all
};

/// If `processes` is above 1, runs this program in them with the words of its command line and
/// returns the exit code. Throws ConfigError if a launcher has already started several processes,
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

/// Finds the place that a launcher assigned to this process, sets device and threads, waits for the
/// other processes, locks the output directory and makes `data` in it. All processes except the
/// first log only warnings. With several processes, throws ConfigError if an input is not a regular
/// file or the configurations differ, and Error if they do not share the output directory.
TrainingProcess join_training(const ProcessOptions& options);

/// Throws ConfigError if an update of `accumulate` batches has too few for all processes.
void require_batches_for(int64_t processes, int64_t accumulate);

/// Throws ConfigError naming the command if a launcher has started several processes.
void require_one_process(const std::string& command);

}  // namespace dietmt::training
