#include "bert/finetuning/protocol.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "common/process.h"
#include "metrics/samples.h"
#include "storage/checkpoint.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kRuns = "runs";
constexpr const char* kBest = "best";
constexpr const char* kModel = "model";
constexpr const char* kResult = "result.json";
constexpr const char* kResults = "results.json";

fs::path run_directory(const fs::path& output, const RunSetting& setting) {
  return output / kRuns / fmt::format("lr-{}-seed-{}", setting.learning_rate, setting.seed);
}

json result_json(const RunResult& result) {
  return {{"learning_rate", result.setting.learning_rate},
          {"seed", result.setting.seed},
          {"update", result.update},
          {"scores", result.scores}};
}

RunResult result_from(const json& stored) {
  return {{stored.at("learning_rate"), stored.at("seed")},
          stored.at("update"),
          stored.at("scores").get<data::Scores>()};
}

// The runs of one protocol and their files.
class Runs {
 public:
  explicit Runs(const ProtocolOptions& options) : options_(options) {}

  // The result of a run that has ended.
  std::optional<RunResult> stored(const RunSetting& setting) const {
    const fs::path path = run_directory(options_.output, setting) / kResult;
    if (!fs::exists(path)) return std::nullopt;
    return read_json_as(path, [&](const json& stored) {
      refuse_other_configuration(object_field(stored, "configuration"), path);
      refuse_other(stored, "data", options_.data_hash, "training or validation data", path);
      refuse_other(stored, "model", options_.model_hash, "weights in --model", path);
      return result_from(stored);
    });
  }

  RunResult store(const RunSetting& setting) const {
    const fs::path directory = run_directory(options_.output, setting);
    const auto counted = counted_checkpoint(directory);
    if (!counted)
      throw CheckpointError(directory.string() + ": no checkpoint has the score '" +
                            options_.metric + "'");
    const RunResult result{setting, counted->update, counted->scores};
    json stored = result_json(result);
    stored["configuration"] = options_.configuration;
    stored["data"] = options_.data_hash;
    stored["model"] = options_.model_hash;
    write_file_atomically(directory / kResult, stored.dump(1) + "\n");
    return result;
  }

  // Keeps the model if it is the best one, and removes the checkpoints. Can be repeated after an
  // interruption at any point.
  void settle(const RunResult& result) const {
    const fs::path directory = run_directory(options_.output, result.setting);
    const auto counted = counted_checkpoint(directory);
    if (counted && is_best(result)) keep(counted->directory, result);
    for (const char* name : {"best", "last", storage::kCheckpointFolder})
      fs::remove_all(directory / name);
  }

 private:
  void refuse_other_configuration(const json& before, const fs::path& path) const {
    std::vector<std::string> found =
        training::configuration_differences(before, options_.configuration);
    if (found.empty()) return;
    found.insert(found.begin(), path.string() + " was made with other options:");
    found.push_back(
        "give the same options to continue, another --output, or --resume never to discard it");
    throw ConfigError(joined_lines(found));
  }

  // Results of earlier versions have no hashes.
  static void refuse_other(const json& stored, const char* name, uint64_t hash, const char* what,
                           const fs::path& path) {
    if (!stored.contains(name) || stored.at(name) == hash) return;
    throw ConfigError(path.string() + " was made with other " + what +
                      "; give those, another --output, or --resume never to discard it");
  }

  std::optional<storage::Checkpoint> counted_checkpoint(const fs::path& directory) const {
    std::vector<storage::Checkpoint> all = storage::whole_checkpoints(directory);
    std::erase_if(all, [&](const auto& one) { return !one.scores.contains(options_.metric); });
    if (all.empty()) return std::nullopt;
    if (options_.last_counts)
      return *std::ranges::max_element(all, {}, &storage::Checkpoint::update);
    return storage::best_of(all, {1, 1, options_.metric, true}, 1).front();
  }

  bool is_best(const RunResult& result) const {
    const fs::path kept = options_.output / kBest / kResult;
    if (!fs::exists(kept)) return true;
    return result.scores.at(options_.metric) >
           result_from(read_json(kept)).scores.at(options_.metric);
  }

  // The model without the files of training, with its run; `best` is a link to it.
  void keep(const fs::path& checkpoint, const RunResult& result) const {
    const fs::path run = run_directory(options_.output, result.setting);
    fs::remove_all(run / kModel);  // of an attempt that was killed before it was linked
    AtomicDirectory kept(run / kModel);
    for (const fs::directory_entry& entry : fs::directory_iterator(checkpoint)) {
      const std::string name = entry.path().filename().string();
      const bool of_training =
          name.starts_with("training.") || name == "checkpoint.json" || name == "manifest.json";
      if (!of_training) fs::copy_file(entry.path(), kept.path() / name);
    }
    write_file_atomically(kept.path() / kResult, result_json(result).dump(1) + "\n");
    kept.commit();
    const fs::path best = options_.output / kBest;
    if (!fs::is_symlink(best)) fs::remove_all(best);  // earlier versions kept the model there
    storage::replace_link(best, fs::path(kRuns) / run.filename() / kModel);
    for (const fs::directory_entry& other : fs::directory_iterator(options_.output / kRuns))
      if (other.path() != run) fs::remove_all(other.path() / kModel);
  }

  const ProtocolOptions& options_;
};

void write_results(const ProtocolOptions& options, const ProtocolSummary& summary) {
  json rates = json::array();
  for (const RateSummary& rate : summary.rates) {
    json runs = json::array();
    for (const RunResult& run : rate.runs) runs.push_back(result_json(run));
    rates.push_back({{"learning_rate", rate.learning_rate},
                     {"scores", rate.scores},
                     {"deviations", rate.deviations},
                     {"runs", runs}});
  }
  json results = {{"metric", summary.metric},
                  {"statistic", name_of(summary.statistic)},
                  {"best_learning_rate", summary.best_rate().learning_rate},
                  {"rates", rates}};
  const auto task = options.configuration.find("task");
  if (task != options.configuration.end()) results["task"] = task->second;
  write_file_atomically(options.output / kResults, results.dump(1) + "\n");
}

void summarise_runs(SeedStatistic statistic, RateSummary& rate) {
  for (const auto& [name, unused] : rate.runs.front().scores) {
    std::vector<double> values;
    for (const RunResult& run : rate.runs) values.push_back(run.scores.at(name));
    rate.scores[name] =
        statistic == SeedStatistic::kMean ? metrics::mean_of(values) : median(values);
    if (values.size() > 1) rate.deviations[name] = metrics::deviation_of(values);
  }
}

bool is_inside(const fs::path& path, const fs::path& directory) {
  const fs::path relative =
      fs::weakly_canonical(path).lexically_relative(fs::weakly_canonical(directory));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

void require_output_for_runs(const fs::path& output, const fs::path& start) {
  const auto refuse = [&](const std::string& what) {
    throw ConfigError("--output " + output.string() + what + "; give another directory");
  };
  if (fs::exists(output / "config.json")) refuse(" is a model directory");
  if (fs::exists(output / storage::kCheckpointFolder)) refuse(" is the output of a training run");
  for (const char* name : {kBest, kRuns})
    if (is_inside(start, output / name)) refuse(" has --model among the files of its runs");
}

std::optional<ProtocolSummary> run_protocol(const ProtocolOptions& options, const TrainRun& train) {
  const Runs runs(options);
  std::vector<RunResult> results;
  for (const double rate : options.learning_rates) {
    for (const int64_t seed : options.seeds) {
      const RunSetting setting{rate, seed};
      std::optional<RunResult> result = runs.stored(setting);
      if (!result) {
        const fs::path directory = run_directory(options.output, setting);
        spdlog::info("learning rate {:g}, seed {}: {}", rate, seed, directory.string());
        if (stop_requested()) return std::nullopt;
        if (train(setting, directory) == training::TrainingEnd::kStopped) return std::nullopt;
        result = runs.store(setting);
      }
      runs.settle(*result);
      results.push_back(*result);
      write_results(options, summarise(results, options.metric, options.statistic));
    }
  }
  return summarise(results, options.metric, options.statistic);
}

void discard_runs(const fs::path& output) {
  for (const char* name : {kRuns, kBest, kResults}) fs::remove_all(output / name);
}

ProtocolSummary summarise(const std::vector<RunResult>& results, const std::string& metric,
                          SeedStatistic statistic) {
  ProtocolSummary summary{metric, statistic, {}, 0};
  for (const RunResult& result : results) {
    const double rate = result.setting.learning_rate;
    if (summary.rates.empty() || summary.rates.back().learning_rate != rate)
      summary.rates.push_back({rate, {}, {}, {}});
    summary.rates.back().runs.push_back(result);
  }
  for (RateSummary& rate : summary.rates) summarise_runs(statistic, rate);
  for (size_t i = 1; i < summary.rates.size(); ++i)
    if (summary.rates[i].scores.at(metric) > summary.best_rate().scores.at(metric))
      summary.best = i;
  return summary;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

}  // namespace dietmt::bert
