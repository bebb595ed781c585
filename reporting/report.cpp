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
#include "reporting/progress_bar.h"
#include "reporting/report_settings.h"
#include "reporting/report_style.h"
#include "reporting/run_curves.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

std::string card(const std::string& name, const std::string& value, const std::string& note) {
  return fmt::format(
      "<div class='card'><div class='name'>{}</div><div class='value'>{}</div>"
      "<div class='note'>{}</div></div>\n",
      html_escaped(name), html_escaped(value), html_escaped(note));
}

std::string summary(const RunCurves& run) {
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
  if (const double speed = run.speed(); speed > 0)
    html += card("speed", count_text(speed), "target tokens/s, mean");
  return html + "</section>\n";
}

std::vector<Chart> charts_of(const RunCurves& run) {
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

std::string figures(const RunCurves& run) {
  std::string html = "<section class='charts'>\n";
  for (const Chart& chart : charts_of(run)) html += figure(chart);
  return html + "</section>\n";
}

std::string validation_table(const Curves& valid) {
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
  const RunCurves run = read_run(output);
  try {
    write_file_atomically(
        output / "report.html",
        report_page(run.record.value("title", "Training"),
                    facts_line(run.record) + summary(run) + figures(run) +
                        validation_table(run.valid) + settings_tables(run.record)));
  } catch (const nlohmann::json::exception& error) {
    throw DataError((output / "settings.json").string() + ": " + json_problem(error));
  }
}

}  // namespace dietmt::reporting
