#include "tools/model_options.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include "common/error.h"
#include "encoders/position/scheme/position_help.h"

namespace dietmt::tools {
namespace {

using encoders::AttentionSite;
using encoders::EncodingContext;

struct Stack {
  std::string spec;
  EncodingContext context;
};

/// Encoder, decoder and cross-attention.
std::vector<Stack> stacks(const nmt::ModelConfig& model) {
  const auto stack = [&](AttentionSite site, const std::string& spec, int64_t layers) {
    EncodingContext context;
    context.site = site;
    context.layers = layers;
    context.heads = model.heads;
    context.head_width = model.width / model.heads;
    context.model_width = model.width;
    context.max_positions = model.max_positions;
    return Stack{spec, context};
  };
  return {stack(AttentionSite::kEncoder, model.encoder_position, model.encoder_layers),
          stack(AttentionSite::kDecoder, model.decoder_position, model.decoder_layers),
          stack(AttentionSite::kCross, model.cross_position, model.decoder_layers)};
}

}  // namespace

void bind_model_options(OptionTable& table, ModelOptions& o) {
  nmt::ModelConfig& m = o.model;
  table.group("Model")
      .add("preset", &o.preset, "NAME",
           "sizes: tiny (4+4 layers, 128/256, 4 heads), small (6+6, 256/1024, 4), base (6+6, "
           "512/2048, 8), big (6+6, 1024/4096, 16)")
      .add("encoder-layers", &m.encoder_layers, "N", "instead of the preset's")
      .add("decoder-layers", &m.decoder_layers, "N", "instead of the preset's")
      .add("width", &m.width, "N", "model width, instead of the preset's")
      .add("feed-forward", &m.feed_forward, "N",
           "inner width of the feed-forward blocks, instead of the preset's")
      .add("heads", &m.heads, "N", "attention heads, instead of the preset's")
      .add("position", &o.position, "SPEC",
           "position encoding of encoder and decoder; --position help lists them")
      .add("decoder-position", &o.decoder_position, "SPEC", "of the decoder, if another")
      .add("cross-position", &m.cross_position, "SPEC", "of attention to the source")
      .add("max-positions", &m.max_positions, "N", "table size of learned encodings")
      .add("norm", &m.norm, "post|pre", "layer norm after or before each block")
      .add("activation", &m.activation, "relu|gelu|silu|swiglu", "of the feed-forward blocks")
      .add("tied-embeddings", &m.tied_embeddings, "none|decoder|all",
           "decoder: the target and the output embeddings are one; all: the source's too")
      .add("dropout", &m.dropout, "P", "on residual branches")
      .add("attention-dropout", &m.attention_dropout, "P", "on attention probabilities")
      .add("activation-dropout", &m.activation_dropout, "P", "inside feed-forward blocks")
      .add("embedding-dropout", &m.embedding_dropout, "P", "on embeddings");
}

void apply_preset(const OptionTable& table, ModelOptions& o) {
  const nmt::ModelConfig preset = nmt::ModelConfig::preset(o.preset);
  const auto keep = [&](const char* name, int64_t nmt::ModelConfig::*field) {
    if (!table.given(name)) o.model.*field = preset.*field;
  };
  keep("encoder-layers", &nmt::ModelConfig::encoder_layers);
  keep("decoder-layers", &nmt::ModelConfig::decoder_layers);
  keep("width", &nmt::ModelConfig::width);
  keep("feed-forward", &nmt::ModelConfig::feed_forward);
  keep("heads", &nmt::ModelConfig::heads);
  name_positions(o);
}

void name_positions(ModelOptions& o) {
  o.model.encoder_position = o.position;
  o.model.decoder_position = o.decoder_position.empty() ? o.position : o.decoder_position;
}

bool print_position_help(const ModelOptions& o) {
  const std::string specs[] = {o.position, o.decoder_position, o.model.cross_position};
  if (std::find(std::begin(specs), std::end(specs), "help") == std::end(specs)) return false;
  nmt::ModelConfig model = o.model;
  model.source_vocabulary = model.target_vocabulary = 1;
  throw_if_any(model.problems());
  std::vector<EncodingContext> contexts;
  for (const Stack& stack : stacks(o.model)) contexts.push_back(stack.context);
  std::cout << encoders::position_help(contexts);
  return true;
}

std::vector<std::string> model_problems(const nmt::ModelConfig& config) {
  nmt::ModelConfig model = config;
  model.source_vocabulary = model.target_vocabulary = 1;
  std::vector<std::string> problems = model.problems();
  if (!problems.empty()) return problems;
  for (const Stack& stack : stacks(model)) {
    try {
      const encoders::PositionScheme scheme(stack.spec, stack.context);
    } catch (const ConfigError& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace dietmt::tools
