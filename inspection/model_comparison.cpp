#include "inspection/model_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "inspection/text_table.h"
#include "metrics/samples.h"
#include "reporting/comparison.h"
#include "reporting/progress_bar.h"
#include "reporting/report.h"
#include "reporting/run_curves.h"

namespace dietmt::inspection {
namespace {

std::string cell(double value, int digits = 4) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

TextRows indicator_rows(const std::vector<ModelFacts>& models) {
  std::vector<std::string> names;
  for (const ModelFacts& model : models)
    for (const auto& [name, unused] : model.indicators)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  if (names.empty()) return {};
  TextRows rows{{"model"}};
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (const ModelFacts& model : models) {
    auto& row = rows.emplace_back(1, model.name);
    for (const std::string& name : names) {
      const auto found = model.indicators.find(name);
      row.push_back(found == model.indicators.end() ? "-" : cell(found->second));
    }
  }
  return rows;
}

TextRows score_rows(const std::vector<ModelFacts>& models) {
  TextRows rows{{"task", "metric", "model", "runs", "mean", "deviation", "difference", "p"}};
  for (const auto& [task, metric] : measured(models)) {
    const int digits = reporting::is_loss(metric) ? 4 : 2;
    const std::vector<double>& baseline = scores_of(models.front(), task, metric);
    for (const ModelFacts& model : models) {
      const std::vector<double>& values = scores_of(model, task, metric);
      if (values.empty()) continue;
      auto& row = rows.emplace_back();
      row = {task,
             metric,
             model.name,
             std::to_string(values.size()),
             cell(metrics::mean_of(values), digits),
             cell(metrics::deviation_of(values), digits)};
      const bool is_baseline = &model == &models.front();
      const double difference = metrics::mean_of(values) - metrics::mean_of(baseline);
      row.push_back(is_baseline ? "-" : cell(difference, digits));
      row.push_back(is_baseline ? "-" : cell(metrics::welch_p(values, baseline)));
    }
  }
  return rows.size() > 1 ? rows : TextRows{};
}

TextRows cost_rows(const std::vector<ModelFacts>& models) {
  const auto count = [](double value) {
    return value > 0 ? reporting::count_text(value) : std::string("-");
  };
  TextRows rows{{"model", "parameters", "updates", "time", "tokens/s"}};
  bool is_known = false;
  for (const ModelFacts& model : models) {
    is_known |= model.updates > 0;
    rows.push_back({model.name, count(model.parameters), count(model.updates),
                    model.updates > 0 ? reporting::duration_text(model.seconds) : "-",
                    count(model.tokens_per_second)});
  }
  return is_known ? rows : TextRows{};
}

std::string position_charts(const std::vector<ModelFacts>& models) {
  reporting::Chart attention{"mean attention by offset", "key minus query", "", {}, true};
  reporting::Chart opr{"OPR of the nearest offsets", "reach", "", {}, true};
  reporting::Chart db{"DB of the nearest offsets", "reach", "", {}};
  for (const ModelFacts& model : models) {
    const auto& by_offset = model.attention_by_offset;
    const auto n = (static_cast<double>(by_offset.size()) + 1) / 2;
    auto& curve = attention.series.emplace_back(reporting::Series{model.name, {}});
    for (size_t k = 0; k < by_offset.size(); ++k)
      curve.points.push_back({static_cast<double>(k) + 1 - n, by_offset[k]});
    for (const auto& [name, chart] : {std::pair{"opr", &opr}, std::pair{"db", &db}}) {
      auto& series = chart->series.emplace_back(reporting::Series{model.name, {}});
      const auto found = model.by_reach.find(name);
      if (found == model.by_reach.end()) continue;
      for (size_t k = 0; k < found->second.size(); ++k)
        series.points.push_back({static_cast<double>(k + 1), found->second[k]});
    }
  }
  const std::string figures =
      reporting::figure(attention) + reporting::figure(opr) + reporting::figure(db);
  return figures.empty() ? "" : "<section class='charts'>\n" + figures + "</section>\n";
}

// Curves of training, if all models have them.
std::string training_charts(const std::vector<ModelFacts>& models) {
  std::vector<std::filesystem::path> runs;
  for (const ModelFacts& model : models)
    for (const std::filesystem::path& run : model.runs) {
      if (!std::filesystem::exists(run / "progress.jsonl")) return "";
      runs.push_back(run);
    }
  return runs.empty() ? "" : reporting::comparison_charts(runs);
}

}  // namespace

std::string comparison_text(const std::vector<ModelFacts>& models) {
  std::string text;
  for (const TextRows& rows : {indicator_rows(models), score_rows(models), cost_rows(models)})
    if (!rows.empty()) text += (text.empty() ? "" : "\n") + tab_separated(rows);
  return text;
}

nlohmann::ordered_json comparison_json(const std::vector<ModelFacts>& models) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModelFacts& model : models) {
    nlohmann::ordered_json item{{"model", model.name},
                                {"indicators", model.indicators},
                                {"by_reach", model.by_reach},
                                {"attention_by_offset", model.attention_by_offset}};
    auto& scores = item["scores"] = nlohmann::ordered_json::array();
    for (const reporting::TaskScores& task : model.scores) {
      nlohmann::ordered_json score{{"task", task.task},
                                   {"metric", task.metric},
                                   {"values", task.values},
                                   {"mean", metrics::mean_of(task.values)},
                                   {"deviation", metrics::deviation_of(task.values)}};
      if (&model != &models.front())
        score["p"] =
            metrics::welch_p(task.values, scores_of(models.front(), task.task, task.metric));
      scores.push_back(std::move(score));
    }
    item["parameters"] = model.parameters;
    item["updates"] = model.updates;
    item["seconds"] = model.seconds;
    list.push_back(std::move(item));
  }
  return list;
}

std::string comparison_page(const std::vector<ModelFacts>& models) {
  return reporting::report_page(
      "Models",
      html_table("Indicators of positions", indicator_rows(models)) + position_charts(models) +
          html_table("Scores; p: Welch's t-test against the first model", score_rows(models)) +
          html_table("Cost", cost_rows(models)) + training_charts(models));
}

}  // namespace dietmt::inspection
