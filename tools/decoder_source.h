// Where a command that translates gets its decoder from, in the program that it is part of.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nmt/translation/loaded_decoder.h"
#include "tools/translator_options.h"

namespace dietmt::tools {

using DecoderSource = std::function<nmt::LoadedDecoder()>;

/// To be asked once. `dietmt` loads models that need no LibTorch, and for others puts the program
/// with all commands in its place at once, before any input is read, to run `command` with
/// `arguments`. `has_prefixes`: translations may be of any length.
DecoderSource decoder_source(const TranslatorOptions& options, bool has_prefixes,
                             const std::string& command, const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
