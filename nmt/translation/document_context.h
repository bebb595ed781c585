// Adds the preceding sentences of a document to requests, and removes them from the translations
// (data/text/sentence_context.h).
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

  /// Puts preceding sentences into the next sentence's request, whose `source` is the sentence with
  /// end of sentence and has at most `max_tokens` tokens afterwards. A model that also translates
  /// its context gets none if the request has a prefix or terms, which belong to the sentence.
  void next(TranslationRequest& request, int64_t max_tokens);

  /// The document is over.
  void end() { sentences_.clear(); }

 private:
  data::SentenceContext context_;
  data::ContextWindow sentences_;
};

/// Goes through the sentence pairs of documents whose translations are given.
class PairContext {
 public:
  explicit PairContext(const data::SentenceContext& context)
      : context_(context), sources_(context.sentences), targets_(context.sentences) {}

  /// Tokens before the sentence.
  struct Before {
    int64_t source = 0;
    int64_t target = 0;
  };

  /// Puts preceding pairs into the next pair's sides, which end with end of sentence and have at
  /// most `max_source` and `max_target` tokens afterwards. A source without text ends a document.
  Before next(std::vector<int32_t>& source, std::vector<int32_t>& target, int64_t max_source,
              int64_t max_target);

 private:
  data::SentenceContext context_;
  data::ContextWindow sources_;
  data::ContextWindow targets_;
};

/// Leaves only the sentence itself in its translations: the tokens after the last separator (all if
/// there is none), and the sentence's columns of attention, with rows that sum to 1 again. `sum`
/// covers the remaining tokens; `score` stays as found. A search keeps each translation once, the
/// best of those with different contexts; samples are all kept.
void drop_context(const TranslationRequest& request, const SearchOptions& search,
                  NBest& translations);

}  // namespace dietmt::nmt
