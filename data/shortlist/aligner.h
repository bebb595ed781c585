// A word aligner over subword ids: IBM model 1 with a preference for the diagonal (Dyer, Chahuneau
// and Smith, "A Simple, Fast, and Effective Reparameterization of IBM Model 2", NAACL 2013),
// trained by expectation maximisation.
//
//   p(target | source) = prod_i [ delta(null) p(t_i | null) + sum_j delta(j | i, m, n) p(t_i | s_j)
//   ]
//
// with delta as in diagonal.h. EM starts from uniform p, whose first E-step is a count of what
// occurs together and needs no table. The M-step sets p to the relative expected counts and the
// tension to its maximum; the paper climbs towards that by a fixed number of gradient steps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/corpus/parallel_corpus.h"
#include "data/shortlist/cooccurrence.h"

namespace dietmt::data {

struct TokenPair {
  std::span<const int32_t> source;
  std::span<const int32_t> target;
};

/// `at(pair)` is called from several threads; its ids are in 0 .. vocabulary-1 of their side.
struct SentencePairs {
  int64_t size = 0;
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  std::function<TokenPair(int64_t)> at;
};

/// The pairs of `corpus`, which must outlive them.
inline SentencePairs sentence_pairs(const ParallelCorpus& corpus, const Tokenizer& source,
                                    const Tokenizer& target) {
  const auto without_end = [](std::span<const int32_t> ids) { return ids.first(ids.size() - 1); };
  return {corpus.size(), source.vocabulary_size(), target.vocabulary_size(),
          [&corpus, without_end](int64_t pair) {
            return TokenPair{without_end(corpus.source(pair)), without_end(corpus.target(pair))};
          }};
}

/// A prior that keeps rare words from drawing the links of words around them. On 100 sentences of
/// Multi30k with links made by hand, values from 0.001 to 0.1 align equally well.
inline constexpr double kSparsePrior = 0.01;

struct AlignerOptions {
  int64_t iterations = 5;
  double null_probability = 0.08;      // p0
  double tension = 4.0;                // at the start
  double prior = 0.0;                  // of TranslationTable::set_probabilities(); for alignments
                                       // kSparsePrior
  int64_t largest_table = 32'000'000;  // cells; 16 bytes each, twice that while they are collected
  int64_t threads = 1;                 // the result does not depend on it
};

/// The result of an iteration.
struct AlignerIteration {
  int64_t number = 0;           // from 1
  double log_likelihood = 0.0;  // of all target tokens, before its M-step (natural logarithm)
  double tension = 0.0;         // after its M-step
  int64_t cells = 0;
  int64_t dropped = 0;  // cells that did not fit into the table, in the first iteration
};

/// `report` is called after each iteration. The log-likelihood does not fall from one to the next,
/// up to the rounding of p to float, unless cells were dropped or there is a prior.
TranslationTable align(const SentencePairs& pairs, const AlignerOptions& options,
                       const std::function<void(const AlignerIteration&)>& report);

/// What align() learned from text, for aligning its pairs and others.
struct WordAligner {
  TranslationTable table;
  double null_probability = 0.0;
  double tension = 0.0;

  /// The most probable source position of each target token, the first of equal ones; -1: the null
  /// word.
  std::vector<int32_t> links(const TokenPair& pair) const;

  /// -log p(target | source) of a target token on average, at most kMostEntropy each; 0 without
  /// tokens. Negative ids are tokens that the aligner does not know: a target token among them has
  /// kUnknownEntropy, so that a few names in a line say little.
  double entropy(const TokenPair& pair) const;
  static constexpr double kMostEntropy = 12.0, kUnknownEntropy = 8.0;
};

WordAligner train_aligner(const SentencePairs& pairs, const AlignerOptions& options,
                          const std::function<void(const AlignerIteration&)>& report);

}  // namespace dietmt::data
