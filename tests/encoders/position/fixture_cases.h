// Maps each case of positions.json to a spec and the places of its parameters.
#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace dietmt::encoders {

/// Where a parameter of the file goes; its gradient uses the same transform.
struct Loaded {
  std::string from;
  std::string to;
  std::function<at::Tensor(const at::Tensor&)> transform;
};

struct FixtureCase {
  std::string name;
  std::string spec;
  std::vector<Loaded> loaded;
};

inline void PrintTo(const FixtureCase& printed, std::ostream* out) { *out << printed.name; }

/// The file's sizes, `dims`, which specs and transforms depend on.
struct FixtureSizes {
  int64_t keys = 5;
  int64_t cross_queries = 4;
  int64_t clip = 2;
  int64_t rank = 3;
  int64_t compressed = 3;

  /// Table rows of a cross-attention encoding, which serve both sides.
  int64_t cross_positions() const { return std::max(keys, cross_queries); }
};

std::vector<FixtureCase> fixture_cases(const FixtureSizes& sizes);

}  // namespace dietmt::encoders
