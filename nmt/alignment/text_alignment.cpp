#include "nmt/alignment/text_alignment.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "common/text_io.h"

namespace dietmt::nmt {

std::vector<int32_t> words_of_pieces(std::string_view line,
                                     const std::vector<data::TextSpan>& pieces) {
  const std::vector<data::TextSpan> words = words_of(line);
  std::vector<int32_t> of_pieces;
  size_t word = 0;
  for (const data::TextSpan& piece : pieces) {
    while (word + 1 < words.size() && words[word].end <= piece.begin) ++word;
    of_pieces.push_back(static_cast<int32_t>(word));
  }
  return of_pieces;
}

namespace {

// 2,000 tokens per side. The aligner's first iteration takes 16 bytes per token pair.
constexpr size_t kMostTokenPairs = 4'000'000;

data::TokenPair token_pair(const AlignableText& source, const AlignableText& target, int64_t line) {
  return {source.line(line).tokens, target.line(line).tokens};
}

bool is_too_long(const data::TokenPair& pair) {
  return pair.source.size() * pair.target.size() > kMostTokenPairs;
}

data::SentencePairs sentence_pairs(const AlignableText& source, const AlignableText& target) {
  return {source.size(), source.vocabulary(), target.vocabulary(), [&](int64_t line) {
            const data::TokenPair pair = token_pair(source, target, line);
            return is_too_long(pair) ? data::TokenPair() : pair;
          }};
}

}  // namespace

AlignableText::AlignableText(const std::string& file, const data::Tokenizer* pieces) {
  LineReader reader(file, kMaxLineBytes, LongLines::kCut);
  std::unordered_map<std::string, int32_t> ids;
  std::string text;
  while (reader.next(text)) {
    warn_if_cut(reader, text);
    text = replace_invalid_utf8(text);
    if (pieces != nullptr) {
      const data::SpannedPieces found = pieces->encode_with_spans(text);
      tokens_.insert(tokens_.end(), found.ids.begin(), found.ids.end());
      const std::vector<int32_t> words = words_of_pieces(text, found.spans);
      words_.insert(words_.end(), words.begin(), words.end());
    } else {
      int32_t index = 0;
      for (const data::TextSpan& word : words_of(text)) {
        const auto begin = static_cast<size_t>(word.begin);
        const auto [entry, is_new] =
            ids.try_emplace(text.substr(begin, static_cast<size_t>(word.end) - begin),
                            static_cast<int32_t>(ids.size()));
        tokens_.push_back(entry->second);
        words_.push_back(index++);
      }
    }
    ends_.push_back(tokens_.size());
  }
  vocabulary_ = pieces != nullptr ? pieces->vocabulary_size() : static_cast<int64_t>(ids.size());
}

AlignableLine AlignableText::line(int64_t index) const {
  const size_t begin = ends_[static_cast<size_t>(index)];
  const size_t count = ends_[static_cast<size_t>(index) + 1] - begin;
  return {std::span(tokens_).subspan(begin, count), std::span(words_).subspan(begin, count)};
}

TextAlignment::TextAlignment(const AlignableText& source, const AlignableText& target,
                             const data::AlignerOptions& options, Symmetrization symmetrization,
                             const Report& report)
    : source_(source), target_(target), symmetrization_(symmetrization) {
  const auto train = [&](const AlignableText& from, const AlignableText& to, const char* name) {
    return data::train_aligner(
        sentence_pairs(from, to), options,
        [&](const data::AlignerIteration& iteration) { report(name, iteration); });
  };
  if (symmetrization != Symmetrization::kReverse) forward_ = train(source, target, "forward");
  if (symmetrization != Symmetrization::kForward) reverse_ = train(target, source, "reverse");
}

bool TextAlignment::is_too_long(int64_t line) const {
  return nmt::is_too_long(token_pair(source_, target_, line));
}

std::vector<WordPair> TextAlignment::links(int64_t line) const {
  if (is_too_long(line)) return {};
  const AlignableLine source = source_.line(line), target = target_.line(line);
  std::vector<WordPair> forward, reverse;
  if (forward_) {
    const std::vector<int32_t> found = forward_->links({source.tokens, target.tokens});
    for (size_t t = 0; t < found.size(); ++t)
      if (found[t] >= 0)
        forward.push_back({source.words[static_cast<size_t>(found[t])], target.words[t]});
  }
  if (reverse_) {
    const std::vector<int32_t> found = reverse_->links({target.tokens, source.tokens});
    for (size_t s = 0; s < found.size(); ++s)
      if (found[s] >= 0)
        reverse.push_back({source.words[s], target.words[static_cast<size_t>(found[s])]});
  }
  return symmetrized(forward, reverse, symmetrization_);
}

}  // namespace dietmt::nmt
