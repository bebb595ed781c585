#include "reporting/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "reporting/progress.h"
#include "reporting/progress_bar.h"
#include "reporting/report_chart.h"
#include "reporting/report_settings.h"
#include "reporting/report_style.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// The values of one kind of entry by name, in the order of their first appearance.
struct Table {
  std::vector<std::string> names;
  std::map<std::string, std::vector<Point>> columns;
};

struct Run {
  std::string title = "Training";
  std::string facts, settings;  // HTML
  Table train;
  Table valid;
  double updates = 0;
  double seconds = 0;
};

void add_entry(const ordered_json& entry, Table& table) {
  const double update = entry.at("update").get<double>();
  for (const auto& [name, value] : entry.items()) {
    if (name == "kind" || name == "update" || name == "seconds") continue;
    auto [column, is_new] = table.columns.try_emplace(name);
    if (is_new) table.names.push_back(name);
    column->second.push_back({update, value.is_number() ? value.get<double>() : std::nan("")});
  }
}

Run read_run(const fs::path& output) {
  Run run;
  const fs::path progress = output / "progress.jsonl";
  try {
    for (const ordered_json& entry : read_progress(progress)) {
      const std::string kind = entry.at("kind");
      add_entry(entry, kind == "valid" ? run.valid : run.train);
      run.updates = std::max(run.updates, entry.at("update").get<double>());
      run.seconds = std::max(run.seconds, entry.value("seconds", 0.0));
    }
  } catch (const json::exception& error) {
    throw DataError(progress.string() + ": not a training progress file: " + json_problem(error));
  }
  const fs::path settings = output / "settings.json";
  if (!fs::exists(settings)) return run;
  try {
    const ordered_json record = ordered_json::parse(read_file(settings));
    run.title = record.value("title", run.title);
    run.facts = facts_line(record);
    run.settings = settings_tables(record);
  } catch (const json::exception& error) {
    throw DataError(settings.string() + ": " + json_problem(error));
  }
  return run;
}

std::string display_name(const std::string& name) {
  static const std::map<std::string, std::string> kNames{{"loss", "training loss"},
                                                         {"valid_loss", "validation loss"},
                                                         {"bleu", "BLEU"},
                                                         {"chrf", "chrF"},
                                                         {"ter", "TER"}};
  if (const auto known = kNames.find(name); known != kNames.end()) return known->second;
  std::string text = name;
  std::ranges::replace(text, '_', ' ');
  return text;
}

bool is_loss(const std::string& name) { return name.find("loss") != std::string::npos; }

bool lower_is_better(const std::string& name) {
  return is_loss(name) || name == "ter" || name.find("perplexity") != std::string::npos;
}

// Index of the best finite point, -1 if there is none.
int best_index(const std::string& name, const std::vector<Point>& points) {
  int best = -1;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].y)) continue;
    const double gain = best < 0 ? 1 : points[i].y - points[static_cast<size_t>(best)].y;
    if (best < 0 || (lower_is_better(name) ? gain < 0 : gain > 0)) best = static_cast<int>(i);
  }
  return best;
}

std::string score_text(const std::string& name, double value) {
  if (!std::isfinite(value)) return "not a number";
  return is_loss(name) ? fmt::format("{:.4f}", value) : fmt::format("{:.2f}", value);
}

std::string count_text(double count) {
  std::string text = std::to_string(std::llround(count));
  for (auto i = static_cast<int>(text.size()) - 3; i > 0; i -= 3) {
    text.insert(static_cast<size_t>(i), ",");
  }
  return text;
}

std::string card(const std::string& name, const std::string& value, const std::string& note) {
  return fmt::format(
      "<div class='card'><div class='name'>{}</div><div class='value'>{}</div>"
      "<div class='note'>{}</div></div>\n",
      html_escaped(name), html_escaped(value), html_escaped(note));
}

std::string summary(const Run& run) {
  std::string html = "<section class='cards'>\n";
  html += card("updates", count_text(run.updates), duration_text(run.seconds) + " of training");
  for (const std::string& name : run.valid.names) {
    const std::vector<Point>& points = run.valid.columns.at(name);
    const int best = best_index(name, points);
    if (best < 0) continue;
    const Point& point = points[static_cast<size_t>(best)];
    html += card("best " + display_name(name), score_text(name, point.y),
                 "at update " + count_text(point.x));
  }
  if (const auto rate = run.train.columns.find("tokens_per_second");
      rate != run.train.columns.end()) {
    double sum = 0;
    for (const Point& point : rate->second) sum += point.y;
    html += card("speed", count_text(sum / static_cast<double>(rate->second.size())),
                 "target tokens/s, mean");
  }
  return html + "</section>\n";
}

std::vector<Chart> charts_of(const Run& run) {
  Chart loss{"Loss", "update", "nats per token", {}};
  Chart scores{"Validation scores", "update", "score", {}};
  std::vector<Chart> others;
  for (const std::string& name : run.train.names) {
    const std::vector<Point>& points = run.train.columns.at(name);
    if (is_loss(name)) {
      loss.series.push_back({display_name(name), points});
    }
  }
  struct Known {
    const char *name, *title, *unit;
  };
  for (const Known& known : {Known{"learning_rate", "Learning rate", "learning rate"},
                             Known{"tokens_per_second", "Speed", "target tokens/s"},
                             Known{"gradient_norm", "Gradient norm", "L2 norm"}}) {
    if (const auto found = run.train.columns.find(known.name); found != run.train.columns.end()) {
      others.push_back(
          {known.title, "update", known.unit, {{known.unit, found->second}}, /*from_zero=*/true});
    }
  }
  for (const std::string& name : run.valid.names) {
    const std::vector<Point>& points = run.valid.columns.at(name);
    (is_loss(name) ? loss : scores)
        .series.push_back({display_name(name), points, best_index(name, points)});
  }
  std::vector<Chart> charts{std::move(loss), std::move(scores)};
  std::ranges::move(others, std::back_inserter(charts));
  return charts;
}

std::string figures(const Run& run) {
  std::string html = "<section class='charts'>\n";
  for (const Chart& chart : charts_of(run)) {
    const std::string svg = svg_chart(chart);
    if (svg.empty()) continue;
    html += fmt::format("<figure><figcaption>{}</figcaption>\n{}</figure>\n",
                        html_escaped(chart.title), svg);
  }
  return html + "</section>\n";
}

std::string validation_table(const Table& valid) {
  if (valid.names.empty()) return "";
  std::string head = "<th>update</th>";
  std::map<double, std::string> rows;  // by update
  for (const auto& [name, points] : valid.columns) {
    for (const Point& point : points) rows.try_emplace(point.x);
  }
  for (const std::string& name : valid.names) {
    head += "<th>" + html_escaped(display_name(name)) + "</th>";
    const std::vector<Point>& points = valid.columns.at(name);
    const int best = best_index(name, points);
    std::map<double, std::string> cells;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool is_best = static_cast<int>(i) == best;
      cells[points[i].x] = (is_best ? "<td class='best' title='the best'>\u2605 " : "<td>") +
                           score_text(name, points[i].y) + "</td>";
    }
    for (auto& [update, row] : rows) {
      row += cells.contains(update) ? cells[update] : std::string("<td></td>");
    }
  }
  std::string html =
      "<section><h2>Validation</h2>\n<div class='scroll'><table class='scores'><thead><tr>" + head +
      "</tr></thead><tbody>\n";
  for (const auto& [update, row] : rows) {
    html += fmt::format("<tr><td>{}</td>{}</tr>\n", count_text(update), row);
  }
  return html + "</tbody></table></div></section>\n";
}

}  // namespace

std::string report_page(const std::string& title, const std::string& body) {
  const std::string escaped = html_escaped(title);
  return "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n"
         "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>" +
         escaped + "</title>\n<style>" + kReportStyle + "</style></head>\n<body><main>\n<h1>" +
         escaped + "</h1>\n" + body + "</main></body></html>\n";
}

void write_report(const fs::path& output) {
  const Run run = read_run(output);
  write_file_atomically(output / "report.html",
                        report_page(run.title, run.facts + summary(run) + figures(run) +
                                                   validation_table(run.valid) + run.settings));
}

}  // namespace dietmt::reporting
