#include "inspection/model_facts.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "inspection/text_table.h"
#include "metrics/samples.h"
#include "reporting/comparison.h"
#include "reporting/run_curves.h"

namespace dietmt::inspection {
namespace fs = std::filesystem;
namespace {

using nlohmann::ordered_json;
using reporting::TaskScores;

constexpr const char* kValidation = "validation";
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

bool has_model(const fs::path& run) {
  return fs::exists(run / "config.json") || fs::exists(run / "best") || fs::exists(run / "last");
}

double number_of(const ordered_json& value) {
  return value.is_number() ? value.get<double>() : kUndefined;
}

// Mean attention to each offset, the most distant key on the left first.
std::vector<double> attention_by_offset(const std::vector<HeadAttention>& heads) {
  at::Tensor sum = heads.front().probabilities.clone();
  for (size_t h = 1; h < heads.size(); ++h) sum += heads[h].probabilities;
  const auto count = static_cast<double>(heads.size());
  std::vector<double> means;
  for (int64_t offset = 1 - sum.size(0); offset < sum.size(0); ++offset)
    means.push_back(sum.diagonal(offset).mean().item<double>() / count);
  return means;
}

// Sentences of one word, by themselves or between [CLS] and [SEP].
void add_sentences(const SiteReport& site, const std::vector<HeadAttention>& heads,
                   const std::string& prefix, ModelFacts& facts) {
  if (heads.empty()) return;
  const bool is_encoder = site.name == "encoder";
  const encoders::AttentionIndicators means = mean_of(heads);
  const std::string start = (is_encoder ? "" : site.name + " ") + prefix;
  for (const auto& [name, value] : named(means))
    facts.indicators[start + name] = std::isfinite(value) ? value : kUndefined;
  if (!is_encoder) return;
  facts.by_reach[prefix + "opr"] = means.opr_by_reach;
  facts.by_reach[prefix + "db"] = means.db_by_reach;
  if (prefix.empty()) facts.attention_by_offset = attention_by_offset(heads);
}

void read_training(const fs::path& run, ModelFacts& facts) {
  const reporting::RunCurves curves = reporting::read_run(run);
  const ordered_json about = curves.record.value("run", ordered_json::object());
  if (about.is_object() && about.contains("parameters"))
    facts.parameters = std::max(0.0, number_of(about.at("parameters")));
  facts.updates = curves.updates;
  facts.seconds = curves.seconds;
  facts.tokens_per_second = curves.speed();
  for (const std::string& name : curves.valid.names) {
    const auto& points = curves.valid.columns.at(name);
    const int best = reporting::best_index(name, points);
    if (best >= 0)
      facts.scores.push_back({kValidation, name, {points[static_cast<size_t>(best)].y}});
  }
}

ModelFacts facts_of_run(const fs::path& run, const PositionReportOptions& options) {
  if (!fs::is_directory(run)) throw CheckpointError(run.string() + ": no such directory");
  ModelFacts facts;
  facts.runs = {run};
  if (fs::exists(run / "progress.jsonl")) read_training(run, facts);
  for (TaskScores& scores : reporting::read_task_scores(run))
    facts.scores.push_back(std::move(scores));
  if (has_model(run)) add_positions(position_report(run, options), facts);
  if (facts.scores.empty() && facts.indicators.empty())
    throw CheckpointError(run.string() + ": neither a model nor results of bert finetune");
  return facts;
}

// The mean over the runs of what `value_of` says of each; NaN and 0 are left out.
template <typename Value>
double mean_over_runs(const std::vector<ModelFacts>& runs, const Value& value_of) {
  std::vector<double> values;
  for (const ModelFacts& run : runs) {
    const double value = value_of(run);
    if (!std::isnan(value) && value != 0) values.push_back(value);
  }
  return values.empty() ? 0.0 : metrics::mean_of(values);
}

std::vector<double> mean_curve(const std::vector<ModelFacts>& runs, const auto& curve_of) {
  std::vector<double> means;
  for (size_t i = 0; i < curve_of(runs.front()).size(); ++i) {
    std::vector<double> values;
    for (const ModelFacts& run : runs)
      if (i < curve_of(run).size()) values.push_back(curve_of(run)[i]);
    means.push_back(metrics::mean_of_defined(values));
  }
  return means;
}

// Several runs as one model: a score for each of them.
ModelFacts joined(const std::vector<ModelFacts>& runs) {
  if (runs.size() == 1) return runs.front();
  ModelFacts all;
  for (const ModelFacts& run : runs) all.runs.push_back(run.runs.front());
  for (const auto& [name, unused] : runs.front().indicators) {
    std::vector<double> values;
    for (const ModelFacts& run : runs) {
      const auto found = run.indicators.find(name);
      if (found != run.indicators.end()) values.push_back(found->second);
    }
    all.indicators[name] = metrics::mean_of_defined(values);
  }
  for (const auto& [name, unused] : runs.front().by_reach)
    all.by_reach[name] = mean_curve(runs, [&](const ModelFacts& run) -> const std::vector<double>& {
      static const std::vector<double> kNone;
      const auto found = run.by_reach.find(name);
      return found == run.by_reach.end() ? kNone : found->second;
    });
  all.attention_by_offset = mean_curve(
      runs,
      [](const ModelFacts& run) -> const std::vector<double>& { return run.attention_by_offset; });
  for (const auto& [task, metric] : measured(runs)) {
    TaskScores scores{task, metric, {}};
    for (const ModelFacts& run : runs)
      if (const auto& values = scores_of(run, task, metric); !values.empty())
        scores.values.push_back(metrics::mean_of(values));
    all.scores.push_back(std::move(scores));
  }
  all.parameters = mean_over_runs(runs, [](const ModelFacts& run) { return run.parameters; });
  all.updates = mean_over_runs(runs, [](const ModelFacts& run) { return run.updates; });
  all.seconds = mean_over_runs(runs, [](const ModelFacts& run) { return run.seconds; });
  all.tokens_per_second =
      mean_over_runs(runs, [](const ModelFacts& run) { return run.tokens_per_second; });
  return all;
}

}  // namespace

void add_positions(const PositionReport& report, ModelFacts& facts) {
  for (const SiteReport& site : report.sites) {
    add_sentences(site, site.attention, "", facts);
    add_sentences(site, site.framed_attention, "framed ", facts);
  }
}

std::vector<ModelFacts> read_models(const std::vector<std::string>& models,
                                    const PositionReportOptions& options) {
  std::vector<ModelFacts> all;
  std::vector<fs::path> first_runs;
  for (const std::string& model : models) {
    std::vector<ModelFacts> runs;
    for (const std::string& run : split_text(model, ',')) {
      if (run.empty()) throw ConfigError("'" + model + "' has an empty name between its commas");
      runs.push_back(facts_of_run(run, options));
    }
    all.push_back(joined(runs));
    first_runs.push_back(all.back().runs.front());
  }
  const std::vector<std::string> names = reporting::distinct_names(first_runs);
  for (size_t i = 0; i < all.size(); ++i) all[i].name = names[i];
  return all;
}

const std::vector<double>& scores_of(const ModelFacts& model, const std::string& task,
                                     const std::string& metric) {
  static const std::vector<double> kNone;
  for (const TaskScores& scores : model.scores)
    if (scores.task == task && scores.metric == metric) return scores.values;
  return kNone;
}

std::vector<std::pair<std::string, std::string>> measured(const std::vector<ModelFacts>& models) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const ModelFacts& model : models)
    for (const TaskScores& scores : model.scores) {
      const std::pair<std::string, std::string> name{scores.task, scores.metric};
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

}  // namespace dietmt::inspection
