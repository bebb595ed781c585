#include "tools/initial_model.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "nmt/network/model_directory.h"
#include "nmt/network/translation_model.h"

namespace dietmt::tools {
namespace {

using nmt::ModelConfig;

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

std::vector<std::string> keep_sizes(const OptionTable& table, const nmt::ModelFiles& model,
                                    ModelOptions& o) {
  const ModelConfig& kept = model.config;
  const ModelConfig preset = ModelConfig::preset(o.preset);
  std::vector<std::string> problems;
  const auto refuse = [&](const char* name, const auto& value, const auto& models) {
    problems.push_back(fmt::format("--{} is {}, and {} has {}: --init-from keeps it", name, value,
                                   model.directory.string(), models));
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
  keep("norm", &ModelConfig::norm);
  keep("activation", &ModelConfig::activation);
  keep("tied-embeddings", &ModelConfig::tied_embeddings);
  o.model.output_bias = kept.output_bias;

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

std::shared_ptr<nmt::TranslationModel> start_from(const nmt::ModelFiles& initial,
                                                  const ModelConfig& config, uint64_t seed) {
  const nmt::LoadedModel trained = nmt::load_model(initial.directory);
  nmt::RebuiltModel rebuilt = nmt::rebuild(*trained.model, config, seed);
  const auto say = [&](const std::vector<std::string>& names, const char* what) {
    for (const std::string& name : names)
      spdlog::info("{}: {} {}", initial.directory.string(), name, what);
  };
  say(rebuilt.inheritance.drawn, "starts anew");
  say(rebuilt.inheritance.extended, "is extended; its further rows start anew");
  say(rebuilt.inheritance.dropped, "has no use here");
  return rebuilt.model;
}

}  // namespace dietmt::tools
