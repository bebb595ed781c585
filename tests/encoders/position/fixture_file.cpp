#include "fixture_file.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "common/error.h"

namespace dietmt::encoders {

using nlohmann::json;

std::string fixtures_path() {
  if (const char* file = std::getenv("DIETMT_FIXTURES")) return file;
  return DIETMT_SOURCE_DIR "/tests/encoders/position/positions.json";
}

const json& fixtures() {
  static const json file = [] {
    std::ifstream in(fixtures_path());
    if (!in) throw DataError(fixtures_path() + ": cannot read the worked examples");
    return json::parse(in);
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
