#include "tools/task_options.h"

#include <algorithm>
#include <sstream>

#include "common/error.h"
#include "common/numbers.h"
#include "data/tasks/task_metrics.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

using bert::TaskDescription;
using data::Task;
using data::TaskKind;

constexpr int64_t kWindowLength = 384;  // default for questions
constexpr int64_t kInputLength = 128;

// Options that describe a task of the user's own.
constexpr const char* kOwn[] = {"kind",   "format",  "no-header", "first",
                                "second", "label",   "id",        "labels",
                                "lowest", "highest", "metrics",   "unanswerable"};

// Options that only some kinds of task read.
struct OptionsOfKinds {
  std::initializer_list<const char*> names;
  std::initializer_list<TaskKind> kinds;
  const char* described;
};
constexpr OptionsOfKinds kOfKinds[] = {
    {{"format", "no-header", "first", "second", "label", "id"},
     {TaskKind::kClassification, TaskKind::kRegression},
     "tables"},
    {{"labels"}, {TaskKind::kClassification, TaskKind::kTags}, "classes and tags"},
    {{"head-dropout"},
     {TaskKind::kClassification, TaskKind::kRegression, TaskKind::kTags},
     "classes, numbers and tags"},
    {{"lowest", "highest"}, {TaskKind::kRegression}, "regressions"},
    {{"unanswerable", "stride", "max-question", "max-answer", "null-threshold"},
     {TaskKind::kSpan},
     "questions"}};

std::vector<std::string> default_metrics(TaskKind kind) {
  if (kind == TaskKind::kClassification) return {"accuracy"};
  if (kind == TaskKind::kRegression) return {"pearson", "spearman"};
  if (kind == TaskKind::kTags) return {"f1", "accuracy"};
  return {"f1", "exact_match"};
}

// The first row of a file without header has as many columns as the options name, or more.
int64_t least_columns(const data::TableLayout& layout) {
  int64_t most = 1;
  for (const std::string* name : {&layout.first, &layout.second, &layout.label, &layout.id})
    most = std::max(most, number_in<int64_t>(*name).value_or(0));
  return most;
}

Task own_task(const TaskOptions& o) {
  Task task;
  task.name = o.kind;
  task.target = o.target;
  task.target.kind = bert::parse_kind(o.kind);
  task.metrics = o.metrics.empty() ? default_metrics(task.target.kind) : o.metrics;
  task.has_unanswerable = o.unanswerable;
  if (task.target.kind == TaskKind::kSpan || task.target.kind == TaskKind::kTags) return task;
  data::TableLayout layout = o.layout;
  layout.format = bert::parse_format(o.format);
  layout.header = !o.no_header;
  if (o.no_header && layout.id == "index") layout.id.clear();
  layout.min_columns = least_columns(layout);
  layout.max_columns = 0;
  task.layouts = {layout};
  return task;
}

TaskDescription describe(const TaskOptions& o, const Task& task) {
  TaskDescription description;
  description.task = task;
  const bool spans = task.target.kind == TaskKind::kSpan;
  description.max_length = o.max_length.value_or(spans ? kWindowLength : kInputLength);
  description.windows = o.windows;
  description.windows.max_length = description.max_length;
  description.prediction = o.prediction;
  description.prediction.has_unanswerable = task.has_unanswerable;
  return description;
}

void refuse_options_of_other_kinds(const OptionTable& table,
                                   const std::vector<TaskDescription>& descriptions,
                                   std::vector<std::string>& problems) {
  for (const OptionsOfKinds& some : kOfKinds) {
    const auto reads = [&](const TaskDescription& description) {
      return std::ranges::count(some.kinds, description.kind()) > 0;
    };
    if (std::ranges::any_of(descriptions, reads)) continue;
    for (const char* name : some.names)
      if (table.changed(name))
        problems.push_back("--" + std::string(name) + " is for " + some.described);
  }
  const auto may_lack_answer = [](const TaskDescription& description) {
    return description.kind() != TaskKind::kSpan || description.task.has_unanswerable;
  };
  if (table.changed("null-threshold") && std::ranges::none_of(descriptions, may_lack_answer))
    problems.emplace_back("--null-threshold is for questions that may have no answer");
}

void add_problems(const TaskDescription& description, std::vector<std::string>& problems) {
  const auto add = [&](const std::vector<std::string>& found) {
    problems.insert(problems.end(), found.begin(), found.end());
  };
  if (description.kind() == TaskKind::kSpan) {
    add(description.windows.problems());
    add(description.prediction.problems());
  } else {
    add(description.inputs().problems());
  }
}

}  // namespace

void bind_task(OptionTable& table, TaskOptions& o) {
  table.group("Task")
      .add("task", &o.tasks, "NAME,...", "one or more of the tasks above; default: your own")
      .add("data", &o.data, "DIR",
           "directory with the official files of the task, plain or .gz, or with a directory of "
           "them for each task")
      .add("train", &o.train, "FILE", "training file, instead of --data")
      .add("valid", &o.valid, "FILE...",
           "validation files, with --train; the first one selects the best epoch")
      .add("languages", &o.languages, "NAME,...",
           "languages to validate in; default: those with files in --data; with --valid: one for "
           "each file")
      .add("max-length", &o.max_length, "N",
           "longest input in tokens (default 128; 384 for a window of a question's text); longer "
           "sentences to tag become several windows",
           {.least = 1, .most = 100'000});
  table.group("Your own task")
      .add(
          "kind", &o.kind, "",
          "kind of task; spans: answers to questions, JSON as in SQuAD; tags: a tag for each word, "
          "which stands after it and a tab, one word a line, with empty lines between sentences",
          {.choices = {"classification", "regression", "spans", "tags"}})
      .add("format", &o.format, "", "format of the files",
           {.choices = {"tsv", "quoted-tsv", "csv", "jsonl"}})
      .add("no-header", &o.no_header, "", "the files have no header; columns are numbered from 1")
      .add("first", &o.layout.first, "COLUMN", "column of the text, by name or number")
      .add("second", &o.layout.second, "COLUMN", "column of the second text of a pair")
      .add("label", &o.layout.label, "COLUMN", "column of the class or the number to predict")
      .add("id", &o.layout.id, "COLUMN",
           "column of the id that predictions are listed with, if present")
      .add("labels", &o.target.labels, "NAME,...",
           "classes or tags in order; default: those of the training file, sorted")
      .add("lowest", &o.target.lowest, "X", "lowest value of a regression")
      .add("highest", &o.target.highest, "X", "highest value of a regression")
      .add("metrics", &o.metrics, "NAME,...",
           "accuracy, f1 (of two classes), macro_f1, matthews; pearson, spearman; f1, exact_match; "
           "f1 (of entities), accuracy; the first one selects the best epoch")
      .add("unanswerable", &o.unanswerable, "", "questions may have no answer");
  table.group("Questions")
      .add("stride", &o.windows.stride, "N", "tokens from one window to the next", {.least = 1})
      .add("max-question", &o.windows.max_question, "N",
           "longest question in tokens; longer ones are cut", {.least = 1})
      .add("max-answer", &o.prediction.max_answer_pieces, "N", "longest answer in tokens",
           {.least = 1})
      .add("null-threshold", &o.prediction.null_threshold, "X",
           "predict no answer if it scores better than the best answer by more than X");
}

std::vector<std::string> split_at_commas(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    std::istringstream stream(word);
    for (std::string part; std::getline(stream, part, ',');)
      if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::vector<std::string> resolve(const OptionTable& table, TaskOptions& o) {
  for (std::vector<std::string>* list : {&o.tasks, &o.languages, &o.target.labels, &o.metrics})
    *list = split_at_commas(*list);
  std::vector<std::string> problems;
  const auto require = [&](bool good, const std::string& message) {
    if (!good) problems.push_back(message);
  };
  const bool own_files = !o.train.empty() || !o.valid.empty();
  require(own_files || !o.data.empty(), "--data is missing: give --data, or --train and --valid");
  require(o.train.empty() == o.valid.empty(), "give --train and --valid together");
  require(!own_files || o.data.empty(), "--data and --train cannot be combined");
  require(own_files || !o.tasks.empty(), "--data needs --task");
  require(!own_files || o.tasks.size() <= 1, "--train is for one task");
  require(!own_files || o.languages.empty() || o.languages.size() == o.valid.size(),
          "--languages with --valid needs one name for each file");
  require(o.target.lowest < o.target.highest, "--lowest must be below --highest");
  for (const std::string& label : o.target.labels)
    require(std::ranges::count(o.target.labels, label) == 1, "--labels has " + label + " twice");
  for (const char* name : kOwn)
    require(o.tasks.empty() || !table.changed(name),
            "--" + std::string(name) + " describes a task of your own: leave out --task");
  if (!table.allows("kind") || !table.allows("format")) return problems;
  try {
    const std::vector<TaskDescription> descriptions = describe_tasks(o);
    refuse_options_of_other_kinds(table, descriptions, problems);
    for (const TaskDescription& description : descriptions) {
      add_problems(description, problems);
      data::check_metrics(description.task);
      const bool by_language = description.task.scores_by_language();
      require(!own_files || !o.languages.empty() || !by_language,
              "MLQA needs the --languages of the files in --valid");
      if (own_files && !by_language) continue;  // names of any sets
      for (const std::string& language : o.languages) description.task.require_language(language);
    }
    bert::named_sets(o.valid);
    for (auto language = o.languages.begin(); language != o.languages.end(); ++language)
      require(std::find(o.languages.begin(), language, *language) == language,
              "--languages has " + *language + " twice");
  } catch (const ConfigError& error) {
    problems.emplace_back(error.what());
  }
  return problems;
}

std::vector<TaskDescription> describe_tasks(const TaskOptions& o) {
  if (o.tasks.empty()) return {describe(o, own_task(o))};
  std::vector<TaskDescription> descriptions;
  for (const std::string& name : o.tasks)
    descriptions.push_back(describe(o, data::find_task(name)));
  return descriptions;
}

bert::TaskFiles files_of(const TaskOptions& o, const Task& task) {
  if (!o.train.empty()) {
    bert::TaskFiles files{o.train, bert::named_sets(o.valid)};
    for (size_t i = 0; i < o.languages.size(); ++i) {
      files.valid[i].language = o.languages[i];
      if (i > 0) files.valid[i].name = o.languages[i];
    }
    return files;
  }
  const fs::path folder = fs::path(o.data) / task.name;
  const bool in_folder = o.tasks.size() > 1 || fs::is_directory(folder);
  return bert::find_files(task, in_folder ? folder : fs::path(o.data), o.languages);
}

}  // namespace dietmt::tools
