// The report of `dietmt inspect correlate`: how indicators of positions go with the scores of tasks
// over models (Wang et al. 2021, "On Position Embeddings in BERT", table 5 and figure 5).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "inspection/model_facts.h"

namespace dietmt::inspection {

/// A column of numbers, one for each model; NaN: the model lacks it.
struct Column {
  std::string name;
  std::vector<double> values;
};

struct CorrelationData {
  std::vector<Column> indicators;
  std::vector<Column> scores;
  std::map<std::string, std::vector<Column>>
      by_reach;  // an indicator's columns for reach 1, 2, ...
};

/// Means of the scores, named "task metric".
CorrelationData correlation_data(const std::vector<ModelFacts>& models);

/// Reads tab-separated values: a header, and a line for each model with its name in the first
/// column. Columns named in `indicators` are indicators, the others scores; an empty cell and "-"
/// are no value. Throws DataError that names the line, and ConfigError for an indicator that the
/// header lacks.
CorrelationData read_correlation_data(const std::filesystem::path& table,
                                      const std::vector<std::string>& indicators);

struct Correlation {
  std::string indicator;
  std::string score;
  size_t models = 0;  // that have both
  double pearson = 0, pearson_p = 0, spearman = 0, spearman_p = 0;
};

/// Those of all pairs, indicator by indicator. NaN if undefined, as for fewer than three models.
std::vector<Correlation> correlations(const CorrelationData& data);

/// A table of tab-separated values.
std::string correlation_text(const std::vector<Correlation>& all);

nlohmann::ordered_json correlation_json(const CorrelationData& data);

/// One HTML page: the table, and Pearson's r by reach.
std::string correlation_page(const CorrelationData& data);

}  // namespace dietmt::inspection
