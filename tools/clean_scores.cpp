#include "tools/clean_scores.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "nmt/translation/forced_scoring.h"
#include "nmt/translation/translator.h"

namespace dietmt::tools {
namespace {

nmt::LoadedDecoder load_scorer(const std::string& option, const std::string& directory) {
  std::optional<nmt::LoadedDecoder> loaded =
      nmt::load_stored_decoder(nmt::model_directories({directory}), {});
  if (!loaded)
    throw ConfigError(option + " " + directory +
                      " needs LibTorch to run: give a model that 'dietmt quantize' wrote");
  if (loaded->context.any())
    throw ConfigError(option + " " + directory +
                      " reads the sentences before; give a model of single sentences");
  return std::move(*loaded);
}

std::string line_text(std::string_view text) {
  return invalid_utf8_at(text) == std::string::npos ? std::string(text)
                                                    : replace_invalid_utf8(text);
}

// One direction. Calls take turns, because each of them uses all threads.
class ModelScorer {
 public:
  ModelScorer(nmt::LoadedDecoder model, const nmt::LanguageChoice& languages, int64_t threads)
      : search_(searched(threads)),
        requests_(model, model.languages.empty() ? nmt::LanguageChoice() : languages,
                  model.decoder->source_limit(search_),
                  std::min(search_.max_source_length, model.decoder->max_target_length())),
        translator_(std::move(model), nmt::forced_search(search_)) {}

  std::vector<double> entropies(const std::vector<nmt::TextPair>& pairs) {
    const std::lock_guard lock(turn_);
    std::vector<nmt::TranslationRequest> requests;
    for (const nmt::TextPair& pair : pairs) requests.push_back(requests_.next(pair));
    std::vector<double> all;
    for (const nmt::NBest& found : translator_.translate(requests))
      all.push_back(-found.front().sum /
                    static_cast<double>(std::max<size_t>(found.front().token_scores.size(), 1)));
    return all;
  }

 private:
  static nmt::SearchOptions searched(int64_t threads) {
    nmt::SearchOptions search;
    search.workers = threads;
    return search;
  }

  nmt::SearchOptions search_;
  nmt::ForcedRequests requests_;
  nmt::Translator translator_;
  std::mutex turn_;
};

}  // namespace

data::PairScorer pair_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules) {
  if (o.score_model.empty()) return {};
  if (std::ranges::none_of(rules, [](const data::Rule& rule) {
        return std::holds_alternative<data::EntropyTest>(rule.test);
      }))
    throw ConfigError("--score-model needs a rule CrossEntropyFilter in --rules");
  const nmt::LanguageChoice languages{{}, o.languages.source, o.languages.target};
  const auto forward = std::make_shared<ModelScorer>(load_scorer("--score-model", o.score_model),
                                                     languages, o.threads);
  std::shared_ptr<ModelScorer> reverse;
  if (!o.score_model_reverse.empty())
    reverse =
        std::make_shared<ModelScorer>(load_scorer("--score-model-reverse", o.score_model_reverse),
                                      languages.reversed(), o.threads);
  return [forward, reverse](const std::vector<data::PairSides>& sides) {
    std::vector<nmt::TextPair> pairs;
    for (const data::PairSides& one : sides)
      pairs.push_back({line_text(one.source), line_text(one.target)});
    std::vector<data::PairEntropies> all;
    for (const double entropy : forward->entropies(pairs)) all.push_back({.target = entropy});
    if (!reverse) return all;
    for (nmt::TextPair& pair : pairs) std::swap(pair.source, pair.target);
    const std::vector<double> of_sources = reverse->entropies(pairs);
    for (size_t i = 0; i < all.size(); ++i) all[i].source = of_sources[i];
    return all;
  };
}

}  // namespace dietmt::tools
