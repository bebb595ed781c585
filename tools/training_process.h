// A training command's part in a training on several processes (training/distributed/).
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/corpus/batch_share.h"
#include "storage/output_lock.h"
#include "tools/training_options.h"
#include "training/distributed/process_group.h"

namespace dietmt::tools {

/// Where --processes asks for several: runs this command, whose words are given, in them and
/// returns the exit code. Throws ConfigError where a launcher has started several already, there
/// are fewer batches in an update, or one of the `inputs` is not a file, which all can read.
std::optional<int> run_in_processes(const TrainingOptions& o,
                                    const std::vector<std::string>& inputs,
                                    std::vector<std::string> command,
                                    const std::vector<std::string>& arguments);

/// This process, with the others.
struct TrainingProcess {
  c10::Device device = c10::kCPU;
  int64_t threads = 1;
  data::BatchShare share;
  std::unique_ptr<storage::OutputLock> lock;      // of the first process
  std::unique_ptr<training::ProcessGroup> group;  // null for one process alone

  bool is_first() const { return training::is_first(group.get()); }
};

/// Finds the place that a launcher has given to this process, sets device and threads, waits for
/// the others, locks the output directory and makes the folder `data` in it. All but the first log
/// warnings alone. `inputs` are the files that each process reads, `table` its options: ConfigError
/// if a file can be read only once, or the options are not those of the first process. Throws Error
/// if the processes do not share the output directory.
TrainingProcess join_training(const OptionTable& table, const TrainingOptions& o,
                              const std::filesystem::path& output,
                              const std::vector<std::string>& inputs);

/// Throws ConfigError, which names the command, where a launcher has started several processes.
void require_one_process(const std::string& command);

}  // namespace dietmt::tools
