// What `dietmt translate` does once it knows where its decoder comes from.
#pragma once

#include "tools/decoder_source.h"
#include "tools/translate_options.h"

namespace dietmt::tools {

/// Translates options.input to options.output; `load` is called once both inputs are open.
void translate_text(const TranslateOptions& options, const DecoderSource& load);

}  // namespace dietmt::tools
