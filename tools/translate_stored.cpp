// dietmt translate on the CPU with models that need no LibTorch; the full program has the others.
#include "nmt/decoding/engine/weight_types.h"
#include "nmt/decoding/stored_decoder.h"
#include "tools/commands.h"
#include "tools/full_program.h"
#include "tools/translate_text.h"

namespace dietmt::tools {

int run_translate(const std::vector<std::string>& arguments) {
  const std::optional<TranslateOptions> options = parse_translate(arguments);
  if (!options) return 0;
  std::optional<nmt::LoadedDecoder> loaded;
  if (options->device == "cpu") {
    loaded = nmt::load_stored_decoder(options->models,
                                      {.weights = nmt::parse_weight_choice(options->weights),
                                       .shortlist = options->shortlist,
                                       .search = options->search,
                                       .has_prefixes = !options->prefix.empty()});
  }
  if (!loaded) run_full_program("translate", arguments);
  translate_text(*options, [&] { return std::move(*loaded); });
  return 0;
}

}  // namespace dietmt::tools
