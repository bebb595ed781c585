#include "tools/rerank_features.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "nmt/model/model_files.h"
#include "nmt/translation/forced_scoring.h"
#include "nmt/translation/translator.h"
#include "tools/learned_metric.h"
#include "tools/mbr_options.h"

namespace dietmt::tools {
namespace {

int64_t characters(const std::string& text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

// Calls add(feature, directory) for the directories of an option, with "name", "name2" and so on.
template <typename Add>
void number_features(const std::vector<std::string>& directories, const std::string& option,
                     const std::string& name, Add add) {
  int64_t number = 0;
  for (const std::string& directory : nmt::model_directories(directories, option))
    add(++number == 1 ? name : name + std::to_string(number), directory);
}

// log p(target | source) / tokens of the target, end of sentence included.
class PairScorer {
 public:
  PairScorer(nmt::LoadedDecoder model, const nmt::SearchOptions& search,
             const nmt::LanguageChoice& languages)
      : pairs_(model, languages, model.decoder->source_limit(search),
               std::min(search.max_source_length, model.decoder->max_target_length())),
        translator_(std::move(model), nmt::forced_search(search)) {
    if (translator_.model().context.any())
      throw ConfigError(
          "a model that reads the sentences before (--context) cannot rerank: it would score each "
          "sentence by itself");
  }

  std::vector<double> mean_log_probs(std::span<const nmt::TextPair> pairs) {
    std::vector<nmt::TranslationRequest> requests;
    for (const nmt::TextPair& pair : pairs) requests.push_back(pairs_.next(pair));
    std::vector<double> scores;
    for (const nmt::NBest& found : translator_.translate(requests))
      scores.push_back(found.front().sum / static_cast<double>(found.front().token_scores.size()));
    return scores;
  }

 private:
  nmt::ForcedRequests pairs_;
  nmt::Translator translator_;
};

}  // namespace

std::vector<FeatureModel> feature_models(const RerankModels& o,
                                         const std::vector<std::string>& arguments) {
  std::vector<FeatureModel> features;
  const auto decoders = [&](const std::vector<std::string>& directories, const std::string& option,
                            const std::string& feature, bool is_reverse) {
    number_features(directories, option, feature,
                    [&](const std::string& name, const std::string& directory) {
                      DecodingOptions one = o;
                      one.models = {directory};
                      if (one.device != "cpu") one.weights = "fp32";  // as feature weights expect
                      features.push_back({.name = name,
                                          .is_reverse = is_reverse,
                                          .load = decoder_source(one, "rerank", arguments)});
                    });
  };
  decoders(o.models, "--model", "model", false);
  decoders(o.reverse_models, "--reverse-model", "reverse", true);
  number_features(
      o.language_models, "--language-model", "language",
      [&](const std::string& name, const std::string& directory) {
        features.push_back({.name = name, .language = language_model(directory, o, arguments)});
      });
  number_features(
      o.comet_models, "--comet-model", "comet",
      [&](const std::string& name, const std::string& directory) {
        features.push_back(
            {.name = name,
             .comet = learned_metric(learned_metric_options(o, directory), "rerank", arguments)
                          .utility});
      });
  return features;
}

// All translations of some sentences, one after another.
struct RerankFeatures::Texts {
  std::vector<nmt::TextPair> forward, reverse;
  std::vector<std::string> translations;
  std::vector<metrics::WeightedCandidates> candidates;  // of each sentence

  explicit Texts(std::span<const nmt::ListedSentence> sentences) {
    for (const nmt::ListedSentence& sentence : sentences) {
      metrics::WeightedCandidates& of_sentence = candidates.emplace_back();
      of_sentence.source = sentence.source;
      of_sentence.weights.assign(sentence.translations.size(),
                                 1.0 / static_cast<double>(sentence.translations.size()));
      for (const nmt::ListedTranslation& one : sentence.translations) {
        forward.push_back({sentence.source, one.text});
        reverse.push_back({one.text, sentence.source});
        translations.push_back(one.text);
        of_sentence.texts.push_back(one.text);
      }
    }
  }
};

RerankFeatures::RerankFeatures(const std::vector<std::string>& listed,
                               const std::vector<FeatureModel>& models, const RerankModels& o)
    : listed_(listed.size()) {
  names_.emplace_back("score");
  names_.insert(names_.end(), listed.begin(), listed.end());
  for (const FeatureModel& model : models) {
    names_.push_back(model.name);
    if (model.language) {
      scorers_.emplace_back(
          [language = model.language](const Texts& texts) { return language(texts.translations); });
      continue;
    }
    if (model.comet) {
      scorers_.emplace_back([comet = model.comet](const Texts& texts) {
        std::vector<double> all;
        for (const std::vector<double>& of_sentence : comet(texts.candidates))
          all.insert(all.end(), of_sentence.begin(), of_sentence.end());
        return all;
      });
      continue;
    }
    const nmt::LanguageChoice languages = model.is_reverse ? o.languages.reversed() : o.languages;
    scorers_.emplace_back([scorer = std::make_shared<PairScorer>(model.load(), o.search, languages),
                           is_reverse = model.is_reverse](const Texts& texts) {
      return scorer->mean_log_probs(is_reverse ? texts.reverse : texts.forward);
    });
  }
  names_.emplace_back("length");
  for (const std::string& name : listed)
    if (std::ranges::count(names_, name) > 1)
      throw DataError("two features are called '" + name + "': rename the one in the n-best list");
}

std::vector<double> RerankFeatures::default_weights() const {
  std::vector<double> weights(names_.size(), 1.0);
  std::fill_n(weights.begin() + 1, listed_, 0.0);
  weights.back() = 0.0;
  return weights;
}

std::vector<std::vector<std::vector<double>>> RerankFeatures::of(
    std::span<const nmt::ListedSentence> sentences) const {
  const Texts texts(sentences);
  std::vector<std::vector<double>> scores;  // of the models
  for (const Scorer& scorer : scorers_) scores.push_back(scorer(texts));
  std::vector<std::vector<std::vector<double>>> features(sentences.size());
  size_t pair = 0;
  for (size_t s = 0; s < sentences.size(); ++s) {
    for (const nmt::ListedTranslation& one : sentences[s].translations) {
      std::vector<double>& found = features[s].emplace_back();
      found.push_back(one.score);
      found.insert(found.end(), one.features.begin(), one.features.end());
      for (const std::vector<double>& of_model : scores) found.push_back(of_model[pair]);
      const auto source =
          static_cast<double>(std::max<int64_t>(1, characters(sentences[s].source)));
      found.push_back(static_cast<double>(characters(one.text)) / source);
      ++pair;
    }
  }
  return features;
}

}  // namespace dietmt::tools
