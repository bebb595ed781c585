// The decoders of dietmt: on the CPU with models that need no LibTorch; the full program has the
// others.
#include <memory>
#include <optional>

#include "nmt/engine/stored_weights.h"
#include "nmt/translation/loaded_decoder.h"
#include "tools/decoder_source.h"
#include "tools/full_program.h"

namespace dietmt::tools {

DecoderSource decoder_source(const TranslatorOptions& options, bool has_prefixes,
                             const std::string& command,
                             const std::vector<std::string>& arguments) {
  std::optional<nmt::LoadedDecoder> loaded;
  if (options.device == "cpu") {
    loaded = nmt::load_stored_decoder(options.models,
                                      {.weights = nmt::parse_weight_choice(options.weights),
                                       .shortlist = options.shortlist,
                                       .search = options.search,
                                       .has_prefixes = has_prefixes});
  }
  if (!loaded) run_full_program(command, arguments);
  const auto shared = std::make_shared<nmt::LoadedDecoder>(std::move(*loaded));
  return [shared] { return std::move(*shared); };
}

}  // namespace dietmt::tools
