#include "interchange/fairseq/fairseq_import.h"

#include <ATen/ATen.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "interchange/fairseq/fairseq_files.h"
#include "interchange/fairseq/fairseq_options.h"
#include "interchange/fairseq/fairseq_weights.h"
#include "interchange/huggingface/bart_names.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"
#include "interchange/pytorch/torch_file.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kStacks[] = {"encoder", "decoder"};
constexpr const char* kOutputs[] = {"decoder.output_projection.weight", "decoder.embed_out"};
constexpr int64_t kFirstPosition = 2;  // row of tables that the first token reads
// Before this `version` of a stack, pre-norm models have no norm after the last layer.
constexpr float kFinalNormVersion = 3;

FairseqOptions read_options(const fs::path& checkpoint) {
  const nlohmann::json values = read_torch_values(checkpoint, {"cfg", "args"});
  if (values.empty())
    throw CheckpointError(checkpoint.string() +
                          ": has neither cfg nor args, the options of fairseq");
  return read_as(checkpoint, values.contains("cfg") ? values["cfg"] : values["args"],
                 parse_fairseq_model);
}

void require_final_norms(ForeignTensors& tensors, const nmt::ModelConfig& config) {
  for (const std::string stack : kStacks) {
    const std::string name = stack + ".version";
    if (!tensors.contains(name)) continue;
    const Tensor version = tensors.take(name);
    if (config.norm == "pre" && version.numel() == 1 && version.item<float>() < kFinalNormVersion)
      tensors.fail("its " + stack +
                   " is of an old version without a norm after the last layer, which dietmt's "
                   "pre-norm models have");
  }
}

/// Tables of learned positions, and their size in `config`.
std::map<std::string, TensorsByName> read_positions(ForeignTensors& tensors,
                                                    nmt::ModelConfig& config) {
  std::map<std::string, TensorsByName> positions;
  for (const std::string stack : kStacks) {
    const std::string prefix = stack + ".embed_positions.";
    for (const char* buffer : {"_float_tensor", "weights"}) tensors.ignore(prefix + buffer);
    const std::string& kind =
        stack == "encoder" ? config.encoder_position : config.decoder_position;
    if (kind != "learned") continue;
    const Tensor& table = tensors.matrix(prefix + "weight");
    const int64_t size = table.size(0) - kFirstPosition;
    if (!positions.empty() && size != config.max_positions)
      tensors.fail("has tables of " + std::to_string(config.max_positions) + " and " +
                   std::to_string(size) + " positions; dietmt has one size");
    config.max_positions = size;
    positions[stack] = {{"table", tensors.take(prefix + "weight").slice(0, kFirstPosition)}};
  }
  return positions;
}

void read_embedding_norms(ForeignTensors& tensors, TensorsByName& values) {
  for (const std::string stack : kStacks)
    for (const std::string word : {"weight", "bias"})
      values[stack + ".embedding_norm." + word] =
          tensors.take(stack + ".layernorm_embedding." + word);
}

ImportedTables read_tables(ForeignTensors& tensors, const FairseqOptions& options,
                           bool is_one_vocabulary) {
  ImportedTables tables;
  tables.source = tensors.take("encoder.embed_tokens.weight");
  const Tensor target = tensors.take("decoder.embed_tokens.weight");
  if (!is_one_vocabulary || !is_one_table(tables.source, target)) tables.target = target;
  for (const char* name : kOutputs)
    if (tensors.contains(name))
      if (const Tensor output = tensors.take(name); !is_one_table(target, output))
        tables.output = output;
  tables.source_scale = tables.target_scale =
      options.scales_embeddings ? std::sqrt(static_cast<double>(options.model.width)) : 1.0;
  return tables;
}

void require_valid(const nmt::ModelConfig& config, const fs::path& checkpoint) {
  throw_with_their_names(config.problems(checkpoint.string()), checkpoint, fairseq_settings());
  nmt::require_buildable(config, sizeof(float), checkpoint.string());
}

}  // namespace

nmt::LoadedModel import_fairseq(const fs::path& from, const std::vector<fs::path>& pieces) {
  const fs::path checkpoint = fairseq_checkpoint(from);
  const fs::path directory = parent_directory(checkpoint);
  const FairseqOptions options = read_options(checkpoint);
  const FairseqVocabularies vocabularies = read_fairseq_vocabularies(
      directory, options.source_language, options.target_language, pieces);
  ForeignTensors tensors(checkpoint,
                         with_new_names(load_checkpoint(checkpoint, TorchContent::kFairseq)));
  nmt::ModelConfig config = options.model;
  config.source_vocabulary = vocabularies.source.pieces;
  config.target_vocabulary = vocabularies.target.pieces;
  config.tied_embeddings = "none";
  require_final_norms(tensors, config);
  const std::map<std::string, TensorsByName> positions = read_positions(tensors, config);
  require_valid(config, checkpoint);
  TensorsByName values = tensors.take_layers(config, bart_names(""));
  for (const char* stack : kStacks) widen_feed_forward(stack, config.feed_forward, values);
  if (config.embedding_norm) read_embedding_norms(tensors, values);
  set_tables(read_tables(tensors, options, vocabularies.is_shared), vocabularies.source,
             vocabularies.target, tensors, config, values);
  tensors.refuse_others();
  const auto model = nmt::unset_model(config);
  name_positions(*model, positions, values);
  set_parameters(*model, values, checkpoint);
  model->eval();
  return {model, vocabularies.source.tokenizer, vocabularies.target.tokenizer, directory};
}

}  // namespace dietmt::interchange
