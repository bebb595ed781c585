// Makes a shortlist from a trained aligner, and measures how well a shortlist covers a text.
#pragma once

#include <cstdint>

#include "data/shortlist/aligner.h"
#include "data/shortlist/cooccurrence.h"
#include "data/shortlist/shortlist.h"
#include "data/text/tokenizer.h"

namespace dietmt::data {

struct ShortlistSizes {
  int64_t best = 100;   // candidates of each source id
  int64_t first = 100;  // most frequent target ids, for every source
};

/// Chooses for each source id the `best` target ids of largest p(target | source), and for all of
/// them the `first` most frequent target ids of `pairs` and end of sentence; the lower id first
/// where these are equal. A source id also gets the target id of the same piece, so that names and
/// numbers that the training text does not have can be copied. Unknown and begin of sentence are
/// never chosen.
ShortlistContent build_shortlist(const TranslationTable& table, const SentencePairs& pairs,
                                 const Tokenizer& source, const Tokenizer& target,
                                 const ShortlistSizes& sizes);

/// Totals over the shortlists of single sentences.
struct ShortlistCoverage {
  int64_t sentences = 0;
  int64_t tokens = 0;             // of the references, without end of sentence
  int64_t covered_tokens = 0;     // in the shortlist of the sentence
  int64_t covered_sentences = 0;  // whose reference is fully covered
  int64_t candidates = 0;         // sum of the shortlists' sizes

  double token_share() const { return share(covered_tokens, tokens); }
  double sentence_share() const { return share(covered_sentences, sentences); }
  double mean_size() const { return share(candidates, sentences); }

 private:
  static double share(int64_t part, int64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

ShortlistCoverage coverage_of(const Shortlist& shortlist, const SentencePairs& pairs);

}  // namespace dietmt::data
