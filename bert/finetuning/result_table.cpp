#include <algorithm>
#include <array>
#include <cstdio>

#include "bert/finetuning/protocol.h"

namespace dietmt::bert {
namespace {

using data::Task;

std::string text_of(double score) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", score);
  return text;
}

// Both papers have GLUE's tasks, and the second one SQuAD's too.
bool is_glue(const TaskScores& task) {
  return !task.task.wang_metrics.empty() && task.task.target.kind != data::TaskKind::kSpan;
}

// Chen et al. 2021 have these tasks of XTREME.
bool is_xtreme(const TaskScores& task) {
  constexpr std::array kNames = {"XNLI", "XQuAD", "MLQA", "TyDiQA-GoldP"};
  return std::ranges::find(kNames, task.task.name) != kNames.end();
}

// The scores named `metric`, of the first set, and those of the other sets or their mean.
std::vector<double> column(const TaskScores& task, const std::string& metric) {
  const auto mean = task.scores.find(metric + "_mean");
  if (mean != task.scores.end()) return {mean->second};
  std::vector<double> scores;
  for (const auto& [name, score] : task.scores)
    if (name == metric || name.starts_with(metric + "_")) scores.push_back(score);
  return scores;
}

struct Row {
  std::string header;
  std::string scores;
  double sum = 0.0;  // of all numbers in it, except those of WNLI
  size_t count = 0;
};

template <typename Metrics>
Row row_of(const std::vector<TaskScores>& tasks, const Metrics& metrics_of) {
  Row row;
  for (const TaskScores& task : tasks) {
    std::string cell;
    for (const std::string& metric : metrics_of(task.task)) {
      for (const double score : column(task, metric)) {
        cell += (cell.empty() ? "" : "/") + text_of(score);
        if (task.task.name == "WNLI") continue;
        row.sum += score;
        ++row.count;
      }
    }
    row.header += '\t' + task.task.name;
    row.scores += '\t' + cell;
  }
  return row;
}

Row with_average(Row row) {
  if (row.count == 0) return row;
  row.header += "\taverage";
  row.scores += '\t' + text_of(row.sum / static_cast<double>(row.count));
  return row;
}

std::string lines(const std::string& title, const Row& row, SeedStatistic statistic) {
  return title + row.header + '\n' + name_of(statistic) + row.scores + '\n';
}

}  // namespace

std::string name_of(SeedStatistic statistic) {
  return statistic == SeedStatistic::kMean ? "mean" : "median";
}

std::string rate_table(const std::string& task, const ProtocolSummary& summary) {
  const bool is_mean = summary.statistic == SeedStatistic::kMean;
  std::string table = task + ": " + summary.metric + "\nlearning rate\t" +
                      name_of(summary.statistic) + (is_mean ? "\tdeviation" : "");
  for (const RunResult& run : summary.rates.front().runs)
    table += "\tseed " + std::to_string(run.setting.seed);
  for (size_t i = 0; i < summary.rates.size(); ++i) {
    const RateSummary& rate = summary.rates[i];
    char name[32];
    std::snprintf(name, sizeof name, "%g", rate.learning_rate);
    table += std::string("\n") + name + (i == summary.best ? "*" : "") + '\t' +
             text_of(rate.scores.at(summary.metric));
    const auto deviation = rate.deviations.find(summary.metric);
    if (is_mean)
      table += '\t' + (deviation == rate.deviations.end() ? "-" : text_of(deviation->second));
    for (const RunResult& run : rate.runs) table += '\t' + text_of(run.scores.at(summary.metric));
  }
  return table + '\n';
}

std::string paper_rows(const std::vector<TaskScores>& tasks, SeedStatistic statistic) {
  const bool several = tasks.size() > 1;
  const bool glue = several && std::ranges::all_of(tasks, is_glue);
  const auto row = [&](const auto& metrics_of) {
    const Row all = row_of(tasks, metrics_of);
    return glue ? with_average(all) : all;
  };
  std::string rows =
      lines(glue ? "as in the table of Ke et al. 2021" : "main metric",
            row([](const Task& task) { return std::vector<std::string>{task.metrics.front()}; }),
            statistic);
  if (several && std::ranges::all_of(tasks, is_xtreme))
    rows += lines("as in the table of Chen et al. 2021",
                  with_average(row_of(tasks, [](const Task& task) { return task.metrics; })),
                  statistic);
  const bool in_wang = several && std::ranges::all_of(tasks, [](const TaskScores& task) {
                         return !task.task.wang_metrics.empty();
                       });
  if (in_wang)
    rows += lines("as in the table of Wang et al. 2021",
                  row([](const Task& task) { return task.wang_metrics; }), statistic);
  return rows;
}

}  // namespace dietmt::bert
