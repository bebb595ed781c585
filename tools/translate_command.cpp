// dietmt translate, with any model and on any device.
#include "nmt/decoding/decoder_loader.h"
#include "nmt/decoding/engine/weight_types.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "tools/translate_text.h"

namespace dietmt::tools {

int run_translate(const std::vector<std::string>& arguments) {
  const std::optional<TranslateOptions> options = parse_translate(arguments);
  if (!options) return 0;
  translate_text(*options, [&] {
    return nmt::load_decoder(options->models,
                             {.device = parse_device(options->device),
                              .weights = nmt::parse_weight_choice(options->weights),
                              .shortlist = options->shortlist});
  });
  return 0;
}

}  // namespace dietmt::tools
