#include "tools/model_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "common/error.h"
#include "encoders/position/scheme/position_spec.h"
#include "encoders/transformer/stacks.h"
#include "nmt/network/translation_model.h"

namespace dietmt::tools {
namespace {

using encoders::AttentionSite;
using nmt::ModelConfig;

void choose_as_marian(const OptionTable& table, ModelOptions& o) {
  if (!o.marian) return;
  if (!table.given("position")) o.position = "sinusoidal(layout=halves)";
  o.model.norm_epsilon = 1e-6;
}

// The decoder's positions are the encoder's unless they have a name.
void name_positions(ModelOptions& o) {
  o.model.encoder_position = o.position;
  o.model.decoder_position = o.decoder_position.empty() ? o.position : o.decoder_position;
}

// The position encodings that no option names.
void keep_positions(const OptionTable& table, const ModelConfig& kept, ModelOptions& o) {
  const bool given = table.given("position");
  if (!given) o.position = kept.encoder_position;
  if (!given && !table.given("decoder-position") && kept.decoder_position != o.position)
    o.decoder_position = kept.decoder_position;
  if (!table.given("cross-position")) o.model.cross_position = kept.cross_position;
  name_positions(o);
}

}  // namespace

void add_dropout(OptionTable& table, const std::string& name, OptionTable::Field field,
                 const std::string& help) {
  table.add(name, field, "P", help, ranges::kDropout);
}

void bind_model_options(OptionTable& table, ModelOptions& o) {
  ModelConfig& m = o.model;
  table.group("Model")
      .add("preset", &o.preset, "",
           "model sizes: tiny (4+4 layers, width 128, feed-forward 256, 4 heads), small (6+6, 256, "
           "1024, 4), base (6+6, 512, 2048, 8), big (6+6, 1024, 4096, 16)",
           {.choices = {"tiny", "small", "base", "big"}})
      .add("encoder-layers", &m.encoder_layers, "N", "encoder layers; overrides the preset",
           ranges::kLayers)
      .add("decoder-layers", &m.decoder_layers, "N", "decoder layers; overrides the preset",
           ranges::kLayers)
      .add("width", &m.width, "N", "model width; overrides the preset", ranges::kWidth)
      .add("feed-forward", &m.feed_forward, "N",
           "inner width of the feed-forward blocks; overrides the preset", ranges::kFeedForward)
      .add("heads", &m.heads, "N", "attention heads; overrides the preset", ranges::kHeads)
      .add("kv-heads", &m.kv_heads, "N",
           "key and value heads, each shared by a group of query heads (Ainslie et al. "
           "2023); must divide --heads; 0: same as --heads",
           {.least = 0, .most = ranges::kHeads.most})
      .add("position", &o.position, "SPEC",
           "position encoding of encoder and decoder; '--position help' lists them")
      .add("decoder-position", &o.decoder_position, "SPEC",
           "position encoding of the decoder, if different")
      .add("cross-position", &m.cross_position, "SPEC", "position encoding of cross-attention")
      .add("max-positions", &m.max_positions, "N", "table size of learned encodings",
           ranges::kMaxPositions)
      .add("norm", &m.norm, "", "norm after (post) or before (pre) each block",
           {.choices = {"post", "pre"}})
      .add("norm-type", &m.norm_type, "",
           "layer: layer norm; rms: divide by the root mean square, no bias (Zhang and Sennrich "
           "2019)",
           {.choices = {"layer", "rms"}})
      .add("qk-norm", &m.qk_norm, "",
           "RMS norm of each head's queries and keys, which bounds their products (Henry et al. "
           "2020, Dehghani et al. 2023)")
      .add("activation", &m.activation, "",
           "activation of the feed-forward blocks; swiglu and geglu-tanh: gated (Shazeer 2020)",
           {.choices = {"relu", "gelu", "gelu-tanh", "silu", "swiglu", "geglu-tanh"}})
      .add("decoder-layer", &m.decoder_layer, "",
           "how the decoder reads the target so far; ssru: by a recurrence that decodes "
           "faster (Kim et al. 2019) and needs --decoder-position none, sinusoidal or "
           "learned",
           {.choices = {"self-attention", "ssru"}})
      .add("tied-embeddings", &m.tied_embeddings, "",
           "decoder: tie target and output embeddings; all: tie the source embeddings too",
           {.choices = {"none", "decoder", "all"}})
      .add("marian", &o.marian, "",
           "train a model that 'dietmt export --to marian' can convert: with Marian's "
           "sinusoids and norms, and a decoder that starts from zeros");
  add_dropout(table, "dropout", &m.dropout, "dropout on residual branches");
  add_dropout(table, "attention-dropout", &m.attention_dropout,
              "dropout on attention probabilities");
  add_dropout(table, "activation-dropout", &m.activation_dropout,
              "dropout inside feed-forward blocks");
  add_dropout(table, "embedding-dropout", &m.embedding_dropout, "dropout on embeddings");
}

void apply_preset(const OptionTable& table, ModelOptions& o) {
  choose_as_marian(table, o);
  name_positions(o);
  if (!table.allows("preset")) return;
  const ModelConfig preset = ModelConfig::preset(o.preset);
  const auto keep = [&](const char* name, int64_t ModelConfig::*field) {
    if (!table.given(name)) o.model.*field = preset.*field;
  };
  keep("encoder-layers", &ModelConfig::encoder_layers);
  keep("decoder-layers", &ModelConfig::decoder_layers);
  keep("width", &ModelConfig::width);
  keep("feed-forward", &ModelConfig::feed_forward);
  keep("heads", &ModelConfig::heads);
}

std::vector<std::string> keep_sizes(const OptionTable& table, const nmt::ModelFiles& model,
                                    ModelOptions& o) {
  const ModelConfig& kept = model.config;
  const ModelConfig preset = table.allows("preset") ? ModelConfig::preset(o.preset) : kept;
  std::vector<std::string> problems;
  const auto refuse = [&](const char* name, const auto& value, const auto& models) {
    problems.push_back(fmt::format("--{} is {}, but {} has {}, which --init-from keeps", name,
                                   value, model.directory.string(), models));
  };
  const auto keep = [&](const char* name, auto ModelConfig::*field) {
    if (table.given(name) && o.model.*field != kept.*field)
      refuse(name, o.model.*field, kept.*field);
    o.model.*field = kept.*field;
  };
  const auto keep_size = [&](const char* name, int64_t ModelConfig::*field) {
    if (table.given("preset") && !table.given(name) && preset.*field != kept.*field)
      refuse("preset", fmt::format("{} with --{} {}", o.preset, name, preset.*field),
             fmt::to_string(kept.*field));
    keep(name, field);
  };
  keep_size("encoder-layers", &ModelConfig::encoder_layers);
  keep_size("decoder-layers", &ModelConfig::decoder_layers);
  keep_size("width", &ModelConfig::width);
  keep_size("feed-forward", &ModelConfig::feed_forward);
  keep_size("heads", &ModelConfig::heads);
  o.model.alignment_layer = kept.alignment_layer;
  o.model.alignment_head = kept.alignment_head;
  keep("kv-heads", &ModelConfig::kv_heads);
  keep("norm", &ModelConfig::norm);
  keep("norm-type", &ModelConfig::norm_type);
  keep("qk-norm", &ModelConfig::qk_norm);
  keep("activation", &ModelConfig::activation);
  keep("decoder-layer", &ModelConfig::decoder_layer);
  keep("tied-embeddings", &ModelConfig::tied_embeddings);
  o.model.output_bias = kept.output_bias;
  o.model.norm_epsilon = kept.norm_epsilon;

  const auto take = [&](const char* name, auto ModelConfig::*field) {
    if (!table.given(name)) o.model.*field = kept.*field;
  };
  take("dropout", &ModelConfig::dropout);
  take("attention-dropout", &ModelConfig::attention_dropout);
  take("activation-dropout", &ModelConfig::activation_dropout);
  take("embedding-dropout", &ModelConfig::embedding_dropout);
  take("max-positions", &ModelConfig::max_positions);
  if (o.model.max_positions < kept.max_positions)
    refuse("max-positions", o.model.max_positions, kept.max_positions);
  keep_positions(table, kept, o);
  return problems;
}

bool print_position_help(const ModelOptions& o) {
  const std::string specs[] = {o.position, o.decoder_position, o.model.cross_position};
  if (std::find(std::begin(specs), std::end(specs), "help") == std::end(specs)) return false;
  ModelConfig model = o.model;
  model.source_vocabulary = model.target_vocabulary = 1;
  throw_if_any(model.problems());
  const auto encoder = nmt::encoder_config(model), decoder = nmt::decoder_config(model);
  std::cout << encoders::position_help(
      {encoders::encoding_context(encoder, AttentionSite::kEncoder),
       encoders::encoding_context(decoder, AttentionSite::kDecoder),
       encoders::encoding_context(decoder, AttentionSite::kCross)});
  return true;
}

std::vector<std::string> model_problems(const nmt::ModelConfig& model) {
  const std::vector<std::string> problems = model.problems();
  return problems.empty() ? nmt::position_problems(model) : problems;
}

void add_precision(OptionTable& table, std::string& precision) {
  table.add("precision", &precision, "", "precision of matrix products; weights stay in fp32",
            {.choices = {"fp32", "bf16"}});
}

void add_attention_backend(OptionTable& table, std::string& backend) {
  table.add("attention-backend", &backend, "", "implementation of attention",
            {.choices = {"auto", "cpu", "hopper", "cuda", "sdpa", "reference"}});
}

int64_t parameter_count(const torch::nn::Module& model) {
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  return count;
}

}  // namespace dietmt::tools
