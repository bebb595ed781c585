// Detects degenerate translations (nmt/search/degeneration.h) and translates them again.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "nmt/search/degeneration.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

enum class Guard { kOff, kReport, kRetry };

/// "off", "report", "retry". Throws ConfigError naming them.
Guard guard_from_name(const std::string& name);

struct GuardOutcome {
  Degeneration sign = Degeneration::kNone;  // of the first translation
  bool replaced = false;                    // by a second one without a sign
  bool kept_source = false;                 // instead of a translation without words
};

/// "a translation repeats itself; it was replaced by another one".
std::string guard_warning(const GuardOutcome& outcome);

/// Translates requests. Without results, the first translations stay.
using SecondSearch = std::function<std::vector<NBest>(std::vector<TranslationRequest> requests,
                                                      const SearchOptions& search)>;

/// Checks the best translation in `found` of each request for `model`. With kRetry, translates
/// those with a sign again with `again`, without repeated n-grams and not too short; `found` gets
/// the results without a sign. Returns one outcome per request.
std::vector<GuardOutcome> guard_output(Guard guard, const LoadedDecoder& model,
                                       std::span<const TranslationRequest> requests,
                                       const SearchOptions& search, const SecondSearch& again,
                                       std::vector<NBest>& found);

}  // namespace dietmt::nmt
