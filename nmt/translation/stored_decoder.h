// Decoders of models whose directories hold packed weights and the terms of their positions: mapped
// into memory in milliseconds, without LibTorch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "kernels/packed_linear.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

struct StoredDecoderOptions {
  std::optional<kernels::WeightType> weights = {};  // none: as the directory has them
  std::filesystem::path shortlist = {};             // empty: none
  SearchOptions search = {};                        // how long sentences and translations may be
  bool has_prefixes = false;                        // translations may be of any length
};

/// None if one of `directories` (separated by commas) is no such model, or if its tables do not
/// reach all sentences that `options` allow: load_decoder() can do it. Throws what that throws.
std::optional<LoadedDecoder> load_stored_decoder(const std::string& directories,
                                                 const StoredDecoderOptions& options);

}  // namespace dietmt::nmt
