#include "data/tasks/task_table.h"

#include <algorithm>
#include <cctype>

#include "common/error.h"

namespace dietmt::data {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

const Task& find_task(std::string_view name) {
  std::vector<std::string> names;
  for (const Task& task : tasks()) {
    if (lower(task.name) == lower(name)) return task;
    names.push_back(task.name);
  }
  throw ConfigError("no task '" + std::string(name) + "'; there are " + joined(names));
}

NamedTask find_task_and_language(std::string_view name) {
  if (lower(name) == "squad1") return {find_task("SQuAD1.1"), ""};
  if (lower(name) == "squad2") return {find_task("SQuAD2.0"), ""};
  for (const Task& task : tasks())
    for (const std::string& language : task.languages)
      if (lower(name) == lower(task.name) + "-" + language) return {task, language};
  return {find_task(name), ""};
}

const TaskSplit& Task::split(std::string_view split_name) const {
  std::vector<std::string> names;
  for (const TaskSplit& candidate : splits) {
    if (candidate.name == split_name) return candidate;
    names.push_back(candidate.name);
  }
  throw ConfigError(name + " has no split '" + std::string(split_name) + "'; it has " +
                    joined(names));
}

void Task::require_language(const std::string& language) const {
  if (std::ranges::find(languages, language) != languages.end()) return;
  throw ConfigError("'" + language + "' is no language of " + name + "; it has " +
                    (languages.empty() ? "only English" : joined(languages)));
}

bool Task::reads_language() const {
  const auto names_language = [](const TableLayout& layout) {
    const auto in = [](const std::string& column) { return with_language(column, "") != column; };
    return !layout.language.empty() || in(layout.first) || in(layout.second) || in(layout.label);
  };
  return !languages.empty() || std::ranges::any_of(layouts, names_language);
}

std::string task_help() {
  constexpr size_t kNameWidth = 14;
  std::string help;
  for (const Task& task : tasks()) {
    std::string line = "  " + task.name;
    line.resize(std::max(line.size(), kNameWidth) + 2, ' ');
    help += line + task.description + " (" + joined(task.metrics) + "; " +
            std::to_string(task.epochs) + " epochs)\n";
  }
  return help;
}

std::string with_language(std::string_view pattern, std::string_view language) {
  constexpr std::string_view kPlace = "{language}";
  std::string text(pattern);
  for (size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos; at += language.size())
    text.replace(at, kPlace.size(), language);
  return text;
}

}  // namespace dietmt::data
