// The decoders of dietmt-torch: any model, on any device.
#include "encoders/device/device.h"
#include "nmt/batch_decoding/decoder_loader.h"
#include "nmt/engine/stored_weights.h"
#include "tools/decoder_source.h"

namespace dietmt::tools {

DecoderSource decoder_source(const TranslatorOptions& options, bool, const std::string&,
                             const std::vector<std::string>&) {
  return [options] {
    return nmt::load_decoder(options.models, {.device = encoders::parse_device(options.device),
                                              .weights = nmt::parse_weight_choice(options.weights),
                                              .shortlist = options.shortlist});
  };
}

}  // namespace dietmt::tools
