// Texts with one token per word, and their attention.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/inline_markup.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// As sentencepiece does: each word with the space before it.
inline std::vector<data::TextSpan> tokens_of_words(std::string_view text) {
  std::vector<data::TextSpan> tokens;
  for (const data::TextSpan& word : words_of(text))
    tokens.push_back({word.begin > 0 ? word.begin - 1 : 0, word.end});
  return tokens;
}

/// Target token t attends only to source token links[t], end of sentence to itself.
inline std::vector<float> attention_of(const std::vector<size_t>& links, size_t sources) {
  std::vector<float> attention((links.size() + 1) * (sources + 1));
  for (size_t t = 0; t < links.size(); ++t) attention[t * (sources + 1) + links[t]] = 1.0F;
  attention.back() = 1.0F;
  return attention;
}

/// The translation of a marked-up text if its words translate to `target`, and word t of the target
/// attends to word links[t] of the text without markup.
inline std::string placed(std::string_view marked_text, const std::string& target,
                          const std::vector<size_t>& links) {
  const MarkedText marked = take_out_markup(marked_text);
  const auto source = tokens_of_words(marked.text), tokens = tokens_of_words(target);
  const auto parts =
      place_markup(marked, source, {target, tokens}, attention_of(links, source.size()));
  return join(parts, marked.spellings);
}

}  // namespace dietmt::nmt
