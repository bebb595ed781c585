#include "training/loop/training_state.h"

#include <spdlog/spdlog.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"
#include "encoders/weights/low_rank.h"
#include "encoders/weights/safetensors.h"

namespace dietmt::training {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr const char* kTensors = "training.safetensors";
const std::string kTrainedPrefix = "weights.";

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether an option changes how the metric is computed. All such options are about translations.
bool changes_metric(const std::string& option, const std::string& metric) {
  constexpr const char* kOptions[] = {"valid-beam", "valid-tokenize", "valid-lowercase",
                                      "remove-bpe", "valid-command",  "comet-model"};
  return metric != "valid_loss" && std::ranges::find(kOptions, option) != std::end(kOptions);
}

// All values are text.
Configuration stored_configuration(const json& values) {
  Configuration configuration;
  const json& options = object_field(values, "configuration");
  for (const auto& [name, unused] : options.items())
    read_field(options, name.c_str(), configuration[name]);
  return configuration;
}

void note_changes(const std::vector<OptionChange>& changes, const std::string& metric,
                  TrainingState& state) {
  for (const OptionChange& change : changes) {
    spdlog::info("from update {} on, {}", state.update, change.text());
    state.changes.push_back({{"update", state.update},
                             {"option", change.name},
                             {"was", change.before},
                             {"is", change.now}});
    if (change.name != "valid-metric" && !changes_metric(change.name, metric)) continue;
    state.best_score.reset();
    state.validations_without_gain = 0;
  }
}

}  // namespace

std::vector<OptionChange> require_same_configuration(const fs::path& directory,
                                                     const Configuration& now,
                                                     const TrainerOptions& options) {
  const std::vector<OptionChange> changes =
      read_json_as(directory / kTrainingState, [&](const json& values) {
        Configuration before = stored_configuration(values);
        for (const auto& [name, value] : now)
          if (contains(options.defaulted, name)) before.try_emplace(name, value);
        return configuration_changes(before, now);
      });
  std::vector<std::string> problems;
  std::string acceptable;
  for (const OptionChange& change : changes) {
    if (contains(options.resume_changed, change.name)) continue;
    problems.push_back("  " + change.text());
    if (contains(changeable_options(), change.name)) acceptable += " " + change.name;
  }
  if (problems.empty()) return changes;
  problems.insert(problems.begin(), directory.string() + " was made with other options:");
  problems.push_back(
      "give the same options to continue, another --output, or --resume never to discard it");
  if (!acceptable.empty()) problems.push_back("to accept a change: --resume-changed" + acceptable);
  throw ConfigError(joined_lines(problems));
}

void write_training_state(const fs::path& directory, const TrainingState& state, const json& data,
                          const Configuration& configuration) {
  json values = {{"update", state.update},
                 {"data", data},
                 {"validations_without_gain", state.validations_without_gain},
                 {"threads", state.threads},
                 {"divergence", state.divergence.state()},
                 {"changes", state.changes},
                 {"configuration", configuration}};
  if (state.best_score) values["best_score"] = *state.best_score;
  write_file_atomically(directory / kTrainingState, values.dump(1) + "\n");
}

json read_training_state(const fs::path& directory, TrainingState& state,
                         const Configuration& configuration, const TrainerOptions& options) {
  const std::vector<OptionChange> changes =
      require_same_configuration(directory, configuration, options);
  return read_json_as(directory / kTrainingState, [&](const json& values) {
    read_field(values, "update", state.update);
    read_field(values, "validations_without_gain", state.validations_without_gain);
    if (values.contains("threads")) read_field(values, "threads", state.threads);
    state.divergence.restore(any_field(values, "divergence"));
    if (values.contains("best_score")) read_field(values, "best_score", state.best_score.emplace());
    if (values.contains("changes")) state.changes = values.at("changes");
    note_changes(changes, options.valid_metric, state);
    return any_field(values, "data");
  });
}

int64_t scores_after(const TrainingState& state, const std::string& metric) {
  int64_t update = 0;
  for (const json& change : state.changes)
    if (changes_metric(change.at("option"), metric)) update = change.at("update");
  return update;
}

NamedTensors weights_of(const torch::nn::Module& model) {
  NamedTensors weights;
  for (const auto& item : model.named_parameters()) weights.emplace_back(item.key(), item.value());
  return weights;
}

void write_training_tensors(const fs::path& directory, NamedTensors optimizer,
                            const NamedTensors& trained, const LowRankTraining* low_rank) {
  if (low_rank != nullptr) {
    for (const auto& [name, tensor] : low_rank->state()) optimizer.emplace_back(name, tensor);
    encoders::save_adapter(directory / encoders::kAdapterFile, low_rank->adapter());
  }
  for (const auto& [name, tensor] : trained) optimizer.emplace_back(kTrainedPrefix + name, tensor);
  encoders::save_safetensors(directory / kTensors, optimizer);
}

void read_training_tensors(const fs::path& directory, bool averaged, torch::nn::Module& model,
                           Optimizer& optimizer, MovingAverage* average,
                           LowRankTraining* low_rank) {
  const torch::NoGradGuard no_grad;
  const auto state = encoders::load_safetensors(directory / kTensors);
  optimizer.load_state(state);
  if (low_rank != nullptr) low_rank->load_state(state);
  const auto stored = encoders::load_safetensors(directory / "model.safetensors");
  if (average != nullptr) average->load(stored);
  const auto& weights = averaged ? state : stored;
  for (auto& item : model.named_parameters()) {
    const auto found = weights.find((averaged ? kTrainedPrefix : "") + item.key());
    if (found == weights.end())
      throw CheckpointError(directory.string() + ": tensor '" + item.key() + "' is missing");
    item.value().copy_(found->second);
  }
}

}  // namespace dietmt::training
