#include "encoders/weights/adapter_layers.h"

#include "encoders/weights/adapter_file.h"

namespace dietmt::encoders {
namespace fs = std::filesystem;

using at::Tensor;

bool is_of_adapter(const std::string& parameter) {
  return parameter.find(".adapter.") != std::string::npos;
}

void save_adapter_layers(const fs::path& path, const std::map<std::string, Tensor>& weights) {
  AdapterFile adapter;
  std::map<std::string, Tensor> base;
  for (const auto& [name, tensor] : weights)
    (is_of_adapter(name) ? adapter.tensors : base)[name] = tensor;
  adapter.base = fingerprint(base);
  save_adapter_file(path, adapter);
}

void add_adapter_layers(const fs::path& path, std::map<std::string, Tensor>& weights) {
  AdapterFile adapter = load_adapter_file(path);
  require_base(path, adapter, weights);
  weights.merge(adapter.tensors);
}

}  // namespace dietmt::encoders
