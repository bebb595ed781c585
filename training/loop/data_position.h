// Where a task is in its data, for TrainingTask::epoch() and checkpoints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "common/json_fields.h"
#include "data/corpus/batches.h"

namespace dietmt::training {

/// Passes over the data so far, including the fraction of the current one.
template <typename Batches>
double epochs_of(const Batches& batches) {
  const data::BatchPosition position = batches.position();
  return static_cast<double>(position.epoch) +
         static_cast<double>(position.batch) / static_cast<double>(batches.batches_in_epoch());
}

inline nlohmann::json position_json(const data::BatchPosition& position) {
  return {{"epoch", position.epoch}, {"batch", position.batch}};
}

/// Throws CheckpointError if a number is missing.
inline data::BatchPosition position_from(const nlohmann::json& json) {
  data::BatchPosition position;
  read_field(json, "epoch", position.epoch);
  read_field(json, "batch", position.batch);
  return position;
}

/// Throws ConfigError if training.json has another content_hash() under `name`.
inline void require_same_text(const nlohmann::json& json, const std::string& name, uint64_t hash) {
  if (!json.contains(name) || json.at(name) == hash) return;
  throw ConfigError(
      "the " + name +
      " text differs from the text of the checkpoint; give that text, another --output, or "
      "--resume never to discard the checkpoint (--init-from trains a model on other "
      "text)");
}

}  // namespace dietmt::training
