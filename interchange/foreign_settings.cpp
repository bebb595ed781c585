#include "interchange/foreign_settings.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

using nlohmann::json;

bool is_set(const json& value) {
  return !(value.is_null() || value == json(false) || value == json(0) || value == json(0.0) ||
           value == json("") || (value.is_structured() && value.empty()));
}

}  // namespace

void require_unset(const json& settings, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (is_set(settings.value(name, json())))
      throw CheckpointError("was trained with " + name + ", which dietmt's models do not have");
}

void require_one_for_both(const json& encoder, const json& decoder,
                          const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (encoder.value(name, json()) != decoder.value(name, json()))
      throw CheckpointError(name + " of the encoder differs from the decoder's; dietmt's models " +
                            "have one for both");
}

void require_same(const json& settings, const std::string& one, const std::string& other) {
  if (settings.value(one, json()) != settings.value(other, json()))
    throw CheckpointError(one + " differs from " + other + "; dietmt's models have one for both");
}

std::string rotation_spec(bool interleaved, double base) {
  constexpr double kMost = 1e15;
  if (!(base >= 2 && base <= kMost) || std::floor(base) != base)
    throw CheckpointError("the base of its rotary positions is " + json(base).dump() +
                          "; dietmt's is a whole number");
  return std::string("rope(pairs=") + (interleaved ? "interleaved" : "halves") +
         ",base=" + std::to_string(static_cast<int64_t>(base)) + ")";
}

}  // namespace dietmt::interchange
