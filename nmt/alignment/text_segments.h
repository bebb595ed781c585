// The words and punctuation of a text, as the places of markup need them.
#pragma once

#include <string_view>
#include <vector>

#include "nmt/alignment/markup_tree.h"

namespace dietmt::nmt {

/// A text and its segments_of().
struct Segments {
  explicit Segments(std::string_view whole);

  std::string_view at(size_t i) const {
    return text.substr(static_cast<size_t>(spans[i].begin),
                       static_cast<size_t>(spans[i].end - spans[i].begin));
  }

  /// A run without the punctuation that begins it, the inverted question mark of Spanish, and
  /// without the one that ends it: the full stop of `Open "this."`.
  Run inside_punctuation(Run within) const;

  /// Whether what is written together around punctuation, as "Setup-Datei", has a part before this
  /// one and goes on with it.
  bool divides_word(size_t part) const;

  std::string_view text;
  std::vector<data::TextSpan> spans;
  std::vector<bool> are_words;

 private:
  // Between two words without spaces: the hyphen, but no full stop or dash.
  bool links_words(size_t part) const;
};

}  // namespace dietmt::nmt
