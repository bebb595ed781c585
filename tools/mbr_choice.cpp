#include <algorithm>

#include "tools/mbr_options.h"

namespace dietmt::tools {

LearnedMetricOptions learned_metric_options(const DecodingOptions& o,
                                            const std::string& directory) {
  const int64_t threads = std::max<int64_t>(1, o.search.threads);
  return {.directory = directory,
          .device = o.device.substr(0, o.device.find(',')),
          .threads = nmt::usable_workers(o.search.workers, threads) * threads};
}

std::optional<nmt::BayesRiskChoice> bayes_risk_choice(const MbrOptions& o,
                                                      const DecodingOptions& decoding,
                                                      const std::string& command,
                                                      const std::vector<std::string>& arguments) {
  if (o.utility == "none") return std::nullopt;
  nmt::BayesRiskChoice choice{.samples = decoding.search.sample,
                              .workers = decoding.search.workers};
  if (o.utility == "comet")
    choice.learned =
        learned_metric(learned_metric_options(decoding, o.comet_model), command, arguments).utility;
  else
    choice.risk.utility = metrics::utility_from_name(o.utility);
  return choice;
}

std::function<void(std::span<const nmt::TranslationRequest>, std::vector<nmt::NBest>&)>
choice_among_hypotheses(const std::optional<nmt::BayesRiskChoice>& choice,
                        const data::Tokenizer& tokenizer) {
  if (!choice) return {};
  return [choice = *choice, &tokenizer](std::span<const nmt::TranslationRequest> requests,
                                        std::vector<nmt::NBest>& found) {
    nmt::choose_by_bayes_risk(requests, found, tokenizer, choice);
  };
}

}  // namespace dietmt::tools
