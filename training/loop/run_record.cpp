#include "training/loop/run_record.h"

#include <fmt/chrono.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/process.h"
#include "common/text_io.h"
#include "common/version.h"
#include "reporting/progress.h"
#include "reporting/report.h"

namespace dietmt::training {
namespace {

// The last name of a path that may end in a slash or a dot.
std::string title_of(const std::filesystem::path& output) {
  const std::filesystem::path path = std::filesystem::absolute(output / "").lexically_normal();
  return replace_invalid_utf8(path.parent_path().filename().string());
}

std::string machine() {
  constexpr size_t kLongest = 256;
  char name[kLongest] = "";
  gethostname(name, kLongest - 1);
  return fmt::format("{}, {} cores", replace_invalid_utf8(name), usable_cores());
}

// Facts of this start, except that a resumed run keeps the time of its first one.
nlohmann::ordered_json facts_of_run(const std::filesystem::path& file, bool is_resumed,
                                    const RunFacts& facts) {
  std::string started = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  if (is_resumed && std::filesystem::exists(file)) {
    const auto before = nlohmann::json::parse(read_file(file), nullptr, false);
    if (before.is_object() && before.contains("run")) started = before["run"].value("started", "");
  }
  nlohmann::ordered_json run = {
      {"version", version_line()}, {"started", started}, {"machine", machine()}};
  if (facts.parameters > 0) run["parameters"] = facts.parameters;
  if (!facts.data.empty()) run["training data"] = facts.data;
  return run;
}

}  // namespace

RunRecord::RunRecord(const TrainerOptions& options, const Configuration& configuration,
                     const TrainingState& state, const RunFacts& facts)
    : options_(options),
      progress_({.output = options.output, .log_interval = options.log_interval}, state.update) {
  const std::filesystem::path file = options_.output / "settings.json";
  nlohmann::ordered_json settings = {{"title", title_of(options_.output)},
                                     {"run", facts_of_run(file, state.update > 0, facts)},
                                     {"settings", configuration},
                                     {"defaults", options_.defaulted}};
  for (const nlohmann::json& change : state.changes) {
    nlohmann::ordered_json& earlier = settings["settings"]["earlier values"][change.at("option")];
    const std::string text = earlier.is_null() ? "" : earlier.get<std::string>() + ", ";
    earlier =
        text + change.at("was").get<std::string>() + " to update " + change.at("update").dump();
  }
  if (state.threads > 0) settings["settings"]["threads"] = std::to_string(state.threads);
  write_file_atomically(file, settings.dump(1) + "\n");
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
