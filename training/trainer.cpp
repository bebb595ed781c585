#include "training/trainer.h"

#include <spdlog/spdlog.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "common/error.h"
#include "common/files.h"
#include "common/stop_signal.h"
#include "training/checkpoint.h"
#include "training/divergence.h"
#include "training/progress.h"
#include "training/report.h"
#include "training/safetensors.h"
#include "training/step_profile.h"

namespace dietmt::training {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const std::string kTrainedPrefix = "weights.";

NamedTensors weights_of(const torch::nn::Module& model) {
  NamedTensors weights;
  for (const auto& item : model.named_parameters()) weights.emplace_back(item.key(), item.value());
  return weights;
}

bool higher_is_better(const std::string& score) { return !score.ends_with("loss"); }

class Loop {
 public:
  Loop(TrainingTask& task, const TrainerOptions& options,
       const std::map<std::string, std::string>& configuration)
      : task_(task),
        options_(options),
        configuration_(configuration),
        optimizer_(task.model(), options.optimizer),
        store_(options.output, {options.keep_last, options.keep_best, options.valid_metric,
                                higher_is_better(options.valid_metric)}) {
    if (options.ema_decay > 0.0) ema_.emplace(task.model(), options.ema_decay);
  }

  TrainingEnd run(bool resume) {
    if (!resume) {
      store_.clear();
    } else if (const auto checkpoint = store_.latest()) {
      restore(*checkpoint);
    }
    const nlohmann::json settings = {{"title", options_.output.filename().string()},
                                     {"settings", configuration_}};
    write_file_atomically(options_.output / "settings.json", settings.dump(1) + "\n");
    Progress progress({options_.output, options_.max_updates, options_.log_interval}, update_);
    int64_t saved_update = update_;
    StepProfile profile(options_.profile ? options_.output / "trace.json" : fs::path());
    while (!finished()) {
      profile.next_update();
      step(progress);
      const bool validated = update_ % options_.valid_interval == 0;
      if (validated) validate(progress);
      const bool stop = stop_requested();
      // What was validated is saved: a score belongs to the weights it was measured with.
      if (validated || save_is_due() || finished() || stop) {
        save();
        saved_update = update_;
      }
      if (stop && !finished()) {
        progress.finish();
        write_report(options_.output);
        spdlog::info("stopped by a signal at update {}; the same command continues from there",
                     update_);
        return TrainingEnd::kStopped;
      }
    }
    if (saved_update != update_) save();
    progress.finish();
    write_report(options_.output);
    return TrainingEnd::kFinished;
  }

 private:
  bool save_is_due() const {
    return options_.save_interval > 0 && update_ % options_.save_interval == 0;
  }

  bool finished() const {
    return update_ >= options_.max_updates ||
           (options_.max_epochs > 0 && task_.epoch() >= static_cast<double>(options_.max_epochs)) ||
           (options_.patience > 0 && validations_without_gain_ >= options_.patience);
  }

  void step(Progress& progress) {
    const Clock::time_point start = Clock::now();
    optimizer_.zero_gradients();
    BatchLoss sums;
    for (int64_t micro = 0; micro < options_.accumulate; ++micro) {
      const uint64_t pass = static_cast<uint64_t>(update_ * options_.accumulate + micro);
      encoders::DropoutKeys dropout(random_key(random_key(options_.seed, kDropoutStream), pass));
      const BatchLoss loss = task_.accumulate_gradients(dropout);
      sums.loss += loss.loss;
      sums.target_loss += loss.target_loss;
      sums.targets += loss.targets;
      sums.tokens += loss.tokens;
    }
    const auto targets = static_cast<double>(sums.targets);
    const double norm = optimizer_.scale_and_clip(1.0 / targets, options_.clip_norm);
    divergence_.check(update_ + 1, sums.loss / targets, norm);
    const double rate = learning_rate(options_.schedule, update_ + 1);
    optimizer_.step(rate);
    if (ema_) ema_->update();
    ++update_;
    progress.update({update_, task_.epoch(), sums.target_loss / targets, sums.tokens,
                     seconds_since(start), rate, norm});
  }

  void validate(Progress& progress) {
    const Clock::time_point start = Clock::now();
    const WeightSwap averaged(task_.model(), ema_ ? &ema_->weights() : nullptr);
    scores_ = task_.validate();
    const double score = scores_.at(options_.valid_metric);
    if (std::isnan(score))
      throw Error("update " + std::to_string(update_) + ": the validation score is not a number");
    const bool better =
        !best_score_ ||
        (higher_is_better(options_.valid_metric) ? score > *best_score_ : score < *best_score_);
    if (better) best_score_ = score;
    validations_without_gain_ = better ? 0 : validations_without_gain_ + 1;
    std::vector<std::pair<std::string, double>> listed(scores_.begin(), scores_.end());
    progress.validation({update_, seconds_since(start), listed});
    write_report(options_.output);
  }

  void save() {
    store_.save(update_, scores_, [&](const fs::path& directory) {
      const NamedTensors weights = weights_of(task_.model());
      task_.write_model(directory, ema_ ? ema_->weights() : weights);
      NamedTensors state = optimizer_.state();
      if (ema_) {
        // model.safetensors holds the average; the weights being trained go with the state.
        for (const auto& [name, tensor] : weights)
          state.emplace_back(kTrainedPrefix + name, tensor);
      }
      save_safetensors(directory / "training.safetensors", state);
      nlohmann::json json = {{"update", update_},
                             {"data", task_.data_position()},
                             {"validations_without_gain", validations_without_gain_},
                             {"divergence", divergence_.state()},
                             {"configuration", configuration_}};
      if (best_score_) json["best_score"] = *best_score_;
      write_file_atomically(directory / "training.json", json.dump(1) + "\n");
    });
    scores_.clear();
  }

  void restore(const Checkpoint& checkpoint) {
    const fs::path path = checkpoint.directory / "training.json";
    nlohmann::json json;
    try {
      json = nlohmann::json::parse(read_file(path));
      refuse_changed_configuration(json.at("configuration"), checkpoint);
      update_ = json.at("update");
      validations_without_gain_ = json.at("validations_without_gain");
      divergence_.restore(json.at("divergence"));
      if (json.contains("best_score")) best_score_ = json.at("best_score").get<double>();
      task_.restore_data_position(json.at("data"));
    } catch (const nlohmann::json::exception& error) {
      throw CheckpointError(path.string() + ": " + error.what());
    }
    restore_tensors(checkpoint.directory);
    spdlog::info("resuming from update {} ({})", update_, checkpoint.directory.string());
  }

  void refuse_changed_configuration(const std::map<std::string, std::string>& before,
                                    const Checkpoint& checkpoint) const {
    std::vector<std::string> found = configuration_differences(before, configuration_);
    if (found.empty()) return;
    found.insert(found.begin(), options_.output.string() + " holds a checkpoint (update " +
                                    std::to_string(checkpoint.update) +
                                    ") of another configuration:");
    found.push_back(
        "give the same options to continue, another --output, or --resume never to "
        "discard it");
    throw ConfigError(found);
  }

  void restore_tensors(const fs::path& directory) {
    const torch::NoGradGuard no_grad;
    const auto state = load_safetensors(directory / "training.safetensors");
    optimizer_.load_state(state);
    const auto model = load_safetensors(directory / "model.safetensors");
    if (ema_) ema_->load(model);
    const auto& weights = ema_ ? state : model;
    for (auto& item : task_.model().named_parameters()) {
      const auto found = weights.find((ema_ ? kTrainedPrefix : "") + item.key());
      if (found == weights.end())
        throw CheckpointError(directory.string() + ": tensor '" + item.key() + "' is missing");
      item.value().copy_(found->second);
    }
  }

  static constexpr uint64_t kDropoutStream = 0xd509;

  TrainingTask& task_;
  const TrainerOptions& options_;
  const std::map<std::string, std::string>& configuration_;
  Optimizer optimizer_;
  std::optional<MovingAverage> ema_;
  CheckpointStore store_;
  DivergenceCheck divergence_;
  int64_t update_ = 0;
  int64_t validations_without_gain_ = 0;
  std::optional<double> best_score_;
  std::map<std::string, double> scores_;  // of a validation since the last save
};

}  // namespace

std::vector<std::string> configuration_differences(const std::map<std::string, std::string>& before,
                                                   const std::map<std::string, std::string>& now) {
  std::vector<std::string> found;
  const auto value = [](const std::map<std::string, std::string>& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? std::string("unset") : at->second;
  };
  std::map<std::string, std::string> names = before;
  names.insert(now.begin(), now.end());
  for (const auto& [name, unused] : names) {
    if (value(before, name) != value(now, name))
      found.push_back("  --" + name + ": was " + value(before, name) + ", is " + value(now, name));
  }
  return found;
}

void require_score(const std::vector<std::string>& scores, const std::string& name) {
  if (std::ranges::find(scores, name) != scores.end()) return;
  std::string possible;
  for (const std::string& score : scores) possible += (possible.empty() ? "" : ", ") + score;
  throw ConfigError("--valid-metric is '" + name + "'; possible: " + possible);
}

std::vector<std::string> TrainerOptions::problems() const {
  std::vector<std::string> found = schedule.problems();
  const auto require = [&](bool good, const std::string& message) {
    if (!good) found.push_back(message);
  };
  require(max_updates >= 1, "--max-updates must be positive");
  require(accumulate >= 1, "--accumulate must be positive");
  require(valid_interval >= 1, "--valid-interval must be positive");
  require(save_interval >= 0, "--save-interval must not be negative");
  require(max_epochs >= 0, "--max-epochs must not be negative");
  require(patience >= 0, "--patience must not be negative");
  require(keep_last >= 1, "--keep-last must be positive");
  require(keep_best >= 1, "--keep-best must be positive");
  require(log_interval >= 1, "--log-interval must be positive");
  require(clip_norm >= 0.0, "--clip-norm must not be negative");
  require(ema_decay >= 0.0 && ema_decay < 1.0, "--ema-decay must be at least 0 and below 1");
  require(optimizer.type == "adam" || optimizer.type == "adamw",
          "--optimizer is '" + optimizer.type + "'; possible: adam, adamw");
  require(optimizer.beta1 >= 0.0 && optimizer.beta1 < 1.0, "--adam-beta1 must lie in [0, 1)");
  require(optimizer.beta2 >= 0.0 && optimizer.beta2 < 1.0, "--adam-beta2 must lie in [0, 1)");
  require(optimizer.epsilon > 0.0, "--adam-epsilon must be positive");
  require(optimizer.weight_decay >= 0.0, "--weight-decay must not be negative");
  return found;
}

TrainingEnd train(TrainingTask& task, const TrainerOptions& options,
                  const std::map<std::string, std::string>& configuration, bool resume) {
  throw_if_any(options.problems());
  require_score(task.score_names(), options.valid_metric);
  return Loop(task, options, configuration).run(resume);
}

}  // namespace dietmt::training
