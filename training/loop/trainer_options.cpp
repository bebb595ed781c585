#include "training/loop/trainer_options.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::training {

void require_score(const std::vector<std::string>& scores, const std::string& name) {
  if (std::ranges::find(scores, name) != scores.end()) return;
  std::string possible;
  for (const std::string& score : scores) possible += (possible.empty() ? "" : ", ") + score;
  throw ConfigError("--valid-metric is '" + name + "'; possible: " + possible);
}

std::vector<std::string> changeable_options() {
  return {
      "learning-rate",        "schedule",     "min-lr",        "max-updates",    "clip-norm",
      "valid-interval",       "valid-metric", "valid-beam",    "valid-tokenize", "valid-lowercase",
      "no-valid-translation", "remove-bpe",   "valid-command", "comet-model",    "precision",
      "attention-backend",    "cuda-graphs"};
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
  require(optimizer.works_in_parts() || optimizer.type == "adafactor" || optimizer.type == "muon",
          "--optimizer is '" + optimizer.type + "'; possible: adam, adamw, adafactor, muon");
  require(low_rank.rank == 0 || optimizer.works_in_parts(),
          "--lora-rank needs --optimizer adam or adamw");
  require(optimizer.beta1 >= 0.0 && optimizer.beta1 < 1.0, "--adam-beta1 must lie in [0, 1)");
  require(optimizer.beta2 >= 0.0 && optimizer.beta2 < 1.0, "--adam-beta2 must lie in [0, 1)");
  require(optimizer.epsilon > 0.0, "--adam-epsilon must be positive");
  require(optimizer.weight_decay >= 0.0, "--weight-decay must not be negative");
  require(low_rank.rank == 0 || ema_decay == 0.0, "--lora-rank and --ema-decay cannot be combined");
  return found;
}

std::vector<std::string> TrainerOptions::problems_of_several() const {
  std::vector<std::string> found;
  if (!optimizer.works_in_parts())
    found.push_back("--optimizer " + optimizer.type + " trains in one process");
  if (low_rank.rank > 0) found.emplace_back("--lora-rank trains in one process");
  return found;
}

}  // namespace dietmt::training
