// Word alignments of a translation, read off the attention between its tokens and those of the
// source (nmt::Hypothesis::attention).
//
// Words are separated by white space. A token belongs to each word of which it has characters, and
// one that is only white space to the word after it. The attention of a target word to a source
// word is the sum over their pairs of tokens. Each target word is aligned to the source word that
// it attends to most, the first of equal ones. End of sentence and the tag before a source line
// belong to no word.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/tokenizer.h"

namespace dietmt::nmt {

/// A text and the bytes of its tokens, without end of sentence. Tokens outside the text, such as
/// those of a tag before it, have bytes below 0.
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

/// Words, numbers and punctuation by the rules of Unicode's annex 29, with dictionaries for
/// languages that do not separate words; white space is none of them. `text`: UTF-8.
std::vector<data::TextSpan> segments_of(std::string_view text);

/// The attention of parts of a translation to parts of its source: [target parts, source parts].
struct PartAttention {
  size_t targets = 0;
  size_t sources = 0;
  std::vector<float> weights;

  float at(size_t target, size_t source) const { return weights[target * sources + source]; }
};

/// Sums the attention of tokens, [target tokens + 1, source tokens + 1] with end of sentence, over
/// parts: words_of() or segments_of() the texts. Throws Error if the sizes do not fit.
PartAttention part_attention(const TokenizedText& source,
                             std::span<const data::TextSpan> source_parts,
                             const TokenizedText& target,
                             std::span<const data::TextSpan> target_parts,
                             std::span<const float> attention);

/// One pair for each target word, in their order; none if the source has no words.
std::vector<WordPair> align_words(const TokenizedText& source, const TokenizedText& target,
                                  std::span<const float> attention);

/// "0-0 2-1": source and target of each pair.
std::string pharaoh(std::span<const WordPair> pairs);

}  // namespace dietmt::nmt
