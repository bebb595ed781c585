// Model configurations: our config.json and that of Hugging Face's MarianMT if the input looks like
// JSON, else the YAML in a Marian model. A configuration that was read must survive writing and
// reading.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "common/error.h"
#include "interchange/huggingface/marianmt_config.h"
#include "interchange/marian/marian_config.h"

namespace {

using namespace dietmt::nmt;

void check(const ModelConfig& config) {
  config.problems();
  const nlohmann::json json = config.to_json();
  if (ModelConfig::from_json(json).to_json() != json) std::abort();
}

// Exceptions that directory readers turn into one sentence with the file's name.
template <typename Read>
void try_to(Read read) {
  try {
    check(read());
  } catch (const dietmt::Error&) {
  } catch (const nlohmann::json::exception&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with("{")) {
    try_to([&] { return ModelConfig::from_json(nlohmann::json::parse(text)); });
    try_to([&] { return dietmt::interchange::from_marianmt_config(nlohmann::json::parse(text)); });
  } else {
    try_to([&] {
      dietmt::interchange::MarianOptions options;
      for (auto& [name, values] : dietmt::interchange::parse_yaml_options(text, "model.yml"))
        options[name] = std::move(values);
      return dietmt::interchange::from_marian(options);
    });
  }
  return 0;
}
