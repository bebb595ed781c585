#include "bert/prediction/task_description.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"

namespace dietmt::bert {
namespace fs = std::filesystem;
namespace {

using data::PredictionOptions;
using data::RecordFormat;
using data::TableLayout;
using data::TaskKind;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kFile = "task.json";

template <typename Value>
struct Name {
  const char* name;
  Value value;
};

constexpr Name<TaskKind> kKinds[] = {{"classification", TaskKind::kClassification},
                                     {"regression", TaskKind::kRegression},
                                     {"spans", TaskKind::kSpan},
                                     {"tags", TaskKind::kTags}};
constexpr Name<RecordFormat> kFormats[] = {{"tsv", RecordFormat::kTsv},
                                           {"quoted-tsv", RecordFormat::kQuotedTsv},
                                           {"csv", RecordFormat::kCsv},
                                           {"jsonl", RecordFormat::kJsonLines}};

template <typename Value, size_t count>
Value parse(const Name<Value> (&names)[count], const std::string& text, const std::string& what) {
  std::string possible;
  for (const Name<Value>& entry : names) {
    if (text == entry.name) return entry.value;
    possible += (possible.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw ConfigError("the " + what + " is '" + text + "'; possible: " + possible);
}

template <typename Value, size_t count>
const char* name_of(const Name<Value> (&names)[count], Value value) {
  return std::ranges::find(names, value, &Name<Value>::value)->name;
}

json layout_json(const TableLayout& layout) {
  return {{"format", name_of(kFormats, layout.format)},
          {"header", layout.header},
          {"min_columns", layout.min_columns},
          {"max_columns", layout.max_columns},
          {"first", layout.first},
          {"second", layout.second},
          {"label", layout.label},
          {"id", layout.id},
          {"language", layout.language},
          {"label_texts", layout.label_texts},
          {"unlabelled", layout.unlabelled},
          {"skips_malformed", layout.skips_malformed}};
}

TableLayout layout_from(const json& stored) {
  TableLayout layout;
  layout.format = parse_format(stored.at("format"));
  stored.at("header").get_to(layout.header);
  stored.at("min_columns").get_to(layout.min_columns);
  stored.at("max_columns").get_to(layout.max_columns);
  stored.at("first").get_to(layout.first);
  stored.at("second").get_to(layout.second);
  stored.at("label").get_to(layout.label);
  stored.at("id").get_to(layout.id);
  stored.at("language").get_to(layout.language);
  stored.at("label_texts").get_to(layout.label_texts);
  stored.at("unlabelled").get_to(layout.unlabelled);
  stored.at("skips_malformed").get_to(layout.skips_malformed);
  return layout;
}

json task_json(const data::Task& task) {
  json layouts = json::array();
  for (const TableLayout& layout : task.layouts) layouts.push_back(layout_json(layout));
  return {{"name", task.name},
          {"kind", name_of(kKinds, task.target.kind)},
          {"labels", task.target.labels},
          {"lowest", task.target.lowest},
          {"highest", task.target.highest},
          {"metrics", task.metrics},
          {"languages", task.languages},
          {"layouts", layouts},
          {"has_unanswerable", task.has_unanswerable}};
}

data::Task task_from(const json& stored) {
  data::Task task;
  stored.at("name").get_to(task.name);
  task.target.kind = parse_kind(stored.at("kind"));
  stored.at("labels").get_to(task.target.labels);
  stored.at("lowest").get_to(task.target.lowest);
  stored.at("highest").get_to(task.target.highest);
  stored.at("metrics").get_to(task.metrics);
  stored.at("languages").get_to(task.languages);
  for (const json& layout : stored.at("layouts")) task.layouts.push_back(layout_from(layout));
  stored.at("has_unanswerable").get_to(task.has_unanswerable);
  return task;
}

json answers_json(const TaskDescription& description) {
  const PredictionOptions& prediction = description.prediction;
  return {{"stride", description.windows.stride},
          {"max_question", description.windows.max_question},
          {"top_k", prediction.top_k},
          {"max_answer_pieces", prediction.max_answer_pieces},
          {"nbest", prediction.nbest},
          {"null_threshold", prediction.null_threshold}};
}

void read_answers(const json& stored, TaskDescription& description) {
  PredictionOptions& prediction = description.prediction;
  stored.at("stride").get_to(description.windows.stride);
  stored.at("max_question").get_to(description.windows.max_question);
  stored.at("top_k").get_to(prediction.top_k);
  stored.at("max_answer_pieces").get_to(prediction.max_answer_pieces);
  stored.at("nbest").get_to(prediction.nbest);
  stored.at("null_threshold").get_to(prediction.null_threshold);
  description.windows.max_length = description.max_length;
  prediction.has_unanswerable = description.task.has_unanswerable;
}

TaskDescription parse_description(const json& stored) {
  if (stored.at("format").get<int>() != kFormat) {
    throw CheckpointError("format " + stored.at("format").dump() +
                          " is unsupported; this version reads format " + std::to_string(kFormat));
  }
  TaskDescription description;
  description.task = task_from(stored.at("task"));
  stored.at("max_length").get_to(description.max_length);
  if (description.kind() == TaskKind::kSpan) read_answers(stored.at("answers"), description);
  return description;
}

}  // namespace

InputOptions TaskDescription::inputs() const {
  const auto has_second = [](const TableLayout& layout) { return !layout.second.empty(); };
  return {max_length, std::ranges::any_of(task.layouts, has_second)};
}

encoders::BertHeads TaskDescription::heads() const {
  encoders::BertHeads heads;
  heads.spans = kind() == TaskKind::kSpan;
  if (kind() == TaskKind::kTags) heads.tags = std::ssize(task.target.labels);
  heads.pooler = !heads.spans && kind() != TaskKind::kTags;
  if (kind() == TaskKind::kRegression) heads.classes = 1;
  if (kind() == TaskKind::kClassification) heads.classes = std::ssize(task.target.labels);
  return heads;
}

TaskDescription read_task(const fs::path& model_directory) {
  const fs::path path = model_directory / kFile;
  if (!fs::exists(path))
    throw CheckpointError(model_directory.string() +
                          ": no task.json; this is not a model made by dietmt bert finetune");
  const json description = read_json(path);
  try {
    return parse_description(description);
  } catch (const std::exception& error) {
    throw CheckpointError(path.string() + ": " + json_problem(error));
  }
}

void write_task(const fs::path& model_directory, const TaskDescription& description) {
  json stored = {{"format", kFormat},
                 {"task", task_json(description.task)},
                 {"max_length", description.max_length}};
  if (description.kind() == TaskKind::kSpan) stored["answers"] = answers_json(description);
  write_file_atomically(model_directory / kFile, stored.dump(1) + "\n");
}

TaskKind parse_kind(const std::string& name) { return parse(kKinds, name, "kind of task"); }

RecordFormat parse_format(const std::string& name) {
  return parse(kFormats, name, "format of tables");
}

}  // namespace dietmt::bert
