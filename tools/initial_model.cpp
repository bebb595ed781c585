#include "tools/initial_model.h"

#include <spdlog/spdlog.h>

#include <filesystem>

#include "common/error.h"
#include "encoders/weights/adapter_layers.h"
#include "nmt/network/model_directory.h"
#include "storage/checkpoint.h"

namespace dietmt::tools {
namespace {

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path from = std::filesystem::weakly_canonical(path).lexically_relative(
      std::filesystem::weakly_canonical(folder));
  return !from.empty() && *from.begin() != "..";
}

// An adapter holds what was trained, and the rest comes from the model in the same directory.
void require_what_adapters_keep(const TrainOptions& o, const nmt::ModelFiles& base,
                                std::vector<std::string>& problems) {
  const nmt::ModelConfig& kept = base.config;
  const std::string option = o.lora_rank ? "--lora-rank" : "--adapter-size";
  const std::string where = base.directory.string();
  if (o.model.encoder_position != kept.encoder_position ||
      o.model.decoder_position != kept.decoder_position ||
      o.model.cross_position != kept.cross_position)
    problems.push_back(option + " keeps the position encodings of " + where +
                       ": leave out --position and the like");
  if (o.model.max_positions != kept.max_positions)
    problems.push_back(option + " keeps the " + std::to_string(kept.max_positions) +
                       " positions of " + where + ": leave out --max-positions");
  if (o.model.context != kept.context || o.model.context_sides != kept.context_sides)
    problems.push_back(option + " keeps the context of " + where +
                       ": leave out --context and --context-sides");
  if (o.guided())
    problems.push_back(option +
                       " and --guided-alignment cannot be combined: an adapter does not "
                       "hold which head aligns");
}

// The context of the initial model, which options may change. An adapter sets no limit:
// it translates with that of its model.
void settle_context(const nmt::ModelConfig& kept, TrainOptions& o) {
  nmt::ModelConfig& model = o.model;
  model.context = o.context.value_or(kept.context);
  model.context_sides = o.context_sides.value_or(model.context > 0 ? kept.context_sides : "source");
  const bool keeps_limit = kept.context > 0 && (o.lora_rank || o.adapter_size);
  const int64_t limit = keeps_limit ? kept.context_tokens : o.filter.max_tokens + 1;
  model.context_tokens = model.context > 0 ? limit : 0;
}

// The adapters of the initial model, or new ones.
void keep_adapters(const nmt::ModelFiles& initial, TrainOptions& o,
                   std::vector<std::string>& problems) {
  const int64_t kept = initial.config.adapter_size;
  o.model.adapter_size = o.adapter_size.value_or(kept);
  if (kept == 0 || o.model.adapter_size == kept) return;
  problems.push_back("--adapter-size is " + std::to_string(o.model.adapter_size) + ", but " +
                     initial.origin().string() + " has adapters of " + std::to_string(kept) +
                     ": give that size, or start from a model without adapters");
}

}  // namespace

std::optional<InitialModel> find_initial_model(const TrainOptions& o) {
  if (o.resume == "auto" && !o.output.empty()) {
    const auto checkpoint = storage::newest_checkpoint(o.output);
    if (checkpoint) return {{nmt::open_model(checkpoint->directory), true}};
  }
  if (!o.init_from) return std::nullopt;
  InitialModel found{nmt::open_model(*o.init_from)};
  found.files.require_full_weights();
  if (o.resume == "never" && is_below(found.files.directory, o.output))
    throw ConfigError(
        "--resume never removes the checkpoints of --output, and --init-from is one: " +
        found.files.directory.string());
  return found;
}

std::vector<std::string> settle_model(const OptionTable& table,
                                      const std::optional<InitialModel>& initial, TrainOptions& o) {
  if (!o.init_from || !initial) {
    apply_preset(table, o);
    settle_context({}, o);
    o.model.languages = o.new_languages();
    return {};
  }
  std::vector<std::string> problems = keep_sizes(table, initial->files, o);
  settle_context(initial->files.config, o);
  o.model.languages = initial->files.config.languages;
  keep_adapters(initial->files, o, problems);
  if (initial->resumed) return problems;
  if (o.lora_rank || o.adapter_size) require_what_adapters_keep(o, initial->files, problems);
  for (const std::string& problem : vocabulary_contradictions(table, o, initial->files))
    problems.push_back(problem);
  return problems;
}

std::shared_ptr<nmt::TranslationModel> start_from(const nmt::ModelFiles& initial,
                                                  const nmt::ModelConfig& config, uint64_t seed) {
  const nmt::LoadedModel trained = nmt::load_model(initial);
  nmt::RebuiltModel rebuilt = nmt::rebuild(*trained.model, config, seed);
  if (std::erase_if(rebuilt.inheritance.drawn, encoders::is_of_adapter) > 0)
    spdlog::info("{}: gets an adapter of {} after each layer", initial.directory.string(),
                 config.adapter_size);
  const auto say = [&](const std::vector<std::string>& names, const char* what) {
    for (const std::string& name : names)
      spdlog::info("{}: {} {}", initial.directory.string(), name, what);
  };
  say(rebuilt.inheritance.drawn, "is initialised at random");
  say(rebuilt.inheritance.extended, "is extended; its new rows are initialised at random");
  say(rebuilt.inheritance.dropped, "is not used");
  return rebuilt.model;
}

}  // namespace dietmt::tools
