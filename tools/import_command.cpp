// dietmt import, dietmt bert import: models of other programs as model directories.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/marian/marian.h"
#include "tools/commands.h"
#include "tools/model_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct ImportOptions {
  std::string from;
  std::string vocabularies;
  std::string pieces;
  std::string output;
};

// Names and weights of a model's parameters.
std::vector<std::pair<std::string, at::Tensor>> weights_of(const torch::nn::Module& model) {
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : model.named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  return weights;
}

// One or two files, separated by a comma.
std::vector<fs::path> split_files(const std::string& files) {
  if (files.empty()) return {};
  const size_t comma = std::min(files.find(','), files.size());
  std::vector<fs::path> both = {files.substr(0, comma)};
  if (comma < files.size()) both.emplace_back(files.substr(comma + 1));
  return both;
}

nmt::LoadedModel import_model(const ImportOptions& o) {
  if (fs::path(o.from).extension() != ".npz") return interchange::import_marianmt(o.from);
  return interchange::import_marian({o.from, split_files(o.vocabularies), split_files(o.pieces)});
}

void write_imported(const fs::path& directory, const nmt::LoadedModel& imported) {
  const data::Tokenizer& source = *imported.source_tokenizer;
  const data::Tokenizer& target = *imported.target_tokenizer;
  const bool one_tokenizer = source.serialized() == target.serialized();
  nmt::write_model(directory, imported.model->config(), weights_of(*imported.model), source,
                   one_tokenizer ? source : target);
}

}  // namespace

int run_import(const std::vector<std::string>& arguments) {
  ImportOptions o;
  OptionTable table("import", "--from DIR|FILE.npz --output DIR",
                    "Converts a Hugging Face MarianMT model, such as the OPUS-MT models, or a "
                    "Marian model into a model directory in fp32.");
  table
      .add("from", &o.from, "DIR|FILE",
           "directory with config.json, model.safetensors, source.spm, target.spm and vocab.json, "
           "or Marian's .npz file",
           {.required = true})
      .add("vocabulary", &o.vocabularies, "FILE[,FILE]",
           "Marian's vocabulary, .spm or .yml; two files if source and target differ")
      .add("pieces", &o.pieces, "FILE[,FILE]",
           "sentencepiece models that split text into the pieces of a .yml vocabulary")
      .add("output", &o.output, "DIR", "model directory to write",
           {.required = true, .is_new = true});
  table.example("dietmt import --from opus-mt-en-de --output en-de");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  if (!o.from.empty() && fs::path(o.from).extension() != ".npz" &&
      !(o.vocabularies.empty() && o.pieces.empty())) {
    problems.emplace_back(
        "--vocabulary and --pieces need Marian's .npz in --from; MarianMT directories have their "
        "own");
  }
  table.check(problems);

  const nmt::LoadedModel imported = import_model(o);
  AtomicDirectory output(o.output);
  write_imported(output.path(), imported);
  output.commit();
  spdlog::info("{}: {} parameters", o.output, parameter_count(*imported.model));
  return 0;
}

int run_bert_import(const std::vector<std::string>& arguments) {
  std::string from, output_directory, tokenizer_path, position;
  int64_t seed = 1;
  OptionTable table("bert import", "--from DIR --output DIR",
                    "Converts a Hugging Face BERT model, with all its heads, into a model "
                    "directory in fp32.");
  table
      .add("from", &from, "DIR", "directory with config.json and model.safetensors",
           {.required = true})
      .add("output", &output_directory, "DIR", "model directory to write",
           {.required = true, .is_new = true})
      .add("tokenizer", &tokenizer_path, "PATH",
           "vocab.txt, tokenizer.model or a directory with one of them; default: that in --from")
      .add("position", &position, "SPEC",
           "replace the model's position encoding; 'dietmt train --position help' lists them")
      .add("seed", &seed, "N", "random seed of a new position encoding", ranges::kSeed);
  table.example("dietmt bert import --from bert-base-uncased --output bert");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();

  const auto tokenizer = data::load_bert_tokenizer(tokenizer_path.empty() ? from : tokenizer_path);
  const auto model = interchange::import_huggingface(
      from, {.position = position, .heads = {}, .seed = static_cast<uint64_t>(seed)});
  AtomicDirectory output(output_directory);
  bert::write_bert(output.path(), model->config(), weights_of(*model), tokenizer.get());
  output.commit();
  spdlog::info("{}: {} parameters, position encoding {}", output_directory, parameter_count(*model),
               model->config().position_and_segments());
  return 0;
}

}  // namespace dietmt::tools
