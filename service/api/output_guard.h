// Detects degenerate translations (nmt/search/degeneration.h) and retries them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nmt/search/degeneration.h"
#include "nmt/search/search_task.h"
#include "service/scheduling/served_model.h"

namespace dietmt::service {

enum class Guard { kOff, kReport, kRetry };

/// "off", "report", "retry". Throws ConfigError naming them.
Guard guard_from_name(const std::string& name);

struct GuardOutcome {
  nmt::Degeneration sign = nmt::Degeneration::kNone;  // of the first translation
  bool replaced = false;                              // by a second one without a sign
};

/// Checks the best translation of each request. With kRetry, those with a sign are translated again
/// with no_repeat_ngram 3 and at least one token; `found` gets the results without a sign. If the
/// queue is full or time is up, the first translations stay. Throws the other exceptions of
/// RequestQueue::translate().
std::vector<GuardOutcome> guard_output(ServedModel& model, Guard guard,
                                       std::span<const nmt::TranslationRequest> requests,
                                       const nmt::SearchOptions& search, const Patience& patience,
                                       std::vector<nmt::NBest>& found);

}  // namespace dietmt::service
