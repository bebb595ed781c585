#include "reporting/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/json_fields.h"
#include "reporting/html_table.h"
#include "reporting/progress_bar.h"
#include "reporting/report.h"
#include "reporting/report_settings.h"
#include "reporting/run_curves.h"

namespace dietmt::reporting {
namespace fs = std::filesystem;
namespace {

using Paths = std::vector<fs::path>;

struct Run {
  std::string name;
  RunCurves curves;
  std::map<std::string, std::string> settings;
};

using Runs = std::vector<Run>;

// The names of all runs' curves of a kind, in the order of their first appearance.
std::vector<std::string> names_of(const Runs& runs, Curves RunCurves::*kind) {
  std::vector<std::string> names;
  for (const Run& run : runs)
    for (const std::string& name : (run.curves.*kind).names)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

const std::vector<Point>& points_of(const Curves& curves, const std::string& name) {
  static const std::vector<Point> kNone;
  const auto found = curves.columns.find(name);
  return found == curves.columns.end() ? kNone : found->second;
}

// The best value of each run; NaN: none.
std::vector<double> best_values(const Runs& runs, const std::string& name) {
  std::vector<double> values;
  for (const Run& run : runs) {
    const std::vector<Point>& points = points_of(run.curves.valid, name);
    const int best = best_index(name, points);
    values.push_back(best < 0 ? std::nan("") : points[static_cast<size_t>(best)].y);
  }
  return values;
}

struct Column {
  std::string heading;
  std::vector<std::string> cells;
  int best = -1;  // index of a cell to mark
};

std::vector<Column> columns_of(const Runs& runs) {
  std::vector<Column> columns{{"run", {}}, {"updates", {}}, {"time", {}}};
  for (const Run& run : runs) {
    columns[0].cells.push_back(run.name);
    columns[1].cells.push_back(count_text(run.curves.updates));
    columns[2].cells.push_back(duration_text(run.curves.seconds));
  }
  for (const std::string& name : names_of(runs, &RunCurves::valid)) {
    const std::vector<double> values = best_values(runs, name);
    Column& column = columns.emplace_back(Column{"best " + display_name(name), {}});
    for (const double value : values)
      column.cells.push_back(std::isnan(value) ? "" : score_text(name, value));
    column.best = best_index(name, values);
  }
  Column& speed = columns.emplace_back(Column{"target tokens/s", {}});
  for (const Run& run : runs)
    speed.cells.push_back(run.curves.speed() > 0 ? count_text(run.curves.speed()) : "");
  return columns;
}

std::string results_table(const std::vector<Column>& columns) {
  std::vector<std::string> headings;
  std::vector<std::vector<TableCell>> rows(columns[0].cells.size());
  for (const Column& column : columns) {
    headings.push_back(column.heading);
    for (size_t row = 0; row < rows.size(); ++row)
      rows[row].emplace_back(column.cells[row], column.best == static_cast<int>(row));
  }
  return table_section("", headings, rows, TableKind::kNumbers);
}

std::string figures(const Runs& runs, const std::string& axis) {
  std::string html = "<section class='charts'>\n";
  const auto draw = [&](Curves RunCurves::*kind, const std::string& name) {
    Chart chart{display_name(name), axis, is_loss(name) ? "nats per token" : "", {}};
    for (const Run& run : runs) {
      const std::vector<Point>& points = points_of(run.curves.*kind, name);
      chart.series.push_back(
          {run.name, points, kind == &RunCurves::valid ? best_index(name, points) : -1});
    }
    html += figure(chart);
  };
  for (const std::string& name : names_of(runs, &RunCurves::valid)) draw(&RunCurves::valid, name);
  for (const std::string& name : names_of(runs, &RunCurves::train)) draw(&RunCurves::train, name);
  return html + "</section>\n";
}

std::string differences(const Runs& runs) {
  std::map<std::string, std::vector<std::string>> rows;
  for (size_t i = 0; i < runs.size(); ++i)
    for (const auto& [name, text] : runs[i].settings)
      rows.try_emplace(name, runs.size()).first->second[i] = text;
  std::erase_if(rows, [](const auto& row) {
    return std::ranges::adjacent_find(row.second, std::ranges::not_equal_to{}) == row.second.end();
  });
  if (rows.empty()) return "";
  std::string html =
      "<section><h2>Different settings</h2>\n<div "
      "class='scroll'><table><thead><tr><th>setting</th>";
  for (const Run& run : runs) html += "<th>" + html_escaped(run.name) + "</th>";
  html += "</tr></thead><tbody>\n";
  for (const auto& [name, texts] : rows) {
    html += "<tr><th>" + html_escaped(name) + "</th>";
    for (const std::string& text : texts) html += "<td>" + html_escaped(text) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></section>\n";
}

Runs read_runs(const Paths& outputs, const std::string& axis = kUpdateAxis) {
  const std::vector<std::string> names = distinct_names(outputs);
  Runs runs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Run run{names[i], read_run(outputs[i], axis), {}};
    try {
      for (auto& [name, text] : setting_texts(run.curves.record))
        run.settings[name] = std::move(text);
    } catch (const nlohmann::json::exception& error) {
      throw DataError((outputs[i] / "settings.json").string() + ": " + json_problem(error));
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace

std::vector<std::string> distinct_names(const Paths& outputs) {
  std::vector<std::vector<std::string>> parts;
  for (const fs::path& output : outputs) {
    const fs::path whole = fs::absolute(output).lexically_normal();
    auto& list = parts.emplace_back(whole.begin(), whole.end());
    if (list.back().empty()) list.pop_back();  // of a path that ends with a slash
  }
  const auto shortest = std::ranges::min(parts, {}, &std::vector<std::string>::size).size();
  const auto all_have = [&](const auto& part_of) {
    return std::ranges::all_of(
        parts, [&](const auto& list) { return part_of(list) == part_of(parts[0]); });
  };
  size_t before = 0, after = 0;
  while (before + 1 < shortest && all_have([&](const auto& list) { return list[before]; }))
    ++before;
  while (before + after + 1 < shortest &&
         all_have([&](const auto& list) { return list[list.size() - 1 - after]; }))
    ++after;
  std::vector<std::string> names;
  for (const auto& list : parts) {
    fs::path name;
    for (size_t i = before; i < list.size() - after; ++i) name /= list[i];
    names.push_back(name.string());
  }
  return names;
}

std::string comparison_table(const Paths& outputs) {
  const std::vector<Column> columns = columns_of(read_runs(outputs));
  const auto line = [&](const auto& cell) {
    std::string text;
    for (const Column& column : columns) text += (text.empty() ? "" : "\t") + cell(column);
    return text + '\n';
  };
  std::string text = line([](const Column& column) { return column.heading; });
  for (size_t row = 0; row < outputs.size(); ++row)
    text += line([&](const Column& column) { return column.cells[row]; });
  return text;
}

std::string comparison_charts(const Paths& outputs) {
  return figures(read_runs(outputs), kUpdateAxis);
}

std::string comparison_page(const Paths& outputs, const std::string& axis) {
  const Runs runs = read_runs(outputs);
  return report_page("Training runs", results_table(columns_of(runs)) +
                                          figures(read_runs(outputs, axis), axis) +
                                          differences(runs));
}

}  // namespace dietmt::reporting
