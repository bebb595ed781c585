#include "nmt/network/model_size.h"

#include "common/checks.h"
#include "common/memory_use.h"
#include "encoders/transformer/stack_size.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

using encoders::ParameterCounts;

double embedding_size(int64_t vocabulary, int64_t width) {
  return static_cast<double>(vocabulary) * static_cast<double>(width);
}

Settings settings_of(const ModelConfig& config, const ParameterCounts& counts, bool as_options) {
  Settings settings;
  const auto add_position = [&](const char* prefix, const char* key, const std::string& spec) {
    if (encoders::are_large(counts, prefix)) settings.emplace_back(key, "'" + spec + "'");
  };
  add_position("encoder.position.", as_options ? "position" : "encoder_position",
               config.encoder_position);
  // The option --position is of both.
  if (!as_options || config.decoder_position != config.encoder_position)
    add_position("decoder.position.", "decoder_position", config.decoder_position);
  add_position("decoder.cross_position.", "cross_position", config.cross_position);
  const auto add = [&](const char* key, int64_t size) {
    settings.emplace_back(key, std::to_string(size));
  };
  add("width", config.width);
  add("feed_forward", config.feed_forward);
  add("encoder_layers", config.encoder_layers);
  add("decoder_layers", config.decoder_layers);
  add("max_positions", config.max_positions);
  add(as_options ? "vocab_size" : "target_vocabulary", config.target_vocabulary);
  return settings;
}

}  // namespace

ParameterCounts parameter_counts(const ModelConfig& config) {
  ParameterCounts counts;
  encoders::append(counts, "encoder.", encoders::encoder_parameters(encoder_config(config)));
  encoders::append(counts, "decoder.", encoders::decoder_parameters(decoder_config(config)));
  const double target = embedding_size(config.target_vocabulary, config.width);
  counts.emplace_back("source_embedding", embedding_size(config.source_vocabulary, config.width));
  if (config.tied_embeddings != "all") counts.emplace_back("target_embedding", target);
  if (config.tied_embeddings == "none") counts.emplace_back("output_weight", target);
  if (config.output_bias)
    counts.emplace_back("output_bias", static_cast<double>(config.target_vocabulary));
  return counts;
}

std::string memory_problem(const ModelConfig& config, double bytes_per_weight,
                           const std::string& file) {
  const ParameterCounts counts = parameter_counts(config);
  return dietmt::memory_problem(settings_list(settings_of(config, counts, file.empty()), file),
                                encoders::total(counts) * bytes_per_weight);
}

}  // namespace dietmt::nmt
