// Three ways to make pre-training examples of at most `length` tokens from a text:
//
//   full-sentences   [CLS] contiguous sentences, over the ends of documents with a [SEP] there,
//                    [SEP]: Liu et al. 2019 (RoBERTa, 4.2) and with them Ke et al. 2021
//                    (TUPE, 4.1), both without next-sentence prediction.
//   document         the same within one document, so that the last example of a document is
//                    shorter: DOC-SENTENCES of Liu et al.; Chen et al. 2021 (DIET) train so.
//   sentence-pairs   [CLS] A [SEP] B [SEP] with segments 0 and 1; B is the text after A half of the
//                    time, else text of a random other document: Devlin et al. 2019 (3.1, A.2), and
//                    Wang et al. 2021 ("On Position Embeddings in BERT", E), with that prediction
//                    as a second task.
//
// The first two use every token of the corpus exactly once. Only a sentence that is longer than an
// example is split.
//
// Pairs follow what Devlin et al. published as code: sentences are collected until they reach the
// length (in `short_share` of the cases a random shorter one) or the document ends, A is a random
// part of them from the start, B the rest or begins at a random sentence elsewhere, and the
// sentences that A left over are used again. A pair that is too long loses tokens of its longer
// side, at a random end each. A single sentence always gets a random B, so slightly more than half
// of the pairs are random. That code draws the shorter lengths once a document, this one
// for each pair.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/pretraining/text_corpus.h"

namespace dietmt::data {

enum class ExampleMode { kFullSentences, kDocument, kSentencePairs };

/// From "full-sentences", "document" or "sentence-pairs". Throws ConfigError.
ExampleMode parse_example_mode(const std::string& name);

struct ExampleOptions {
  ExampleMode mode = ExampleMode::kFullSentences;
  int64_t length = 512;      // of an example, with its special pieces
  double short_share = 0.1;  // of the pairs
  std::vector<std::string> problems() const;
};

/// Adjacent tokens of the corpus in an example.
struct TextSegment {
  uint64_t begin : 40;   // index of the first one in the corpus
  uint64_t length : 23;  // with [SEP] at the ends of documents inside
  uint64_t random : 1;   // whether it is a B from a random document
};
static_assert(sizeof(TextSegment) == 8);

/// The tokens of each example; 8 bytes per example, 16 per pair.
struct ExamplePlan {
  int64_t segments_per_example = 1;
  int64_t special_pieces = 2;         // in each example
  std::vector<TextSegment> segments;  // of all examples in order

  int64_t examples() const { return std::ssize(segments) / segments_per_example; }
  std::span<const TextSegment> example(int64_t index) const;
  /// Tokens of the example with its special pieces.
  int64_t length(int64_t index) const;
};

/// Throws DataError, which begins with `name`, unless pairs can be made of the corpus.
void require_pairs(const TextCorpus& corpus, const std::string& name);

/// All examples of an epoch in the order of the corpus. Depends only on its arguments, and on `key`
/// only for pairs. Throws DataError for sentence-pairs of a corpus that has fewer than two
/// documents or none with two sentences, and for a corpus of more than 2^40 tokens; ConfigError if
/// the examples are too short for a pair of two tokens.
ExamplePlan plan_examples(const TextCorpus& corpus, const ExampleOptions& options, uint64_t key);

/// Appends the tokens of an example with its special pieces, and for each 0 or, in B, 1.
void append_example(const TextCorpus& corpus, std::span<const TextSegment> example,
                    std::vector<int32_t>& tokens, std::vector<int32_t>& segments);

}  // namespace dietmt::data
