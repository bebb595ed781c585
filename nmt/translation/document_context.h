// Sentences with the sentences before them in their document: into the source of requests, and out
// of what was found for them (data/text/sentence_context.h).
#pragma once

#include <cstdint>
#include <vector>

#include "data/text/sentence_context.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// Goes through the sentences of documents in order.
class DocumentContext {
 public:
  explicit DocumentContext(const data::SentenceContext& context)
      : context_(context), sentences_(context.sentences) {}

  /// Puts the sentences before the next one into its request; `source` is the sentence with end of
  /// sentence, and at most `max_tokens` tokens afterwards. A model that translates its context too
  /// gets none if the beginning or the terms of the translation are given: they belong to the
  /// sentence.
  void next(TranslationRequest& request, int64_t max_tokens);

  /// The document is over.
  void end() { sentences_.clear(); }

 private:
  data::SentenceContext context_;
  data::ContextWindow sentences_;
};

/// The same for sentences whose translations are given.
class PairContext {
 public:
  explicit PairContext(const data::SentenceContext& context)
      : context_(context), sources_(context.sentences), targets_(context.sentences) {}

  /// Tokens before the sentence.
  struct Before {
    int64_t source = 0;
    int64_t target = 0;
  };

  /// Puts the pairs before the next one into its sides, which end in end of sentence and have at
  /// most `max_source` and `max_target` tokens afterwards. A source without text ends a document.
  Before next(std::vector<int32_t>& source, std::vector<int32_t>& target, int64_t max_source,
              int64_t max_target);

 private:
  data::SentenceContext context_;
  data::ContextWindow sources_;
  data::ContextWindow targets_;
};

/// Leaves only the sentence in its translations: of the tokens those after the last separator, all
/// if there is none, and of their attention the columns of the sentence, in rows that sum to 1
/// again. `sum` is that of the tokens that are left; `score` stays as it was found. A search has
/// each translation once, the best of those after different contexts; samples all stay.
void drop_context(const TranslationRequest& request, const SearchOptions& search,
                  NBest& translations);

}  // namespace dietmt::nmt
