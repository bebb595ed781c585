#include "interchange/opennmt/opennmt_import.h"

#include <ATen/ATen.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "interchange/foreign_model.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/model_files.h"
#include "interchange/opennmt/opennmt_files.h"
#include "interchange/opennmt/opennmt_names.h"
#include "interchange/opennmt/opennmt_options.h"
#include "interchange/opennmt/opennmt_vocabularies.h"
#include "interchange/pytorch/torch_file.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;
using nlohmann::json;

constexpr const char* kStacks[] = {"encoder", "decoder"};

struct OpennmtFiles {
  OpennmtOptions options;
  fs::path weights_file;  // for messages
  fs::path vocabulary_file;
  json vocabulary;
  TensorsByName weights = {};
};

OpennmtFiles read_eole(const fs::path& directory) {
  const fs::path vocabulary = directory / kEoleVocabulary;
  return {read_json_as(directory / kEoleConfig, parse_eole_options), directory, vocabulary,
          read_json(vocabulary), load_eole_weights(directory)};
}

OpennmtFiles read_checkpoint(const fs::path& from) {
  const fs::path file = fs::is_directory(from) ? only_checkpoint(from, ".pt", "OpenNMT-py") : from;
  const json values = read_torch_values(file, {"opt", "vocab"});
  for (const char* needed : {"opt", "vocab"})
    if (!values.contains(needed))
      throw CheckpointError(
          file.string() + ": has no '" + needed +
          "', so it is not a checkpoint of OpenNMT-py; if it is one of fairseq, " +
          "put dict.SRC.txt and dict.TGT.txt next to it");
  return {read_as(file, values["opt"], parse_opennmt_options), file, file, values["vocab"],
          with_eole_names(load_opennmt_weights(file))};
}

LayerNames names_of(const nmt::ModelConfig& config) {
  LayerNames names = opennmt_names();
  if (config.activation == "swiglu" || config.activation == "geglu-tanh")
    names.feed_forward_inner.emplace_back("mlp.up_proj.*");
  return names;
}

Tensor vectors_of_offsets(ForeignTensors& tensors, const std::string& stack, int64_t layers) {
  std::vector<Tensor> tables;
  for (int64_t l = 0; l < layers; ++l)
    tables.push_back(tensors.take(stack + ".transformer_layers." + std::to_string(l) +
                                  ".self_attn.relative_positions_embeddings.weight"));
  for (const Tensor& table : tables)
    if (table.sizes() != tables.front().sizes())
      tensors.fail("its layers have vectors of offsets of several sizes");
  return at::stack(tables).unsqueeze(1);
}

/// The parameters of positions, and the size of learned tables in `config`.
std::map<std::string, TensorsByName> read_positions(ForeignTensors& tensors,
                                                    nmt::ModelConfig& config) {
  std::map<std::string, TensorsByName> positions;
  for (size_t side = 0; side < std::size(kStacks); ++side) {
    const std::string stack = kStacks[side], prefix = kOpennmtPositions[side];
    const std::string& spec = side == 0 ? config.encoder_position : config.decoder_position;
    tensors.ignore(prefix + "pe");
    if (spec.find("shaw") != spec.npos)
      positions[stack] = {
          {"keys", vectors_of_offsets(tensors, stack,
                                      side == 0 ? config.encoder_layers : config.decoder_layers)}};
    if (spec != "learned") continue;
    const Tensor table = tensors.take(prefix + "weight");
    if (side > 0 && table.size(0) != config.max_positions)
      tensors.fail("has tables of two numbers of positions; dietmt has one size");
    config.max_positions = table.size(0);
    positions[stack] = {{"table", table}};
  }
  return positions;
}

/// eole's decoder layers end with a factor.
void require_no_factors(ForeignTensors& tensors, const nmt::ModelConfig& config) {
  for (int64_t l = 0; l < config.decoder_layers; ++l) {
    const std::string name = "decoder.transformer_layers." + std::to_string(l) + ".layer_scalar";
    if (tensors.contains(name) && tensors.take(name).ne(1).any().item<bool>())
      tensors.fail(name + " is not 1; dietmt's layers have no such factor");
  }
}

ImportedTables read_tables(ForeignTensors& tensors, const OpennmtOptions& options,
                           bool is_one_vocabulary) {
  ImportedTables tables;
  tables.source = tensors.take(kOpennmtTables[0]);
  Tensor target = tables.source;
  if (!is_one_vocabulary || tensors.contains(kOpennmtTables[1]))
    target = tensors.take(kOpennmtTables[1]);
  if (!is_one_table(tables.source, target) || !is_one_vocabulary) tables.target = target;
  if (tensors.contains(kOpennmtOutput))
    if (const Tensor output = tensors.take(kOpennmtOutput); !is_one_table(target, output))
      tables.output = output;
  if (tensors.contains(kOpennmtOutputBias)) tables.output_bias = tensors.take(kOpennmtOutputBias);
  tables.source_scale = tables.target_scale =
      options.scales_embeddings ? std::sqrt(static_cast<double>(options.model.width)) : 1.0;
  return tables;
}

void require_valid(const nmt::ModelConfig& config, const fs::path& file) {
  throw_with_their_names(config.problems(file.string()), file, opennmt_settings());
  nmt::require_buildable(config, sizeof(float), file.string());
}

}  // namespace

nmt::LoadedModel import_opennmt(const fs::path& from, const std::vector<fs::path>& pieces) {
  OpennmtFiles files = is_eole(from) ? read_eole(from) : read_checkpoint(from);
  const OpennmtVocabularies vocabularies =
      read_opennmt_vocabularies(files.vocabulary, files.vocabulary_file, files.options, pieces);
  ForeignTensors tensors(files.weights_file, std::move(files.weights));
  nmt::ModelConfig config = files.options.model;
  config.source_vocabulary = vocabularies.source.pieces;
  config.target_vocabulary = vocabularies.target.pieces;
  config.tied_embeddings = "none";
  require_valid(config, files.weights_file);
  const std::map<std::string, TensorsByName> positions = read_positions(tensors, config);
  require_no_factors(tensors, config);
  TensorsByName values = tensors.take_layers(config, names_of(config));
  set_tables(read_tables(tensors, files.options, vocabularies.is_shared), vocabularies.source,
             vocabularies.target, tensors, config, values);
  tensors.refuse_others();
  const auto model = nmt::unset_model(config);
  name_positions(*model, positions, values);
  set_parameters(*model, values, files.weights_file);
  model->eval();
  return {model, vocabularies.source.tokenizer, vocabularies.target.tokenizer,
          parent_directory(files.vocabulary_file)};
}

}  // namespace dietmt::interchange
