// Where a task's batches stand, for the loop and for training.json. `Batches` is an endless
// iterator with position() and batches_in_epoch(), such as data::BatchIterator.
#pragma once

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "data/corpus/batches.h"

namespace dietmt::training {

/// Passes over the data so far, with the fraction of the present one.
template <typename Batches>
double epochs_of(const Batches& batches) {
  const data::BatchPosition position = batches.position();
  return static_cast<double>(position.epoch) +
         static_cast<double>(position.batch) / static_cast<double>(batches.batches_in_epoch());
}

inline nlohmann::json position_json(const data::BatchPosition& position) {
  return {{"epoch", position.epoch}, {"batch", position.batch}};
}

/// Throws nlohmann::json::exception where a number is missing.
inline data::BatchPosition position_from(const nlohmann::json& json) {
  return {json.at("epoch"), json.at("batch")};
}

/// Refuses to go on in another text than the one whose content_hash() is under `name` in what
/// training.json has: ConfigError.
inline void require_same_text(const nlohmann::json& json, const std::string& name, uint64_t hash) {
  if (!json.contains(name) || json.at(name) == hash) return;
  throw ConfigError("the " + name +
                    " text is not what the checkpoint was trained with; give that text, another "
                    "--output, or --resume never to discard the checkpoint (to train a model on "
                    "with other text, --init-from it)");
}

}  // namespace dietmt::training
