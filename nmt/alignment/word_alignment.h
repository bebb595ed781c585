// Word alignments of a translation, derived from the attention between its tokens and the source's
// (nmt::Hypothesis::attention).
//
// Words are separated by white space. A token belongs to each word that it shares characters with;
// a token of white space belongs to the next word. The attention of a target word to a source word
// is the sum over their token pairs. Each target word is aligned to the source word it attends to
// most, the first of equal ones. End of sentence and a source tag belong to no word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::nmt {

/// A text and the bytes of its tokens, without end of sentence. Tokens outside the text, such as a
/// tag's, have negative bytes.
struct TokenizedText {
  std::string_view text;
  std::span<const data::TextSpan> tokens;
};

/// A target word and the source word that it is aligned to, both counted from 0.
struct WordPair {
  int32_t source = 0;
  int32_t target = 0;

  auto operator<=>(const WordPair&) const = default;
};

/// The words between ASCII white space.
std::vector<data::TextSpan> words_of(std::string_view text);

/// Words, numbers and punctuation by Unicode annex 29, with dictionaries for languages without
/// spaces between words; excludes white space. `text`: UTF-8.
std::vector<data::TextSpan> segments_of(std::string_view text);

/// Attention of a translation's parts to its source's parts: [target parts, source parts].
struct PartAttention {
  size_t targets = 0;
  size_t sources = 0;
  std::vector<float> weights;

  float at(size_t target, size_t source) const { return weights[target * sources + source]; }
};

/// Sums the attention of tokens, [target tokens + 1, source tokens + 1] with end of sentence, over
/// parts: words_of() or segments_of() the texts. Throws Error if the sizes do not match.
PartAttention part_attention(const TokenizedText& source,
                             std::span<const data::TextSpan> source_parts,
                             const TokenizedText& target,
                             std::span<const data::TextSpan> target_parts,
                             std::span<const float> attention);

/// One pair per target word, in order; none if the source has no words.
std::vector<WordPair> align_words(const TokenizedText& source, const TokenizedText& target,
                                  std::span<const float> attention);

/// "0-0 2-1": source and target of each pair.
std::string pharaoh(std::span<const WordPair> pairs);

}  // namespace dietmt::nmt
