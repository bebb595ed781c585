#include "training/loop/run_record.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/text_io.h"
#include "reporting/progress.h"
#include "reporting/report.h"

namespace dietmt::training {
namespace {

// The last name of a path that may end in a slash or a dot.
std::string title_of(const std::filesystem::path& output) {
  const std::filesystem::path path = std::filesystem::absolute(output / "").lexically_normal();
  return replace_invalid_utf8(path.parent_path().filename().string());
}

}  // namespace

RunRecord::RunRecord(const TrainerOptions& options, const Configuration& configuration,
                     const TrainingState& state)
    : options_(options),
      progress_({.output = options.output, .log_interval = options.log_interval}, state.update) {
  nlohmann::json settings = {{"title", title_of(options_.output)}, {"settings", configuration}};
  for (const nlohmann::json& change : state.changes) {
    nlohmann::json& earlier = settings["settings"]["earlier values"][change.at("option")];
    const std::string text = earlier.is_null() ? "" : earlier.get<std::string>() + ", ";
    earlier =
        text + change.at("was").get<std::string>() + " to update " + change.at("update").dump();
  }
  if (state.threads > 0) settings["settings"]["threads"] = std::to_string(state.threads);
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

// The update at which a limit will end training, estimated from the epochs so far.
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

// A failure to write curves must not end a training run.
void RunRecord::write_curves() {
  try {
    reporting::write_report(options_.output);
    reporting::write_progress_table(options_.output);
    complained_ = false;
  } catch (const std::exception& error) {
    if (!complained_) spdlog::warn("the curves are not written: {}", error.what());
    complained_ = true;
  }
}

}  // namespace dietmt::training
