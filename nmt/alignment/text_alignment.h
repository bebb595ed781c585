// Statistical word alignment of parallel text, using the aligner of data/shortlist in both
// directions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/shortlist/aligner.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/symmetrization.h"
#include "nmt/alignment/word_alignment.h"

namespace dietmt::nmt {

/// The word of each piece, counted from 0: the first word that shares characters with it, else the
/// next one. Words are words_of() the line.
std::vector<int32_t> words_of_pieces(std::string_view line,
                                     const std::vector<data::TextSpan>& pieces);

/// The tokens of a line: words between white space, or the pieces of a tokenizer.
struct AlignableLine {
  std::span<const int32_t> tokens;
  std::span<const int32_t> words;  // of each token, counted from 0
};

/// A text as lines of tokens.
class AlignableText {
 public:
  /// `pieces`: null for words. Throws DataError if the file cannot be read.
  AlignableText(const std::string& file, const data::Tokenizer* pieces);

  int64_t size() const { return static_cast<int64_t>(ends_.size()) - 1; }
  int64_t tokens() const { return static_cast<int64_t>(tokens_.size()); }
  int64_t vocabulary() const { return vocabulary_; }
  AlignableLine line(int64_t index) const;

 private:
  int64_t vocabulary_ = 0;
  std::vector<int32_t> tokens_;
  std::vector<int32_t> words_;
  std::vector<size_t> ends_ = {0};  // of the lines in tokens_
};

/// What the aligner learned from two texts, which must outlive it.
class TextAlignment {
 public:
  using Report = std::function<void(const char* direction, const data::AlignerIteration&)>;

  /// Trains the directions that `symmetrization` needs. The texts have the same number of lines.
  TextAlignment(const AlignableText& source, const AlignableText& target,
                const data::AlignerOptions& options, Symmetrization symmetrization,
                const Report& report);

  /// The links of a line. Two words are linked if any of their pieces are.
  std::vector<WordPair> links(int64_t line) const;

  /// Whether the line has too many token pairs for memory and time. It then has no links and is not
  /// trained on.
  bool is_too_long(int64_t line) const;

 private:
  const AlignableText& source_;
  const AlignableText& target_;
  Symmetrization symmetrization_;
  std::optional<data::WordAligner> forward_;  // p(target | source)
  std::optional<data::WordAligner> reverse_;  // p(source | target)
};

}  // namespace dietmt::nmt
