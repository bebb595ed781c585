// Scores given translations: a search in which every token is forced, with any decoder.
//
//   ForcedRequests pairs(loaded, "", max_source, max_target);
//   const TranslationRequest requests[] = {pairs.next({"a dog", "ein Hund"})};
//   const Translator translator(std::move(loaded), forced_search(options));
//   const double log_probability = translator.translate(requests)[0].front().sum;
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/text/source_tag.h"
#include "data/text/tokenizer.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/translation/document_context.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

/// Makes a translation as long as its prefix. Keeps the machine settings.
SearchOptions forced_search(SearchOptions options);

struct TextPair {
  std::string source;
  std::string target;
  // Files and lines for warnings about cut text; empty: no warnings.
  std::string source_where = {};
  std::string target_where = {};
};

/// Requests for line pairs. Their only hypothesis has the log-probability, given the source, of
/// each target token and of end of sentence.
class ForcedRequests {
 public:
  /// Lines over `max_source` and `max_target` tokens, with end of sentence, are cut. `languages`:
  /// of all pairs; throws like LineCoder.
  ForcedRequests(const LoadedDecoder& model, const LanguageChoice& languages, int64_t max_source,
                 int64_t max_target);

  /// For a model that reads context, the pairs of a document must come in order.
  TranslationRequest next(const TextPair& pair);

 private:
  std::shared_ptr<const data::Tokenizer> source_tokenizer_;
  std::shared_ptr<const data::Tokenizer> target_tokenizer_;
  data::SourceTag tag_;
  std::vector<int32_t> target_tag_;
  PairContext document_;
  int32_t separator_;
  int64_t max_source_;
  int64_t max_target_;
};

}  // namespace dietmt::nmt
