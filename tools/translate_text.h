// What `dietmt translate` does once it knows where its decoder comes from.
#pragma once

#include <functional>

#include "nmt/decoding/loaded_decoder.h"
#include "tools/translate_options.h"

namespace dietmt::tools {

/// Translates options.input to options.output; `load` is called once both inputs are open.
void translate_text(const TranslateOptions& options,
                    const std::function<nmt::LoadedDecoder()>& load);

}  // namespace dietmt::tools
