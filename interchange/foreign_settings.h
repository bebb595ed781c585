// Settings of other programs that change what a model computes, in ways that dietmt lacks.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace dietmt::interchange {

/// Throws CheckpointError naming the first of `names` that `settings` has with a value other than
/// null, false, 0 and nothing.
void require_unset(const nlohmann::json& settings, const std::vector<std::string>& names);

/// Throws CheckpointError naming the first of `names` that encoder and decoder have with different
/// values.
void require_one_for_both(const nlohmann::json& encoder, const nlohmann::json& decoder,
                          const std::vector<std::string>& names);

/// Throws CheckpointError unless both are equal or missing.
void require_same(const nlohmann::json& settings, const std::string& one, const std::string& other);

/// The spec of rotary positions. `interleaved`: coordinates 2m and 2m+1 turn together, or else m
/// and m + Dh/2. Throws CheckpointError if `base` is no whole number.
std::string rotation_spec(bool interleaved, double base);

}  // namespace dietmt::interchange
