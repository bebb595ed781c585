#include "bert/finetuning/task_data.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>

#include "common/error.h"
#include "common/text_io.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using data::Task;
using data::TaskSplit;

std::optional<std::string> existing(const fs::path& directory, const std::string& name) {
  for (const char* ending : {"", ".gz"}) {
    const fs::path path = directory / (name + ending);
    if (fs::exists(path)) return path.string();
  }
  return std::nullopt;
}

std::string required(const fs::path& directory, const std::string& name) {
  const std::optional<std::string> path = existing(directory, name);
  if (path) return *path;
  throw DataError((directory / name).string() + ": no such file, plain or .gz");
}

// English first, for its scores choose the best epoch.
std::vector<std::string> ordered_languages(const Task& task,
                                           const std::vector<std::string>& given) {
  for (const std::string& language : given) task.require_language(language);
  std::vector<std::string> languages = given.empty() ? task.languages : given;
  std::ranges::stable_partition(languages, [](const std::string& language) {
    return language == "en" || language == "english";
  });
  return languages;
}

// "dev", "dev_mismatched"; else "test".
std::vector<TaskSplit> validation_splits(const Task& task) {
  for (const char* kind : {"dev", "test"}) {
    std::vector<TaskSplit> found;
    for (const TaskSplit& split : task.splits)
      if (split.labelled && split.name.starts_with(kind)) found.push_back(split);
    if (!found.empty()) return found;
  }
  throw ConfigError(task.name + " has no labelled validation set");
}

// "mismatched" of "dev_mismatched".
std::string set_name(const TaskSplit& split) {
  const size_t underscore = split.name.find('_');
  return underscore == std::string::npos ? "" : split.name.substr(underscore + 1);
}

std::vector<SetFile> files_of_languages(const TaskSplit& split, const fs::path& directory,
                                        const std::vector<std::string>& languages,
                                        bool all_required) {
  std::vector<SetFile> sets;
  for (const std::string& language : languages) {
    const std::string name = data::with_language(split.file, language);
    if (all_required || existing(directory, name))
      sets.push_back({sets.empty() ? "" : language, required(directory, name), language});
  }
  if (sets.empty()) required(directory, data::with_language(split.file, languages.front()));
  return sets;
}

LabelledInputs read_set(const TaskDescription& description, const SetFile& file,
                        const data::BertTokenizer& tokenizer, std::vector<std::string>& labels) {
  data::Target target = description.task.target;
  target.labels = labels;
  const data::TaskData read = data::read_examples(file.path, description.task.layouts, target,
                                                  {data::LabelUse::kRequired, file.language});
  labels = read.labels;
  spdlog::info("{}: {}", file.path, read.summary());
  LabelledInputs set{
      file.name, encode_examples(read.examples, tokenizer, description.inputs()), {}, {}};
  if (set.inputs.cut > 0)
    spdlog::info("{}: {} examples cut to {} tokens", file.path, set.inputs.cut,
                 description.max_length);
  for (const data::Example& example : read.examples) {
    set.labels.push_back(example.label);
    set.values.push_back(example.score);
  }
  return set;
}

}  // namespace

TaskFiles find_files(const Task& task, const fs::path& directory,
                     const std::vector<std::string>& languages) {
  const std::vector<std::string> ordered = ordered_languages(task, languages);
  TaskFiles files;
  files.train = required(directory, task.split("train").file);
  for (const TaskSplit& split : validation_splits(task)) {
    if (ordered.empty())
      files.valid.push_back({set_name(split), required(directory, split.file), {}});
    else
      files.valid = files_of_languages(split, directory, ordered, !languages.empty());
  }
  return files;
}

std::vector<SetFile> named_sets(const std::vector<std::string>& paths) {
  std::vector<SetFile> sets;
  for (const std::string& path : paths) {
    const std::string file = replace_invalid_utf8(fs::path(path).filename().string());  // for JSON
    const std::string name = sets.empty() ? "" : file.substr(0, file.find('.'));
    if (std::ranges::find(sets, name, &SetFile::name) != sets.end())
      throw ConfigError("two validation files are named '" + name + "'");
    sets.push_back({name, path, {}});
  }
  return sets;
}

LabelledData read_labelled(TaskDescription& description, const TaskFiles& files,
                           const data::BertTokenizer& tokenizer) {
  std::vector<std::string>& labels = description.task.target.labels;
  LabelledData all;
  // A file of several languages that is trained on is read in English (XNLI's own has no others).
  const std::string language = description.task.languages.empty() ? "" : "en";
  all.train = read_set(description, {"", files.train, language}, tokenizer, labels);
  if (description.kind() == data::TaskKind::kClassification && labels.size() < 2)
    throw DataError(files.train + ": all examples have the label '" + labels.at(0) + "'");
  check_metrics(description.task);  // again, now that the labels are known
  for (const SetFile& file : files.valid) {
    all.valid.push_back(read_set(description, file, tokenizer, labels));
    if (description.kind() == data::TaskKind::kRegression && all.valid.back().inputs.size() < 2)
      throw DataError(file.path + ": one example is too little for a correlation");
  }
  return all;
}

}  // namespace dietmt::bert
