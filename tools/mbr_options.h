// Minimum Bayes risk in commands that choose among translations: --mbr.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/translation/bayes_risk.h"
#include "tools/decoding_options.h"
#include "tools/learned_metric.h"

namespace dietmt::tools {

struct MbrOptions {
  std::string utility = "none";
  std::string comet_model;
};

/// Adds --mbr and --comet-model to the current group.
void bind_mbr(OptionTable& table, MbrOptions& o);

/// That one of the two lacks the other.
std::vector<std::string> mbr_problems(const MbrOptions& o);

/// On the device, the first of several, and with the threads that decode.
LearnedMetricOptions learned_metric_options(const DecodingOptions& o, const std::string& directory);

/// None for --mbr none. Loads the COMET model as learned_metric() does.
std::optional<nmt::BayesRiskChoice> bayes_risk_choice(const MbrOptions& o,
                                                      const DecodingOptions& decoding,
                                                      const std::string& command,
                                                      const std::vector<std::string>& arguments);

/// For nmt::StreamOptions. `tokenizer` outlives it.
std::function<void(std::span<const nmt::TranslationRequest>, std::vector<nmt::NBest>&)>
choice_among_hypotheses(const std::optional<nmt::BayesRiskChoice>& choice,
                        const data::Tokenizer& tokenizer);

}  // namespace dietmt::tools
