// Log-probabilities of given translations by a model that decodes: a search in which every token is
// forced.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/text/source_tag.h"
#include "data/text/tokenizer.h"
#include "nmt/search/search_options.h"
#include "nmt/translation/loaded_decoder.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

struct TextPair {
  std::string source;
  std::string target;
};

class ForcedScorer {
 public:
  /// Uses only the machine settings and the longest source of `search`. `source_tag`: as in
  /// data::SourceTag, which also throws.
  ForcedScorer(LoadedDecoder model, const SearchOptions& search,
               const std::string& source_tag = "");

  /// log p(target | source) / tokens of the target, end of sentence included, of each pair. Lines
  /// longer than the model can take are cut.
  std::vector<double> mean_log_probs(std::span<const TextPair> pairs) const;

 private:
  std::vector<int32_t> target_tokens(const std::string& line) const;

  LoadedDecoder model_;
  data::SourceTag tag_;
  Translator translator_;
};

}  // namespace dietmt::nmt
