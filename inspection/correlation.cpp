#include "inspection/correlation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "inspection/text_table.h"
#include "metrics/glue_scores.h"
#include "metrics/samples.h"
#include "reporting/report.h"
#include "reporting/run_curves.h"

namespace dietmt::inspection {
namespace {

using nlohmann::ordered_json;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double cell_value(const std::string& text, const std::string& place) {
  if (text.empty() || text == "-") return kMissing;
  if (const auto value = number_in<double>(text)) return *value;
  throw DataError(place + ": '" + text + "' is not a number");
}

// Over the models that have both.
Correlation correlate(const Column& indicator, const Column& score) {
  std::vector<double> x, y;
  for (size_t i = 0; i < indicator.values.size(); ++i) {
    if (!std::isfinite(indicator.values[i]) || !std::isfinite(score.values[i])) continue;
    x.push_back(indicator.values[i]);
    y.push_back(score.values[i]);
  }
  Correlation found{indicator.name, score.name, x.size()};
  const bool is_defined = x.size() >= 3;
  found.pearson = is_defined ? metrics::pearson(x, y) : kMissing;
  found.spearman = is_defined ? metrics::spearman(x, y) : kMissing;
  found.pearson_p = metrics::correlation_p(found.pearson, x.size());
  found.spearman_p = metrics::correlation_p(found.spearman, x.size());
  return found;
}

std::string coefficient(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

std::string p_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

std::vector<std::string> cells_of(const Correlation& one) {
  return {one.indicator,
          one.score,
          std::to_string(one.models),
          coefficient(one.pearson),
          p_text(one.pearson_p),
          coefficient(one.spearman),
          p_text(one.spearman_p)};
}

TextRows rows_of(const std::vector<Correlation>& all) {
  TextRows rows{{"indicator", "score", "models", "Pearson", "p", "Spearman", "p"}};
  for (const Correlation& one : all) rows.push_back(cells_of(one));
  return rows;
}

// Columns 0, 1, ... of curves that may have different lengths.
std::vector<Column> reach_columns(const std::string& name, const std::vector<ModelFacts>& models) {
  const auto curve_of = [&](const ModelFacts& model) {
    const auto found = model.by_reach.find(name);
    return found == model.by_reach.end() ? std::vector<double>{} : found->second;
  };
  std::vector<Column> columns;
  for (size_t m = 0; m < models.size(); ++m) {
    const std::vector<double> curve = curve_of(models[m]);
    for (size_t k = columns.size(); k < curve.size(); ++k)
      columns.push_back(
          {fmt::format("{} {}", name, k + 1), std::vector<double>(models.size(), kMissing)});
    for (size_t k = 0; k < curve.size(); ++k) columns[k].values[m] = curve[k];
  }
  return columns;
}

}  // namespace

CorrelationData correlation_data(const std::vector<ModelFacts>& models) {
  CorrelationData data;
  std::vector<std::string> names;
  for (const ModelFacts& model : models)
    for (const auto& [name, unused] : model.indicators)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  for (const std::string& name : names) {
    Column& column = data.indicators.emplace_back(Column{name, {}});
    for (const ModelFacts& model : models) {
      const auto found = model.indicators.find(name);
      column.values.push_back(found == model.indicators.end() ? kMissing : found->second);
    }
  }
  for (const auto& [task, metric] : measured(models)) {
    Column& column = data.scores.emplace_back(Column{task + " " + metric, {}});
    for (const ModelFacts& model : models)
      column.values.push_back(metrics::mean_of(scores_of(model, task, metric)));
  }
  for (const ModelFacts& model : models)
    for (const auto& [name, unused] : model.by_reach)
      if (!data.by_reach.contains(name)) data.by_reach[name] = reach_columns(name, models);
  return data;
}

CorrelationData read_correlation_data(const std::filesystem::path& table,
                                      const std::vector<std::string>& indicators) {
  LineReader reader(table.string());
  std::string line;
  const auto next_line = [&] {
    const bool is_there = reader.next(line);
    if (line.ends_with('\r')) line.pop_back();
    return is_there;
  };
  next_line();
  const std::vector<std::string> header = split_text(line, '\t');
  for (const std::string& name : indicators)
    if (std::find(header.begin() + 1, header.end(), name) == header.end())
      throw ConfigError("--indicators has '" + name + "', but " + table.string() +
                        " has no such column");
  std::vector<Column> columns;
  for (const std::string& name : header) columns.push_back({name, {}});
  while (next_line()) {
    const std::vector<std::string> cells = split_text(line, '\t');
    if (cells.size() != header.size())
      throw DataError(fmt::format("{}: there are {} columns; the header has {}", reader.where(),
                                  cells.size(), header.size()));
    for (size_t k = 1; k < cells.size(); ++k)
      columns[k].values.push_back(cell_value(cells[k], reader.where()));
  }
  CorrelationData data;
  for (size_t k = 1; k < columns.size(); ++k) {
    const bool is_indicator = std::ranges::find(indicators, header[k]) != indicators.end();
    (is_indicator ? data.indicators : data.scores).push_back(std::move(columns[k]));
  }
  return data;
}

std::vector<Correlation> correlations(const CorrelationData& data) {
  std::vector<Correlation> all;
  for (const Column& indicator : data.indicators)
    for (const Column& score : data.scores) all.push_back(correlate(indicator, score));
  return all;
}

std::string correlation_text(const std::vector<Correlation>& all) {
  return tab_separated(rows_of(all));
}

ordered_json correlation_json(const CorrelationData& data) {
  ordered_json json;
  ordered_json& list = json["correlations"] = ordered_json::array();
  for (const Correlation& one : correlations(data))
    list.push_back({{"indicator", one.indicator},
                    {"score", one.score},
                    {"models", one.models},
                    {"pearson", one.pearson},
                    {"pearson_p", one.pearson_p},
                    {"spearman", one.spearman},
                    {"spearman_p", one.spearman_p}});
  ordered_json& curves = json["pearson_by_reach"] = ordered_json::array();
  for (const auto& [name, columns] : data.by_reach)
    for (const Column& score : data.scores) {
      std::vector<double> values;
      for (const Column& column : columns) values.push_back(correlate(column, score).pearson);
      curves.push_back({{"indicator", name}, {"score", score.name}, {"values", values}});
    }
  return json;
}

std::string correlation_page(const CorrelationData& data) {
  std::string figures;
  for (const auto& [name, columns] : data.by_reach) {
    reporting::Chart chart{
        "Pearson's r of scores with " + name + " of the nearest offsets", "reach", "", {}};
    for (const Column& score : data.scores) {
      auto& series = chart.series.emplace_back(reporting::Series{score.name, {}});
      for (size_t k = 0; k < columns.size(); ++k)
        series.points.push_back({static_cast<double>(k + 1), correlate(columns[k], score).pearson});
    }
    figures += reporting::figure(chart);
  }
  if (!figures.empty()) figures = "<section class='charts'>\n" + figures + "</section>\n";
  return reporting::report_page("Indicators and scores",
                                html_table("", rows_of(correlations(data))) + figures);
}

}  // namespace dietmt::inspection
