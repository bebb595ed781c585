// The protocols of the papers: each learning rate with several seeds, the median or mean over the
// seeds, the best rate by it. Ke et al. 2021 (section 4.1) take the best checkpoint of a run and
// the median; Wang et al. 2021 the mean, on GLUE after the last epoch.
//
//   OUTPUT/runs/lr-2e-05-seed-1/   one run; result.json in it when it has ended
//   OUTPUT/best/                   the model of the run with the highest score so far
//   OUTPUT/results.json            the scores of all runs
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/tasks/task_metrics.h"
#include "data/tasks/task_table.h"
#include "training/loop/trainer.h"

namespace dietmt::bert {

struct RunSetting {
  double learning_rate = 0.0;
  int64_t seed = 0;
};

/// The scores of the checkpoint of a run that counts.
struct RunResult {
  RunSetting setting;
  int64_t update = 0;
  data::Scores scores;
};

/// What stands for the runs of a learning rate.
enum class SeedStatistic { kMedian, kMean };

/// "median" or "mean".
std::string name_of(SeedStatistic statistic);

struct RateSummary {
  double learning_rate = 0.0;
  data::Scores scores;          // the statistic over the seeds, score by score
  data::Scores deviations;      // sample standard deviations; empty with a single seed
  std::vector<RunResult> runs;  // by seed
};

struct ProtocolSummary {
  std::string metric;  // the higher the better
  SeedStatistic statistic = SeedStatistic::kMedian;
  std::vector<RateSummary> rates;  // in the given order, at least one
  size_t best = 0;                 // the rate with the highest score, the first of equals
  const RateSummary& best_rate() const { return rates[best]; }
};

struct ProtocolOptions {
  std::filesystem::path output;
  std::vector<double> learning_rates;
  std::vector<int64_t> seeds;
  std::string metric;
  std::map<std::string, std::string> configuration;  // common to all runs
  uint64_t data_hash = 0;                            // of training and validation data
  uint64_t model_hash = 0;                           // of the model that all runs start from
  SeedStatistic statistic = SeedStatistic::kMedian;
  bool last_counts = false;  // the last checkpoint of a run instead of the best
};

/// Throws ConfigError if the runs in `output` would replace files of a training run or of the
/// model directory `start`.
void require_output_for_runs(const std::filesystem::path& output,
                             const std::filesystem::path& start);

/// Trains one run in `directory`, from its newest checkpoint if there is one.
using TrainRun =
    std::function<training::TrainingEnd(const RunSetting&, const std::filesystem::path& directory)>;

/// Runs the settings without a result, rate by rate. After each run it stores the result, keeps the
/// model in OUTPUT/best if it is the best so far, and removes the checkpoints. Returns nothing
/// after a signal; the same call continues. The caller holds the OutputLock of OUTPUT. Throws
/// ConfigError if a result was made under another configuration, from another model or with other
/// data.
std::optional<ProtocolSummary> run_protocol(const ProtocolOptions& options, const TrainRun& train);

/// Removes the files of run_protocol() in `output`.
void discard_runs(const std::filesystem::path& output);

/// Summarises the results of all runs.
ProtocolSummary summarise(const std::vector<RunResult>& results, const std::string& metric,
                          SeedStatistic statistic);

/// The middle one, or the mean of the two in the middle; there is at least one.
double median(std::vector<double> values);

/// The tables that `dietmt bert finetune` prints: tab-separated, scores in percent. This one has a
/// line for each learning rate: median, or mean and standard deviation, and every seed's score, of
/// the metric that chooses. The best rate has a star.
std::string rate_table(const std::string& task, const ProtocolSummary& summary);

struct TaskScores {
  data::Task task;
  data::Scores scores;  // at the best learning rate
};

/// Header and row of each table: that of Ke et al. 2021, the first metric of each task of GLUE, and
/// that of Wang et al. 2021 with their metrics (of MNLI the mismatched set), where they have the
/// tasks; that of Chen et al. 2021 for tasks of XTREME, with F1 and exact match, and the average of
/// all numbers in it. For one task, which would look like the papers' own scores, and for tasks
/// that are not GLUE's, the first row is called the main metric. A task with several metrics or
/// sets has them all in its column ("84.93/84.91"), one in several languages their mean. Several
/// tasks of GLUE have their average: of all scores in the row, MNLI's two apart as in Ke et al.,
/// without WNLI, which the papers leave out.
std::string paper_rows(const std::vector<TaskScores>& tasks, SeedStatistic statistic);

}  // namespace dietmt::bert
