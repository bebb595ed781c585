#include "reporting/run_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "reporting/progress.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

void add_entry(const ordered_json& entry, const std::string& axis, Curves& table) {
  if (!entry.contains(axis)) return;
  const double x = entry.at(axis).get<double>();
  for (const auto& [name, value] : entry.items()) {
    if (name == "kind" || name == "update" || name == "seconds" || name == axis) continue;
    auto [column, is_new] = table.columns.try_emplace(name);
    if (is_new) table.names.push_back(name);
    column->second.push_back({x, value.is_number() ? value.get<double>() : std::nan("")});
  }
}

}  // namespace

double RunCurves::speed() const {
  const auto rate = train.columns.find("tokens_per_second");
  if (rate == train.columns.end()) return 0;
  double sum = 0;
  for (const Point& point : rate->second) sum += point.y;
  return sum / static_cast<double>(rate->second.size());
}

RunCurves read_run(const fs::path& output, const std::string& axis) {
  RunCurves run;
  const fs::path progress = output / "progress.jsonl";
  try {
    for (const ordered_json& entry : read_progress(progress)) {
      const std::string kind = entry.at("kind");
      add_entry(entry, axis, kind == "valid" ? run.valid : run.train);
      run.updates = std::max(run.updates, entry.at("update").get<double>());
      run.seconds = std::max(run.seconds, entry.value("seconds", 0.0));
    }
  } catch (const json::exception& error) {
    throw DataError(progress.string() + ": not a training progress file: " + json_problem(error));
  }
  const fs::path settings = output / "settings.json";
  if (!fs::exists(settings)) return run;
  try {
    run.record = ordered_json::parse(read_file(settings));
  } catch (const json::exception& error) {
    throw DataError(settings.string() + ": " + json_problem(error));
  }
  return run;
}

std::string display_name(const std::string& name) {
  static const std::map<std::string, std::string> kNames{
      {"loss", "training loss"}, {"valid_loss", "validation loss"},
      {"bleu", "BLEU"},          {"chrf", "chrF"},
      {"comet", "COMET"},        {"ter", "TER"}};
  if (const auto known = kNames.find(name); known != kNames.end()) return known->second;
  std::string text = name;
  std::ranges::replace(text, '_', ' ');
  return text;
}

bool is_loss(const std::string& name) { return name.find("loss") != std::string::npos; }

bool lower_is_better(const std::string& name) {
  return is_loss(name) || name == "ter" || name.find("perplexity") != std::string::npos;
}

int best_index(const std::string& name, const std::vector<double>& values) {
  int best = -1;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const double gain = best < 0 ? 1 : values[i] - values[static_cast<size_t>(best)];
    if (best < 0 || (lower_is_better(name) ? gain < 0 : gain > 0)) best = static_cast<int>(i);
  }
  return best;
}

int best_index(const std::string& name, const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.y);
  return best_index(name, values);
}

std::string score_text(const std::string& name, double value) {
  if (!std::isfinite(value)) return "not a number";
  const bool is_small = is_loss(name) || name.starts_with("comet");
  return is_small ? fmt::format("{:.4f}", value) : fmt::format("{:.2f}", value);
}

std::string count_text(double count) {
  std::string text = std::to_string(std::llround(count));
  for (auto i = static_cast<int>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<size_t>(i), ",");
  }
  return text;
}

std::string figure(const Chart& chart) {
  const std::string svg = svg_chart(chart);
  if (svg.empty()) return "";
  return fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n",
                     html_escaped(chart.title), svg);
}

}  // namespace dietmt::reporting
