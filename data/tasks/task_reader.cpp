#include "data/tasks/task_reader.h"

#include <algorithm>
#include <cstdio>

#include "common/error.h"
#include "common/numbers.h"
#include "common/text_io.h"
#include "data/tasks/label_list.h"
#include "data/tasks/record_reader.h"

namespace dietmt::data {
namespace {

// Turns the rows of one file into examples.
class ExampleBuilder {
 public:
  ExampleBuilder(const RecordReader& reader, const Columns& columns, const Target& target,
                 const ReadOptions& options)
      : reader_(reader),
        columns_(columns),
        target_(target),
        options_(options),
        labels_(target.labels) {
    data_.labelled = columns.label != kNoColumn;
  }

  void add(std::vector<std::string>& fields) {
    const int64_t row = rows_++;
    if (!has_right_count(fields)) return;
    if (columns_.language != kNoColumn && field(fields, columns_.language) != options_.language)
      return;
    Example example;
    if (data_.labelled && !read_label(field(fields, columns_.label), example)) return;
    example.id = columns_.id == kNoColumn ? std::to_string(row) : field(fields, columns_.id);
    example.first = std::move(field(fields, columns_.first));
    if (columns_.second != kNoColumn) example.second = std::move(field(fields, columns_.second));
    repair(example);
    data_.examples.push_back(std::move(example));
  }

  TaskData finish(const std::string& path) {
    if (data_.examples.empty()) {
      const bool by_language = columns_.language != kNoColumn;
      throw DataError(path + ": no examples" +
                      (by_language ? " of language " + quoted(options_.language) : "") + " in " +
                      std::to_string(rows_) + " rows");
    }
    const std::vector<int32_t> places = labels_.sort();
    for (Example& example : data_.examples)
      if (example.label >= 0) example.label = places[static_cast<size_t>(example.label)];
    data_.labels = labels_.names();
    return std::move(data_);
  }

 private:
  static std::string& field(std::vector<std::string>& fields, int64_t column) {
    return fields[static_cast<size_t>(column)];
  }

  void tally(RowTally& rows) const {
    if (rows.rows++ == 0) rows.first_where = reader_.where();
  }

  // A broken row may be passed over in training, but each row of a test set needs a prediction.
  bool has_right_count(const std::vector<std::string>& fields) {
    const int64_t count = std::ssize(fields);
    if (count >= columns_.min_count && count <= columns_.max_count) return true;
    if (!columns_.layout->skips_malformed || !data_.labelled) {
      const std::string least = std::to_string(columns_.min_count);
      const std::string most = std::to_string(columns_.max_count);
      throw DataError(reader_.where() + ": " + std::to_string(count) + " columns, expected " +
                      (least == most ? least : least + " to " + most));
    }
    tally(data_.malformed);
    return false;
  }

  // False if the annotators gave no label.
  bool read_label(const std::string& text, Example& example) {
    if (std::ranges::count(columns_.layout->unlabelled, text) > 0) {
      tally(data_.unlabelled);
      return false;
    }
    if (target_.kind == TaskKind::kRegression)
      example.score = score_of(text);
    else
      example.label = label_of(text);
    return true;
  }

  double score_of(const std::string& text) const {
    const auto score = number_in<double>(text);
    if (!score || !(*score >= target_.lowest && *score <= target_.highest)) {
      char range[80];
      std::snprintf(range, sizeof range, "%g to %g", target_.lowest, target_.highest);
      throw DataError(reader_.where() + ": score " + quoted(text) + ", expected a number from " +
                      range);
    }
    return *score;
  }

  int32_t label_of(const std::string& text) {
    const std::vector<std::string>& spellings = columns_.layout->label_texts;
    const int32_t label = labels_.index_of(text, spellings);
    if (label >= 0) return label;
    throw DataError(reader_.where() + ": " +
                    labels_.problem(text, quoted(columns_.layout->label), spellings));
  }

  void repair(Example& example) {
    bool broken = false;
    for (std::string* text : {&example.first, &example.second}) {
      if (invalid_utf8_at(*text) == std::string::npos) continue;
      *text = replace_invalid_utf8(*text);
      broken = true;
    }
    if (broken) tally(data_.not_utf8);
    if (example.first.empty() || (columns_.second != kNoColumn && example.second.empty()))
      tally(data_.empty);
  }

  const RecordReader& reader_;
  const Columns columns_;
  const Target& target_;
  const ReadOptions& options_;
  LabelList labels_;
  TaskData data_;
  int64_t rows_ = 0;
};

}  // namespace

TaskData read_examples(const std::string& path, const std::vector<TableLayout>& layouts,
                       const Target& target, const ReadOptions& options) {
  check_layouts(layouts, target, options);
  RecordReader reader(path, layouts.front().format);
  std::vector<std::string> fields;
  if (!reader.next(fields)) throw DataError(path + ": no examples: the file is empty");
  const Columns columns = match_columns(layouts, fields, options, reader.where());
  const TableLayout& layout = *columns.layout;
  if (options.labels == LabelUse::kRequired && columns.label == kNoColumn)
    throw DataError(reader.where() + ": no column " + quoted(layout.label) + " with the labels");
  if (columns.language != kNoColumn && options.language.empty())
    throw ConfigError(path + " holds several languages: say which one to read");
  reader.use(columns);
  ExampleBuilder builder(reader, columns, target, options);
  if (!layout.header) builder.add(fields);
  while (reader.next(fields)) builder.add(fields);
  return builder.finish(path);
}

std::vector<int64_t> TaskData::label_counts() const {
  std::vector<int64_t> counts(labels.size());
  for (const Example& example : examples)
    if (example.label >= 0) ++counts[static_cast<size_t>(example.label)];
  return counts;
}

std::string TaskData::summary() const {
  std::string text = std::to_string(examples.size()) + " examples";
  if (!labelled) text += " without labels";
  if (labelled && !labels.empty()) {
    const std::vector<int64_t> counts = label_counts();
    std::string parts;
    for (size_t i = 0; i < labels.size(); ++i)
      parts += (i == 0 ? "" : ", ") + std::to_string(counts[i]) + " of " + quoted(labels[i]);
    text += " (" + parts + ")";
  }
  const auto mention = [&](const RowTally& rows, const char* what) {
    if (rows.rows > 0)
      text += "; " + std::to_string(rows.rows) + " rows " + what + ", first " + rows.first_where;
  };
  mention(malformed, "skipped: wrong number of columns");
  mention(unlabelled, "skipped: no label");
  mention(not_utf8, "with bytes that are not UTF-8, replaced by U+FFFD");
  mention(empty, "with an empty text");
  return text;
}

}  // namespace dietmt::data
