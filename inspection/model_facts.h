// What comparisons of models read of each: the indicators of its positions, the scores of its
// tasks, and what it cost. A model may be several runs with different seeds.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inspection/position_report.h"
#include "reporting/task_results.h"

namespace dietmt::inspection {

struct ModelFacts {
  std::string name;
  std::vector<std::filesystem::path> runs;

  /// By the names of JSON reports, "aiv": of the encoder, means over its heads; of other attention
  /// with its name in front, "decoder aiv"; of sentences between [CLS] and [SEP], "framed aiv".
  /// NaN: undefined. Empty: there is no model.
  std::map<std::string, double> indicators;
  /// Indicators of the encoder by reach, from 1 on: "opr", "db", "framed opr", "framed db".
  std::map<std::string, std::vector<double>> by_reach;
  /// Mean attention of the encoder by offset (key minus query) from 1 - n on, over all heads.
  std::vector<double> attention_by_offset;

  /// A value for each seed of fine-tuning, or, of several runs, the mean of each. Best scores on
  /// validation are of the task "validation".
  std::vector<reporting::TaskScores> scores;

  // Means over the runs; 0: unknown.
  double parameters = 0, updates = 0, seconds = 0, tokens_per_second = 0;
};

/// `models`: directories of runs or of models; commas separate the runs of one. Throws
/// CheckpointError for one with nothing to compare, ConfigError for an empty name, and as
/// position_report() and read_task_scores() do.
std::vector<ModelFacts> read_models(const std::vector<std::string>& models,
                                    const PositionReportOptions& options);

void add_positions(const PositionReport& report, ModelFacts& facts);

/// The scores of a task and metric; none if the model has none.
const std::vector<double>& scores_of(const ModelFacts& model, const std::string& task,
                                     const std::string& metric);

/// Tasks and metrics of all models in the order of their first appearance.
std::vector<std::pair<std::string, std::string>> measured(const std::vector<ModelFacts>& models);

}  // namespace dietmt::inspection
