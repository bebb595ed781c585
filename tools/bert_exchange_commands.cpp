// dietmt bert import, dietmt bert export: models of Hugging Face's transformers.
#include <spdlog/spdlog.h>

#include <filesystem>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"
#include "tools/training_options.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct BertExchangeOptions {
  std::string from;
  std::string output;
  std::string tokenizer;
  std::string position;
  int64_t seed = 1;
};

void check(const BertExchangeOptions& options, const std::string& from_name) {
  std::vector<std::string> problems;
  if (options.from.empty()) problems.push_back("--" + from_name + " is missing");
  if (options.output.empty()) problems.push_back("--output is missing");
  if (options.seed < 0) problems.push_back("--seed must not be negative");
  if (!options.output.empty() && fs::exists(options.output))
    problems.push_back("--output " + options.output + " exists already");
  throw_if_any(problems);
}

std::vector<std::pair<std::string, at::Tensor>> weights_of(const encoders::Bert& model) {
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& parameter : model.named_parameters())
    weights.emplace_back(parameter.key(), parameter.value());
  return weights;
}

}  // namespace

int run_bert_import(const std::vector<std::string>& arguments) {
  BertExchangeOptions options;
  OptionTable table("bert import", "--from DIR --output DIR",
                    "Makes a model directory of a BERT of Hugging Face's transformers, with all "
                    "its heads, in fp32.");
  table.add("from", &options.from, "DIR", "a directory with config.json and model.safetensors")
      .add("output", &options.output, "DIR", "the new model directory")
      .add("tokenizer", &options.tokenizer, "PATH",
           "vocab.txt, tokenizer.model or a directory with one of them; default: that in --from")
      .add("position", &options.position, "SPEC",
           "position encoding in place of the model's own; 'dietmt train --position help' lists "
           "them")
      .add("seed", &options.seed, "N", "of the parameters of a new position encoding");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  check(options, "from");

  const auto tokenizer =
      data::load_bert_tokenizer(options.tokenizer.empty() ? options.from : options.tokenizer);
  const auto model = interchange::import_huggingface(
      options.from,
      {.position = options.position, .heads = {}, .seed = static_cast<uint64_t>(options.seed)});
  AtomicDirectory output(options.output);
  bert::write_bert(output.path(), model->config(), weights_of(*model), tokenizer.get());
  output.commit();
  spdlog::info("{}: {} parameters, position encoding {}", options.output, parameter_count(*model),
               model->config().position_and_segments());
  return 0;
}

int run_bert_export(const std::vector<std::string>& arguments) {
  BertExchangeOptions options;
  OptionTable table("bert export", "--model DIR --output DIR",
                    "Writes a model as Hugging Face's transformers read it, which have the "
                    "position encodings learned, relative-key and relative-key-query.");
  table
      .add("model", &options.from, "DIR",
           "model directory or output directory of a training (its best checkpoint)")
      .add("output", &options.output, "DIR", "the new directory");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  check(options, "model");

  const auto model = bert::load_bert(options.from);
  const auto tokenizer = data::load_bert_tokenizer(storage::resolve_model_directory(options.from));
  AtomicDirectory output(options.output);
  interchange::export_huggingface(output.path(), *model, tokenizer.get());
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
