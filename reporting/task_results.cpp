#include "reporting/task_results.h"

#include <algorithm>

#include "common/json_fields.h"
#include "reporting/run_curves.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int kLevels = 3;

// Files of results in a directory; runs of a protocol have none below them.
void find_results(const fs::path& directory, int levels, std::vector<fs::path>& found) {
  const fs::path results = directory / "results.json";
  if (fs::exists(results)) {
    found.push_back(results);
    return;
  }
  if (levels == 0) return;
  std::vector<fs::path> below;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.is_directory() && !entry.is_symlink() && entry.path().filename() != "checkpoints")
      below.push_back(entry.path());
  std::ranges::sort(below);
  for (const fs::path& path : below) find_results(path, levels - 1, found);
}

// Whether the scores have the mean over the languages that `name` is one of: "f1_de", "f1_mean".
bool is_part_of_mean(const json& scores, const std::string& name) {
  if (name.ends_with("_mean")) return false;
  for (const auto& [other, unused] : scores.items()) {
    if (!other.ends_with("_mean")) continue;
    const std::string metric = other.substr(0, other.size() - 5);
    if (name == metric || name.starts_with(metric + "_")) return true;
  }
  return false;
}

void add_scores(const fs::path& path, const json& results, std::vector<TaskScores>& all) {
  const json& rate = any_field(results, "best_learning_rate");
  const std::string task =
      field_or<std::string>(results, "task", path.parent_path().filename().string());
  for (const json& candidate : results.at("rates")) {
    if (candidate.at("learning_rate") != rate) continue;
    const json& means = object_field(candidate, "scores");
    for (const auto& [metric, unused] : means.items()) {
      if (is_loss(metric) || is_part_of_mean(means, metric)) continue;
      TaskScores& scores = all.emplace_back(TaskScores{task, metric, {}});
      for (const json& run : candidate.at("runs"))
        scores.values.push_back(run.at("scores").at(metric).get<double>());
    }
    return;
  }
  throw CheckpointError("no rate is the best_learning_rate");
}

}  // namespace

std::vector<TaskScores> read_task_scores(const fs::path& run) {
  std::vector<fs::path> found;
  if (fs::is_directory(run)) find_results(run, kLevels, found);
  std::vector<TaskScores> all;
  for (const fs::path& path : found)
    read_json_as(path, [&](const json& results) { add_scores(path, results, all); });
  return all;
}

}  // namespace dietmt::reporting
