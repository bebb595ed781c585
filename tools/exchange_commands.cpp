// dietmt import, dietmt export: translation models of other programs.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "interchange/ctranslate2/ctranslate2.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/marian/marian.h"
#include "tools/commands.h"
#include "tools/training_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct ExchangeOptions {
  std::string from;
  std::string vocabularies;
  std::string pieces;
  std::string to;
  std::string output;
};

void add_output_problems(const ExchangeOptions& options, std::vector<std::string>& problems) {
  if (options.output.empty())
    problems.push_back("--output is missing");
  else if (fs::exists(options.output))
    problems.push_back("--output " + options.output + " exists already");
}

struct Format {
  const char* name;
  void (*write)(const fs::path& directory, const nmt::LoadedModel& model);
};
constexpr Format kFormats[] = {{"ctranslate2", interchange::export_ctranslate2},
                               {"huggingface", interchange::export_marianmt}};

const Format* find_format(const std::string& name) {
  for (const Format& format : kFormats)
    if (name == format.name) return &format;
  return nullptr;
}

void write_imported(const fs::path& directory, const nmt::LoadedModel& imported) {
  const bool one_tokenizer =
      imported.source_tokenizer->serialized() == imported.target_tokenizer->serialized();
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : imported.model->named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  nmt::write_model(directory, imported.model->config(), weights, *imported.source_tokenizer,
                   one_tokenizer ? *imported.source_tokenizer : *imported.target_tokenizer);
}

/// One or two files, separated by a comma.
std::vector<fs::path> split_files(const std::string& files) {
  if (files.empty()) return {};
  const size_t comma = std::min(files.find(','), files.size());
  std::vector<fs::path> both = {files.substr(0, comma)};
  if (comma < files.size()) both.emplace_back(files.substr(comma + 1));
  return both;
}

nmt::LoadedModel import_model(const ExchangeOptions& options) {
  if (fs::path(options.from).extension() != ".npz") {
    if (!options.vocabularies.empty() || !options.pieces.empty())
      throw ConfigError("--vocabulary and --pieces are for Marian's .npz; MarianMT has its own");
    return interchange::import_marianmt(options.from);
  }
  return interchange::import_marian(
      {options.from, split_files(options.vocabularies), split_files(options.pieces)});
}

}  // namespace

int run_import(const std::vector<std::string>& arguments) {
  ExchangeOptions options;
  OptionTable table("import", "--from DIR|FILE.npz --output DIR",
                    "Makes a model directory, in fp32, of a MarianMT directory of Hugging Face's "
                    "transformers, as all OPUS-MT models are, or of a Marian model.");
  table
      .add("from", &options.from, "DIR|FILE",
           "a directory with config.json, model.safetensors, source.spm, target.spm and "
           "vocab.json, or Marian's .npz")
      .add("vocabulary", &options.vocabularies, "FILE[,FILE]",
           "Marian's, .spm or .yml, of the source and of the target if it has another")
      .add("pieces", &options.pieces, "FILE[,FILE]",
           "sentencepiece models that cut text into the pieces of a .yml")
      .add("output", &options.output, "DIR", "the new model directory");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  if (options.from.empty()) problems.push_back("--from is missing");
  add_output_problems(options, problems);
  throw_if_any(problems);

  const nmt::LoadedModel imported = import_model(options);
  AtomicDirectory output(options.output);
  write_imported(output.path(), imported);
  output.commit();
  spdlog::info("{}: {} parameters", options.output, parameter_count(*imported.model));
  return 0;
}

int run_export(const std::vector<std::string>& arguments) {
  ExchangeOptions options;
  OptionTable table("export", "--model DIR --to FORMAT --output DIR",
                    "Writes a translation model as another program reads it. ctranslate2: "
                    "CTranslate2 4.8, in fp32; huggingface: MarianMT of Hugging Face's "
                    "transformers. What they do not have is an error.");
  table
      .add("model", &options.from, "DIR",
           "model directory or output directory of train (its best checkpoint)")
      .add("to", &options.to, "FORMAT", "ctranslate2 or huggingface")
      .add("output", &options.output, "DIR", "the new directory");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  if (options.from.empty()) problems.push_back("--model is missing");
  const Format* format = find_format(options.to);
  if (format == nullptr)
    problems.push_back("--to is '" + options.to + "'; possible: ctranslate2, huggingface");
  add_output_problems(options, problems);
  throw_if_any(problems);

  const nmt::LoadedModel model = nmt::load_model(options.from);
  AtomicDirectory output(options.output);
  format->write(output.path(), model);
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
