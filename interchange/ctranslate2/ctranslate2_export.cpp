#include "interchange/ctranslate2/ctranslate2_export.h"

#include <ATen/ATen.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "encoders/transformer/layers.h"
#include "encoders/transformer/stacks.h"
#include "interchange/ctranslate2/ctranslate2_file.h"
#include "interchange/ctranslate2/ctranslate2_names.h"
#include "interchange/ctranslate2/ctranslate2_positions.h"
#include "interchange/export_problems.h"
#include "interchange/foreign_tensors.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;
using encoders::AttentionSite;

void add_choices(CTranslate2File& file, const std::string& scope, const nmt::ModelConfig& config) {
  file.add(scope + "/num_heads", static_cast<int16_t>(config.heads));
  file.add(scope + "/pre_norm", static_cast<int8_t>(config.norm == "pre"));
  file.add(scope + "/activation", ctranslate2_activation(config.activation));
  file.add(scope + "/scale_embeddings",
           static_cast<float>(std::sqrt(static_cast<double>(config.width))));
}

// CTranslate2 averages the first `alignment_heads` heads of a layer.
void add_alignment(CTranslate2File& file, const nmt::ModelConfig& config) {
  const nmt::AlignmentSite site = config.alignment();
  const int64_t heads = site.head == nmt::AlignmentSite::kAllHeads ? config.heads : 1;
  file.add("decoder/alignment_layer", static_cast<int16_t>(site.layer));
  file.add("decoder/alignment_heads", static_cast<int16_t>(heads));
}

// Parameter `name`, reordered so that an aligning head comes first in its layer.
Tensor ordered_heads(const std::string& name, const Tensor& parameter,
                     const nmt::ModelConfig& config) {
  const nmt::AlignmentSite site = config.alignment();
  const std::string scope = "decoder.layer" + std::to_string(site.layer) + ".cross_attention.";
  if (site.head <= 0 || !name.starts_with(scope) || name == scope + "output_bias") return parameter;
  const int64_t dim = name == scope + "output_weight" ? 1 : 0;
  const Tensor heads =  // queries, or keys and values: [.., H, Dh, ..]
      parameter.detach().unflatten(dim, {-1, config.heads, config.width / config.heads});
  return at::cat({heads.narrow(dim + 1, site.head, 1), heads.narrow(dim + 1, 0, site.head),
                  heads.narrow(dim + 1, site.head + 1, config.heads - site.head - 1)},
                 dim + 1)
      .flatten(dim, dim + 2);
}

void add_parameters(CTranslate2File& file, const nmt::TranslationModel& model) {
  const nmt::ModelConfig& config = model.config();
  const auto parameters = model.named_parameters();
  for (const Correspondence& row :
       correspondences(config, ctranslate2_names(config.activation == "swiglu"))) {
    const auto parts = ordered_heads(row.ours, parameters[row.ours], config)
                           .chunk(static_cast<int64_t>(row.theirs.size()));
    for (size_t i = 0; i < parts.size(); ++i) file.add(row.theirs[i], parts[i]);
  }
  const Tensor& source = parameters["source_embedding"];
  file.add("encoder/embeddings_0/weight", source);
  file.add("decoder/embeddings/weight",
           config.tied_embeddings == "all" ? source : parameters["target_embedding"]);
  file.add("decoder/projection/weight", model.output_weight());
  if (config.output_bias) file.add("decoder/projection/bias", model.output_bias());
}

encoders::EncodingContext context_of(const nmt::ModelConfig& config, AttentionSite site) {
  encoders::EncodingContext context;
  context.site = site;
  context.layers = site == AttentionSite::kEncoder ? config.encoder_layers : config.decoder_layers;
  context.heads = config.heads;
  context.head_width = config.width / config.heads;
  context.model_width = config.width;
  context.max_positions = config.max_positions;
  return context;
}

CTranslate2File exported(const nmt::TranslationModel& model) {
  const nmt::ModelConfig& config = model.config();
  CTranslate2File file;
  std::vector<std::string> problems = choices_of_dietmt(config, "CTranslate2");
  const auto add_stack = [&](const char* scope, AttentionSite site,
                             const encoders::PositionScheme& scheme) {
    add_choices(file, scope, config);
    std::string problem = add_positions(file, {scope, scheme, context_of(config, site)});
    if (!problem.empty()) problems.push_back(std::move(problem));
  };
  add_stack("encoder", AttentionSite::kEncoder, *model.encoder_position());
  add_stack("decoder", AttentionSite::kDecoder, *model.decoder_position());
  if (config.decoder_layer == "ssru")
    problems.push_back("CTranslate2 does not support a recurrent decoder (--decoder-layer ssru)");
  throw_if_any(problems);
  add_alignment(file, config);
  add_parameters(file, model);
  return file;
}

nlohmann::json pieces_of(const data::Tokenizer& tokenizer) {
  nlohmann::json pieces = nlohmann::json::array();
  for (int32_t id = 0; id < tokenizer.vocabulary_size(); ++id)
    pieces.push_back(tokenizer.piece(id));
  return pieces;
}

void write_vocabularies(const std::filesystem::path& directory, const nmt::LoadedModel& model) {
  const auto write = [&](const char* name, const nlohmann::json& pieces) {
    write_file_atomically(directory / name, pieces.dump(0) + "\n");
  };
  const nlohmann::json source = pieces_of(*model.source_tokenizer);
  const nlohmann::json target = pieces_of(*model.target_tokenizer);
  if (source == target) {
    write("shared_vocabulary.json", source);
  } else {
    write("source_vocabulary.json", source);
    write("target_vocabulary.json", target);
  }
  for (const auto& [name, tokenizer] : {std::pair("source.spm", model.source_tokenizer),
                                        std::pair("target.spm", model.target_tokenizer)})
    if (!tokenizer->sentencepiece().empty())
      write_file_atomically(directory / name, tokenizer->sentencepiece());
}

}  // namespace

void export_ctranslate2(const std::filesystem::path& directory, const nmt::LoadedModel& model) {
  if (model.source_tokenizer->source_ending().size() > 1)
    throw ConfigError("CTranslate2 adds no language after a source, which this model reads");
  const CTranslate2File file = exported(*model.model);
  const data::Tokenizer& target = *model.target_tokenizer;
  const nlohmann::json description = {
      {"add_source_bos", false},
      {"add_source_eos", !model.source_tokenizer->source_ending().empty()},
      {"bos_token", target.piece(target.begin_id())},
      {"decoder_start_token", target.piece(target.begin_id())},
      {"eos_token", target.piece(target.end_id())},
      {"unk_token", target.piece(target.unknown_id())},
      {"layer_norm_epsilon", model.model->config().norm_epsilon},
      {"multi_query_attention", false}};
  write_file_atomically(directory / "config.json", description.dump(2) + "\n");
  write_vocabularies(directory, model);
  file.write(directory / "model.bin");
}

}  // namespace dietmt::interchange
