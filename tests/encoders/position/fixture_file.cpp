#include "fixture_file.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <fstream>
#include <vector>

namespace dietmt::encoders {

using nlohmann::json;

std::string fixtures_path() {
  if (const char* file = std::getenv("DIETMT_FIXTURES")) return file;
  const char* shared = std::getenv("DIETMT_SHARED");
  return std::string(shared ? shared : "../shared") + "/fixtures/positions.json";
}

const json& fixtures() {
  static const json file = [] {
    std::ifstream in(fixtures_path());
    return in ? json::parse(in) : json();
  }();
  return file;
}

namespace {

void flatten(const json& nested, std::vector<double>& values) {
  if (!nested.is_array()) return values.push_back(nested.get<double>());
  for (const json& item : nested) flatten(item, values);
}

}  // namespace

at::Tensor tensor_of(const json& nested) {
  std::vector<int64_t> sizes;
  for (const json* level = &nested; level->is_array(); level = &level->at(0))
    sizes.push_back(static_cast<int64_t>(level->size()));
  std::vector<double> values;
  flatten(nested, values);
  return at::tensor(values, at::kDouble).view(sizes);
}

Tensors tensors_of(const json& named) {
  Tensors tensors;
  for (const auto& [name, value] : named.items()) tensors[name] = tensor_of(value);
  return tensors;
}

}  // namespace dietmt::encoders
