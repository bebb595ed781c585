#include "tools/clean_scores.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "common/error.h"
#include "common/process.h"
#include "common/text_io.h"
#include "data/cleaning/pair_aligner.h"
#include "data/text/text_column.h"
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
    throw_if_stop_requested();
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

bool has_test(const std::vector<data::Rule>& rules, data::EntropyTest::By by) {
  return std::ranges::any_of(rules, [by](const data::Rule& rule) {
    const auto* test = std::get_if<data::EntropyTest>(&rule.test);
    return test != nullptr && test->by == by;
  });
}

}  // namespace

data::PairScorer aligner_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules) {
  if (!has_test(rules, data::EntropyTest::By::kAligner)) return {};
  for (const std::string& input : o.inputs)
    if (const std::string file = data::TextColumn(input).file;
        std::filesystem::exists(file) ? !std::filesystem::is_regular_file(file) : file == "-")
      throw ConfigError("WordAlignFilter reads the text twice: give a file instead of " + file);
  const std::unique_ptr<data::PairSource> text = open_pairs(o);
  const auto aligner = std::make_shared<const data::PairAligner>(
      *text, o.align_pairs, o.threads > 0 ? o.threads : usable_cores());
  spdlog::info("the word aligner learned from {} pairs", aligner->pairs());
  return [aligner](const std::vector<data::PairSides>& pairs) { return aligner->entropies(pairs); };
}

data::PairScorer model_scorer(const CleanOptions& o, const std::vector<data::Rule>& rules) {
  if (o.score_model.empty()) return {};
  if (!has_test(rules, data::EntropyTest::By::kModel))
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
      pairs.push_back({std::string(one.source), std::string(one.target)});
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
