// What each case of positions.json is here: a spec, and where its parameters go.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace dietmt::encoders {

/// Where a parameter of the file goes: its gradient goes through the same transform.
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

std::vector<FixtureCase> fixture_cases();

}  // namespace dietmt::encoders
