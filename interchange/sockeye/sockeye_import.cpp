#include "interchange/sockeye/sockeye_import.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/sockeye/sockeye_options.h"
#include "interchange/sockeye/sockeye_vocabularies.h"
#include "interchange/sockeye/sockeye_weights.h"
#include "interchange/yaml_values.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kStacks[] = {"encoder", "decoder"};

void require_version(const fs::path& directory) {
  const fs::path file = directory / "version";
  if (!fs::exists(file)) return;
  const std::string version = read_file(file);
  if (version.starts_with("1.") || version.starts_with("2."))
    throw CheckpointError(
        file.string() + ": the model is one of Sockeye " + version.substr(0, version.find('\n')) +
        ", which stores tensors of MXNet; Sockeye 3.0 converts it " + "(sockeye.mx_to_pt)");
}

/// Sockeye uses the last position for all later ones.
Tensor lengthened(const Tensor& table, int64_t positions) {
  const Tensor last = table.slice(0, -1);
  return at::cat({table, last.expand({positions - table.size(0), table.size(1)})});
}

/// The tables of learned positions, and their size in `config`.
std::map<std::string, TensorsByName> read_positions(ForeignTensors& tensors,
                                                    nmt::ModelConfig& config) {
  const std::string* specs[] = {&config.encoder_position, &config.decoder_position};
  int64_t longest = 0;
  for (size_t side = 0; side < std::size(kStacks); ++side) {
    if (*specs[side] == "learned")
      longest = std::max(longest, tensors.matrix(kSockeyePositions[side]).size(0));
    tensors.ignore(kSockeyePositions[side]);
  }
  std::map<std::string, TensorsByName> positions;
  if (longest == 0) return positions;
  config.max_positions = longest;
  for (size_t side = 0; side < std::size(kStacks); ++side)
    if (*specs[side] == "learned")
      positions[kStacks[side]] = {
          {"table", lengthened(tensors.take(kSockeyePositions[side]), longest)}};
  return positions;
}

ImportedTables read_tables(ForeignTensors& tensors, int64_t width) {
  ImportedTables tables;
  tables.source = tensors.take(kSockeyeTables[0]);
  const Tensor target = tensors.take(kSockeyeTables[1]);
  if (!is_one_table(tables.source, target)) tables.target = target;
  if (const Tensor output = tensors.take(kSockeyeOutput); !is_one_table(target, output))
    tables.output = output;
  tables.output_bias = tensors.take(kSockeyeOutputBias);
  tables.source_scale = tables.target_scale = std::sqrt(static_cast<double>(width));
  return tables;
}

}  // namespace

nmt::LoadedModel import_sockeye(const fs::path& directory, const std::vector<fs::path>& pieces) {
  require_version(directory);
  const fs::path settings = directory / "config", file = directory / "params.best";
  nmt::ModelConfig config = read_as(settings, read_yaml_values(settings), parse_sockeye_options);
  const ImportedVocabulary source = read_sockeye_vocabulary(directory, pieces, 0);
  const ImportedVocabulary target = read_sockeye_vocabulary(directory, pieces, 1);
  config.source_vocabulary = source.pieces;
  config.target_vocabulary = target.pieces;
  config.tied_embeddings = "none";
  throw_with_their_names(config.problems(settings.string()), settings, sockeye_settings());
  ForeignTensors tensors(file, load_sockeye_weights(file, config));
  const std::map<std::string, TensorsByName> positions = read_positions(tensors, config);
  nmt::require_buildable(config, sizeof(float), settings.string());
  TensorsByName values = tensors.take_layers(config, sockeye_names(config));
  set_tables(read_tables(tensors, config.width), source, target, tensors, config, values);
  tensors.refuse_others();
  const auto model = nmt::unset_model(config);
  name_positions(*model, positions, values);
  set_parameters(*model, values, file);
  model->eval();
  return {model, source.tokenizer, target.tokenizer, directory};
}

}  // namespace dietmt::interchange
