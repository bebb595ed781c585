#include "interchange/joeynmt/joeynmt_import.h"

#include <ATen/ATen.h>
#include <spdlog/spdlog.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "data/text/piece_list.h"
#include "interchange/foreign_model.h"
#include "interchange/huggingface/transformers_config.h"
#include "interchange/huggingface/weights.h"
#include "interchange/joeynmt/joeynmt_options.h"
#include "interchange/model_files.h"
#include "interchange/yaml_values.h"
#include "nmt/network/unset_model.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

using at::Tensor;

constexpr const char* kVocabularies[] = {"src_vocab.txt", "trg_vocab.txt"};
constexpr const char* kTables[] = {"src_embed.lut.weight", "trg_embed.lut.weight"};
constexpr const char* kOutput = "decoder.output_layer.weight";

LayerNames joeynmt_names() {
  return {.encoder_layer = "encoder.layers.*.",
          .decoder_layer = "decoder.layers.*.",
          .first_layer = 0,
          .self_input = {"self_att.q_layer.*", "self_att.k_layer.*", "self_att.v_layer.*"},
          .self_output = "self_att.output_layer.*",
          .self_norm = "layer_norm.*",
          .cross_query = "src_trg_att.q_layer.*",
          .cross_memory = {"src_trg_att.k_layer.*", "src_trg_att.v_layer.*"},
          .cross_output = "src_trg_att.output_layer.*",
          .cross_norm = "dec_layer_norm.*",
          .feed_forward_inner = {"feed_forward.pwff_layer.0.*"},
          .feed_forward_outer = "feed_forward.pwff_layer.3.*",
          .feed_forward_norm = "feed_forward.layer_norm.*",
          .final_norms = {"encoder.layer_norm.*", "decoder.layer_norm.*"},
          .weight = "weight",
          .bias = "bias",
          .scale = "weight",
          .shift = "bias"};
}

constexpr std::pair<std::string_view, std::string_view> kCommonNames[] = {
    {".src_src_att.", ".self_att."},
    {".trg_trg_att.", ".self_att."},
    {".x_layer_norm.", ".layer_norm."}};

/// One name for the parts of encoder and decoder layers that do the same.
TensorsByName with_common_names(const TensorsByName& tensors) {
  TensorsByName renamed;
  for (const auto& [theirs, tensor] : tensors) {
    std::string name = theirs;
    for (const auto& [part, common] : kCommonNames)
      if (const size_t at = name.find(part); at != name.npos) name.replace(at, part.size(), common);
    renamed[name] = tensor;
  }
  return renamed;
}

/// Special pieces come first, whether the file lists them or not.
std::vector<std::string> read_pieces(const fs::path& file, const JoeynmtOptions& options) {
  std::vector<std::string> listed = {options.unknown, options.padding, options.begin, options.end};
  if (!options.separator.empty()) listed.push_back(options.separator);
  for (std::string& line : data::list_lines(read_file(file), file.string()))
    listed.push_back(std::move(line));
  std::vector<std::string> pieces;
  std::set<std::string> known;
  for (const std::string& piece : listed)
    if (known.insert(piece).second) pieces.push_back(piece);
  return pieces;
}

ImportedVocabulary read_vocabulary(const fs::path& directory, const JoeynmtOptions& options,
                                   const std::vector<fs::path>& given, size_t side) {
  const JoeynmtSide& settings = side == 0 ? options.source : options.target;
  const fs::path file = directory / kVocabularies[side];
  data::PieceVocabulary numbered;
  numbered.pieces = read_pieces(file, options);
  numbered.unknown = data::piece_id(numbered.pieces, options.unknown);
  numbered.begin = data::piece_id(numbered.pieces, options.begin);
  numbered.end = data::piece_id(numbered.pieces, options.end);
  numbered.tags.push_back(data::piece_id(numbered.pieces, options.padding));
  Splitter splitter = find_splitter(directory, given, side, {settings.subword_file});
  if (!settings.subword_file.empty() && splitter.bytes.empty())
    throw CheckpointError(directory.string() + ": has no " + settings.subword_file +
                          ", which cuts text into pieces; put it there, or give it with --pieces");
  if (!settings.prepared_by.empty())
    spdlog::warn("{}: before text becomes pieces, JoeyNMT {}: prepare texts so", file.string(),
                 settings.prepared_by);
  if (splitter.bytes.empty()) splitter.where = file.string();
  return imported_vocabulary(std::move(numbered), splitter);
}

ImportedTables read_tables(ForeignTensors& tensors, const JoeynmtOptions& options) {
  ImportedTables tables;
  tables.source = tensors.take(kTables[0]);
  const Tensor target = tensors.take(kTables[1]);
  if (!is_one_table(tables.source, target)) tables.target = target;
  if (const Tensor output = tensors.take(kOutput); !is_one_table(target, output))
    tables.output = output;
  const double scale = std::sqrt(static_cast<double>(options.model.width));
  tables.source_scale = options.source.scales_embeddings ? scale : 1.0;
  tables.target_scale = options.target.scales_embeddings ? scale : 1.0;
  return tables;
}

fs::path checkpoint_in(const fs::path& directory) {
  const fs::path best = first_file(directory, {"best.ckpt"});
  return best.empty() ? only_checkpoint(directory, ".ckpt", "JoeyNMT") : best;
}

}  // namespace

nmt::LoadedModel import_joeynmt(const fs::path& directory, const std::vector<fs::path>& pieces) {
  const fs::path settings = directory / "config.yaml";
  const JoeynmtOptions options =
      read_as(settings, read_yaml_values(settings), parse_joeynmt_options);
  const ImportedVocabulary source = read_vocabulary(directory, options, pieces, 0);
  const ImportedVocabulary target = read_vocabulary(directory, options, pieces, 1);
  const fs::path checkpoint = checkpoint_in(directory);
  ForeignTensors tensors(checkpoint,
                         with_common_names(load_checkpoint(checkpoint, TorchContent::kJoeynmt)));
  nmt::ModelConfig config = options.model;
  config.source_vocabulary = source.pieces;
  config.target_vocabulary = target.pieces;
  config.tied_embeddings = "none";
  throw_with_their_names(config.problems(settings.string()), settings, joeynmt_settings());
  nmt::require_buildable(config, sizeof(float), settings.string());
  for (const char* sinusoids : {"encoder.pe.pe", "decoder.pe.pe"}) tensors.ignore(sinusoids);
  TensorsByName values = tensors.take_layers(config, joeynmt_names());
  set_tables(read_tables(tensors, options), source, target, tensors, config, values);
  tensors.refuse_others();
  const auto model = nmt::unset_model(config);
  set_parameters(*model, values, checkpoint);
  model->eval();
  return {model, source.tokenizer, target.tokenizer, directory};
}

}  // namespace dietmt::interchange
