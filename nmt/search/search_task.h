// One sentence in a search: the request, its constraints, and the hypotheses found.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nmt/search/avoided_texts.h"
#include "nmt/search/constraint_trie.h"
#include "nmt/search/search_options.h"
#include "nmt/search/suppressed_tokens.h"

namespace dietmt::data {
class Tokenizer;
}

namespace dietmt::nmt {

/// The last word of a prefix that ends inside a word, as "Der Hu" does. The translation continues
/// with its pieces, or leaves them at some position for a token that begins with the rest of them.
struct OpenWord {
  std::vector<int32_t> pieces = {};
  /// By position, the tokens that may follow the pieces before it, ascending; the piece at the
  /// position is one of them. At most one entry more than `pieces`.
  std::vector<std::vector<int32_t>> choices = {};
};

struct TranslationRequest {
  std::vector<int32_t> source;       // ends with Tokenizer::source_ending()
  std::vector<int32_t> prefix;       // tokens that the translation must start with
  int64_t unscored = 0;              // of them at the start name its language: they score 0
  OpenWord open_word = {};           // that it must continue with
  int64_t index = 0;                 // of the sentence in its input: part of the sampling key
  TermConstraints constraints = {};  // that the translation must meet
  std::shared_ptr<const AvoidedTexts> avoided = nullptr;  // that it must not contain; null: none
  std::shared_ptr<const SuppressedTokens> suppressed = nullptr;  // by the model; null: none
  // Preceding sentences of its document (data/text/sentence_context.h):
  int64_t context_tokens = 0;      // at the start of `source`
  int32_t context_separator = -1;  // ends each of them in the translation; -1: it has none
  std::string text = {};           // of the sentence, for a choice among its hypotheses

  bool has_prefix() const { return !prefix.empty() || !open_word.choices.empty(); }
  /// Whether the tokens that may follow depend on a hypothesis.
  bool is_constrained() const {
    return !constraints.terms.empty() || avoided || suppressed || !open_word.choices.empty();
  }
  /// How much work it is, in source tokens: what a translation must contain makes it longer, and
  /// each token of a term costs time in every step.
  int64_t work() const {
    return std::ssize(source) + std::ssize(prefix) + constraints.token_count();
  }
  /// Tokens that must have scores, whatever the model's shortlist: of the prefix and the terms.
  std::vector<int32_t> demanded_tokens() const;
};

struct Hypothesis {
  std::vector<int32_t> ids;         // without end of sentence
  std::vector<float> token_scores;  // log-probability of each token and of end of sentence
  double sum = 0.0;                 // of token_scores
  double score = 0.0;  // sum normalized by length, with the coverage penalty; ranks the hypotheses

  // Only with SearchOptions::alignment, and before rank_by_coverage(). How much each token attended
  // to each source token when it was generated, both including end of sentence: [tokens + 1, source
  // tokens], rows summing to 1.
  std::vector<float> attention = {};
  std::vector<int32_t> rows = {};  // of the search, in which the tokens were generated
};

/// The hypotheses of one sentence, best first.
using NBest = std::vector<Hypothesis>;

/// Token ids with a special role in the search.
struct SpecialTokens {
  int32_t unknown = 0;  // never generated; -1: none
  int32_t begin = 1;    // never generated
  int32_t end = 2;

  static SpecialTokens of(const data::Tokenizer& tokenizer);
};

struct SearchTask {
  int64_t max_length = 0;       // in tokens; the last is forced to be end of sentence
  int64_t min_length = 0;       // tokens before end of sentence is allowed
  std::vector<int32_t> prefix;  // the first tokens
  int64_t index = 0;            // of the sentence in its input: part of the sampling key
  OpenWord open_word = {};      // after the prefix
  int64_t unscored = 0;         // tokens of the prefix, from its start
  std::shared_ptr<const ConstraintTrie> constraints = nullptr;   // null: none
  std::shared_ptr<const AvoidedTexts> avoided = nullptr;         // null: none
  std::shared_ptr<const SuppressedTokens> suppressed = nullptr;  // null: none

  /// Whether hypotheses of `step` tokens may end in the open word.
  bool is_in_open_word(int64_t step) const;
  /// The only tokens that may follow `tokens`, if they end in the open word; null: all that
  /// allows() lets. Forced tokens come first.
  const std::vector<int32_t>* choices(std::span<const int32_t> tokens) const;

  /// The only token allowed at `step`, or -1.
  int32_t forced_token(int64_t step, const SpecialTokens& special) const;
  /// Whether a token is allowed at `step`, if none is forced.
  bool allows(int32_t token, int64_t step, const SpecialTokens& special) const {
    if (token == special.unknown || token == special.begin) return false;
    return token != special.end || step >= min_length;
  }
};

/// Cuts the tokens of a sentence and appends `ending`, so that there are at most `max_tokens`, or
/// only the ending. Returns how many were cut.
int64_t cut_and_end(std::vector<int32_t>& tokens, int64_t max_tokens,
                    const std::vector<int32_t>& ending);

/// What the models of a decoder accept.
struct RequestLimits {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t max_source_length = 0;  // tokens
  int64_t max_target_length = 0;
};
/// Throw DataError for tokens or a request that the models do not accept. `side`: source or target.
void require_in_vocabulary(const std::vector<int32_t>& tokens, int64_t vocabulary,
                           const char* side);
void require_fitting(const TranslationRequest& request, const RequestLimits& limits);

/// `max_target_length`: the longest translation, in tokens, that the model can generate.
SearchTask search_task(const TranslationRequest& request, const SearchOptions& options,
                       int64_t max_target_length);

}  // namespace dietmt::nmt
