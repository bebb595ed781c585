#include "tools/clean_files.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/files.h"
#include "data/text/text_column.h"
#include "nmt/translation/line_writer.h"

namespace dietmt::tools {
namespace {

namespace fs = std::filesystem;

// "text.tsv" for text.tsv.gz.
std::string uncompressed_name(const std::string& file) {
  for (const char* end : {".gz", ".bz2", ".xz", ".zst"})
    if (file.ends_with(end)) return fs::path(file).replace_extension().string();
  return file;
}

std::string format_of(const CleanOptions& o) {
  if (o.format != "auto") return o.format;
  const std::string end = fs::path(uncompressed_name(o.inputs.front())).extension();
  if (end == ".tsv" || end == ".tab") return "tsv";
  if (end == ".tmx") return "tmx";
  if (end == ".jsonl" || end == ".ndjson" || end == ".json") return "jsonl";
  return "";
}

bool is_for_pairs(const std::string& output) {
  return !nmt::is_file_output(output) || fs::path(uncompressed_name(output)).extension() == ".tsv";
}

// ".de" of train.de.gz; of names without an end, or with the same one, the name of the side.
std::array<std::string, 2> ends_of(const std::vector<std::string>& inputs) {
  std::array<std::string, 2> ends;
  for (size_t i = 0; i < 2; ++i)
    ends[i] = fs::path(uncompressed_name(data::TextColumn(inputs[i]).file)).extension();
  if (ends[0].empty() || ends[1].empty() || ends[0] == ends[1]) return {".source", ".target"};
  return ends;
}

void add_input_problems(const CleanOptions& o, std::vector<std::string>& problems) {
  if (o.inputs.empty() || o.inputs.size() > 2) {
    problems.emplace_back("give two texts, or one file with both sides");
    return;
  }
  if (o.inputs.size() == 2) {
    if (o.inputs[0] == "-" && o.inputs[1] == "-")
      problems.emplace_back("both texts cannot be standard input");
    if (!o.columns.empty() || !o.score_column.empty() || o.format != "auto")
      problems.emplace_back("--format, --columns and --score-column are for one input");
    return;
  }
  if (format_of(o).empty())
    problems.push_back("--format tsv, jsonl or tmx is needed for " + o.inputs.front());
  if (format_of(o) == "tmx") {
    if (o.languages.source.empty())
      problems.emplace_back("TMX needs --source-language and --target-language");
    if (!o.columns.empty() || !o.score_column.empty())
      problems.emplace_back("TMX has no --columns");
  }
  if (!o.columns.empty() && std::ranges::count(o.columns, ',') != 1)
    problems.push_back("--columns is " + o.columns + "; it must be SOURCE,TARGET");
}

// An output must be neither an input nor another output.
void add_shared_files(const CleanOptions& o, std::vector<std::string>& problems) {
  std::vector<std::string> inputs;
  for (const std::string& input : o.inputs) inputs.push_back(data::TextColumn(input).file);
  if (!o.rules.empty()) inputs.push_back(o.rules);
  const OutputFiles files = output_files(o);
  std::vector<std::string> outputs;
  for (const std::string& file : {files.source, files.target, files.pairs, o.removed})
    if (!file.empty()) outputs.push_back(file);
  std::ranges::copy(o.reports, std::back_inserter(outputs));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = outputs[i];
    const auto is_same = [&](const std::string& file) {
      return file == output || (nmt::is_file_output(file) && nmt::is_file_output(output) &&
                                file != "-" && is_same_file(file, output));
    };
    if (output != "-" && std::ranges::any_of(inputs, is_same))
      problems.push_back("an output and an input are one file: " + output);
    if (std::any_of(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(i), is_same))
      problems.push_back("two outputs are one file: " + output);
    for (const char* end : {".xz", ".zst", ".bz2"})
      if (output.ends_with(end))
        problems.push_back(output + " would not be compressed; only names with .gz are");
  }
}

void add_output_problems(const CleanOptions& o, std::vector<std::string>& problems) {
  if (o.dry_run && (!o.outputs.empty() || !o.removed.empty()))
    problems.emplace_back("--dry-run writes neither --output nor --removed");
  if (!o.dry_run && o.outputs.empty()) problems.emplace_back("--output or --dry-run is missing");
  if (o.outputs.size() > 2) problems.emplace_back("--output has more than two files");
  for (const std::string& report : o.reports)
    if (!report.ends_with(".html") && !report.ends_with(".json"))
      problems.push_back("--report is " + report + "; it must end in .html or .json");
  if (o.inputs.size() == 1 || o.inputs.size() == 2) add_shared_files(o, problems);
}

}  // namespace

std::vector<std::string> clean_problems(const CleanOptions& o) {
  std::vector<std::string> problems;
  add_input_problems(o, problems);
  if (o.languages.source.empty() != o.languages.target.empty())
    problems.emplace_back("give both --source-language and --target-language, or none");
  if (o.score_model.empty() && !o.score_model_reverse.empty())
    problems.emplace_back("--score-model-reverse needs --score-model");
  add_output_problems(o, problems);
  return problems;
}

OutputFiles output_files(const CleanOptions& o) {
  OutputFiles files;
  if (o.outputs.size() == 2) {
    files.source = o.outputs[0];
    files.target = o.outputs[1];
  } else if (o.outputs.size() == 1 && (o.inputs.size() == 1 || is_for_pairs(o.outputs[0]))) {
    files.pairs = o.outputs[0];
    files.keeps_lines = o.inputs.size() == 1 && format_of(o) != "tmx";
  } else if (o.outputs.size() == 1) {
    const auto ends = ends_of(o.inputs);
    files.source = o.outputs[0] + ends[0];
    files.target = o.outputs[0] + ends[1];
  }
  const std::string& first = files.pairs.empty() ? files.source : files.pairs;
  files.directory = first.empty() || !nmt::is_file_output(first) ? fs::temp_directory_path()
                                                                 : parent_directory(first);
  return files;
}

std::unique_ptr<data::PairSource> open_pairs(const CleanOptions& o) {
  if (o.inputs.size() == 2) return data::open_text_pairs(o.inputs[0], o.inputs[1]);
  if (format_of(o) == "tmx")
    return data::open_tmx(o.inputs[0], o.languages.source, o.languages.target);
  const bool is_tsv = format_of(o) == "tsv";
  data::PairColumns columns{.source = is_tsv ? "1" : "source",
                            .target = is_tsv ? "2" : "target",
                            .score = o.score_column};
  if (const size_t comma = o.columns.find(','); comma != std::string::npos) {
    columns.source = o.columns.substr(0, comma);
    columns.target = o.columns.substr(comma + 1);
  }
  return is_tsv ? data::open_tsv(o.inputs[0], columns)
                : data::open_json_lines(o.inputs[0], columns);
}

}  // namespace dietmt::tools
