#include "interchange/opennmt/opennmt_files.h"

#include <string>

#include "common/error.h"
#include "encoders/weights/safetensors.h"
#include "interchange/huggingface/weights.h"

namespace dietmt::interchange {
namespace fs = std::filesystem;
namespace {

fs::path numbered_part(const fs::path& directory, int number) {
  const std::string digits = std::to_string(number);
  return directory / ("model." + (number < 10 ? "0" + digits : digits) + ".safetensors");
}

}  // namespace

TensorsByName load_opennmt_weights(const fs::path& checkpoint) {
  const fs::path apart = fs::path(checkpoint).replace_extension(".safetensors");
  return fs::exists(apart) ? encoders::map_safetensors(apart)
                           : load_checkpoint(checkpoint, TorchContent::kOpennmt);
}

TensorsByName load_eole_weights(const fs::path& directory) {
  TensorsByName all;
  for (int number = 0;; ++number) {
    const fs::path part = numbered_part(directory, number);
    if (number > 0 && !fs::exists(part)) return all;
    for (const auto& [name, tensor] : encoders::map_safetensors(part))
      if (!all.emplace(name, tensor).second)
        throw CheckpointError(part.string() + ": tensor " + name + " is in an earlier part too");
  }
}

}  // namespace dietmt::interchange
