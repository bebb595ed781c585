#include "training/loop/run_record.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "reporting/progress.h"
#include "reporting/report.h"

namespace dietmt::training {

RunRecord::RunRecord(const TrainerOptions& options, const Configuration& configuration,
                     const TrainingState& state)
    : options_(options),
      progress_({.output = options.output, .log_interval = options.log_interval}, state.update) {
  nlohmann::json settings = {{"title", options_.output.filename().string()},
                             {"settings", configuration}};
  for (const nlohmann::json& change : state.changes) {
    nlohmann::json& earlier = settings["settings"]["earlier values"][change.at("option")];
    const std::string text = earlier.is_null() ? "" : earlier.get<std::string>() + ", ";
    earlier =
        text + change.at("was").get<std::string>() + " to update " + change.at("update").dump();
  }
  write_file_atomically(options_.output / "settings.json", settings.dump(1) + "\n");
}

void RunRecord::update(reporting::UpdateStats stats) {
  stats.last = last_update(stats);
  progress_.update(stats);
}

void RunRecord::validation(int64_t update, double seconds,
                           const std::map<std::string, double>& scores) {
  progress_.validation({update, seconds, {scores.begin(), scores.end()}});
  write_curves();
}

void RunRecord::finish() {
  progress_.finish();
  write_curves();
}

// The update at which a limit ends the training, estimated from the epochs so far.
int64_t RunRecord::last_update(const reporting::UpdateStats& stats) {
  const double epochs = stats.epoch / static_cast<double>(stats.update);  // of an update
  if (options_.max_epochs > 0) {
    const double updates = std::ceil(static_cast<double>(options_.max_epochs) / epochs);
    return static_cast<int64_t>(std::min(static_cast<double>(options_.max_updates), updates));
  }
  constexpr double kManyEpochs = 1000;
  const double all = epochs * static_cast<double>(options_.max_updates);
  if (all >= kManyEpochs && !warned_)
    spdlog::warn("--max-updates {} is {:.0f} epochs of this text", options_.max_updates, all);
  warned_ = true;
  return options_.max_updates;
}

void RunRecord::write_curves() const {
  reporting::write_report(options_.output);
  reporting::write_progress_table(options_.output);
}

}  // namespace dietmt::training
