// What `dietmt rerank` compares translations by.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "metrics/minimum_bayes_risk.h"
#include "nmt/reranking/nbest_reader.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {

/// The directories that --model, --reverse-model, --language-model and --comet-model name.
struct RerankModels : DecodingOptions {
  std::vector<std::string> reverse_models;
  std::vector<std::string> language_models;
  std::vector<std::string> comet_models;

  bool empty() const {
    return models.empty() && reverse_models.empty() && language_models.empty() &&
           comet_models.empty();
  }
};

/// The mean log-probabilities of texts in a masked language model.
using LanguageModel = std::function<std::vector<double>(std::span<const std::string>)>;

/// Loads the encoder in `directory`. `dietmt`, which has no LibTorch, replaces itself with
/// `dietmt-torch` to run the command with `arguments`, before any input is read.
LanguageModel language_model(const std::string& directory, const RerankModels& o,
                             const std::vector<std::string>& arguments);

/// A feature and the model that gives it, as `language`, as `comet` or as a model that decodes.
struct FeatureModel {
  std::string name;
  bool is_reverse = false;
  DecoderSource load = {};
  LanguageModel language = {};
  metrics::LearnedUtility comet = {};
};

/// In the order of the features. To be called before any input is read.
std::vector<FeatureModel> feature_models(const RerankModels& o,
                                         const std::vector<std::string>& arguments);

/// The score of the list, its features, the models, the length.
class RerankFeatures {
 public:
  /// `listed`: NBestReader::feature_names(). Throws DataError if one of them has the name of
  /// another feature.
  RerankFeatures(const std::vector<std::string>& listed, const std::vector<FeatureModel>& models,
                 const RerankModels& o);

  const std::vector<std::string>& names() const { return names_; }
  /// 1, but 0 for the length and for the features of the list, whose score has them already.
  std::vector<double> default_weights() const;

  /// The features of each translation of each sentence: [sentences][translations][names].
  std::vector<std::vector<std::vector<double>>> of(
      std::span<const nmt::ListedSentence> sentences) const;

 private:
  struct Texts;
  using Scorer = std::function<std::vector<double>(const Texts&)>;

  std::vector<std::string> names_;
  size_t listed_ = 0;            // features of the list
  std::vector<Scorer> scorers_;  // of the models
};

}  // namespace dietmt::tools
