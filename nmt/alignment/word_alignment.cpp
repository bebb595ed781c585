#include "nmt/alignment/word_alignment.h"

#include <algorithm>

#include "common/error.h"
#include "data/text/text_units.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

using data::TextSpan;

bool separates_words(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Parts first .. last - 1.
struct PartRange {
  size_t first = 0;
  size_t last = 0;
};

PartRange parts_of_token(const TokenizedText& text, std::span<const TextSpan> parts,
                         TextSpan token) {
  if (token.begin < 0 || token.end > static_cast<int32_t>(text.text.size())) return {};
  const auto begins_after = [](const TextSpan& part, int32_t at) { return part.end <= at; };
  const auto first = std::lower_bound(parts.begin(), parts.end(), token.begin, begins_after);
  const auto last = std::find_if(first, parts.end(),
                                 [&](const TextSpan& part) { return part.begin >= token.end; });
  const auto index = [&](auto part) { return static_cast<size_t>(part - parts.begin()); };
  if (last != first) return {index(first), index(last)};
  return first == parts.end() ? PartRange() : PartRange{index(first), index(first) + 1};
}

std::vector<PartRange> parts_of_tokens(const TokenizedText& text, std::span<const TextSpan> parts) {
  std::vector<PartRange> ranges;
  for (const TextSpan& token : text.tokens) ranges.push_back(parts_of_token(text, parts, token));
  return ranges;
}

}  // namespace

std::vector<TextSpan> words_of(std::string_view text) {
  std::vector<TextSpan> words;
  const auto size = static_cast<int32_t>(text.size());
  for (int32_t at = 0; at < size; ++at) {
    if (separates_words(text[static_cast<size_t>(at)])) continue;
    const int32_t begin = at;
    while (at < size && !separates_words(text[static_cast<size_t>(at)])) ++at;
    words.push_back({begin, at});
  }
  return words;
}

std::vector<TextSpan> segments_of(std::string_view text) {
  std::vector<TextSpan> segments;
  size_t begin = 0;
  for (const size_t end : data::unit_ends(text, data::TextUnit::kWord)) {
    // A space with an accent is one segment.
    while (begin < end && is_space(first_character(text.substr(begin))))
      begin += static_cast<size_t>(bytes_of_first(text.substr(begin)));
    if (begin < end) segments.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(end)});
    begin = end;
  }
  return segments;
}

PartAttention part_attention(const TokenizedText& source, std::span<const TextSpan> source_parts,
                             const TokenizedText& target, std::span<const TextSpan> target_parts,
                             std::span<const float> attention) {
  const size_t row = source.tokens.size() + 1;
  if (attention.size() != row * (target.tokens.size() + 1))
    throw Error("the attention of " + std::to_string(target.tokens.size()) + " target and " +
                std::to_string(source.tokens.size()) + " source tokens has " +
                std::to_string(attention.size()) + " numbers");
  PartAttention sums{target_parts.size(), source_parts.size(), {}};
  sums.weights.resize(sums.targets * sums.sources);
  const std::vector<PartRange> sources = parts_of_tokens(source, source_parts);
  const std::vector<PartRange> targets = parts_of_tokens(target, target_parts);
  for (size_t t = 0; t < targets.size(); ++t) {
    for (size_t s = 0; s < sources.size(); ++s) {
      const float weight = attention[t * row + s];
      for (size_t i = targets[t].first; i < targets[t].last; ++i)
        for (size_t j = sources[s].first; j < sources[s].last; ++j)
          sums.weights[i * sums.sources + j] += weight;
    }
  }
  return sums;
}

std::vector<WordPair> align_words(const TokenizedText& source, const TokenizedText& target,
                                  std::span<const float> attention) {
  const std::vector<TextSpan> source_words = words_of(source.text);
  const std::vector<TextSpan> target_words = words_of(target.text);
  const PartAttention words = part_attention(source, source_words, target, target_words, attention);
  std::vector<WordPair> pairs;
  if (words.sources == 0) return pairs;
  for (size_t t = 0; t < words.targets; ++t) {
    const auto first = words.weights.begin() + static_cast<std::ptrdiff_t>(t * words.sources);
    const auto most = std::max_element(first, first + static_cast<std::ptrdiff_t>(words.sources));
    pairs.push_back({static_cast<int32_t>(most - first), static_cast<int32_t>(t)});
  }
  return pairs;
}

std::string pharaoh(std::span<const WordPair> pairs) {
  std::string line;
  for (const WordPair& pair : pairs) {
    if (!line.empty()) line += ' ';
    line += std::to_string(pair.source) + '-' + std::to_string(pair.target);
  }
  return line;
}

}  // namespace dietmt::nmt
