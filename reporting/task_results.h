// The scores that `dietmt bert finetune` leaves in results.json, for comparisons of models.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::reporting {

/// The scores of one metric, one for each seed, at the learning rate that is the best.
struct TaskScores {
  std::string task;
  std::string metric;
  std::vector<double> values;
};

/// Those in `run` and in directories below it, by name and up to three levels down, so that the
/// output of one task, of several and a model with tasks in it are read alike. Losses are left out,
/// and scores of single languages if there is their mean. Throws CheckpointError that names the
/// file.
std::vector<TaskScores> read_task_scores(const std::filesystem::path& run);

}  // namespace dietmt::reporting
