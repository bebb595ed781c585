// Words and punctuation of a text, for placing markup.
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

  /// Strips the punctuation that begins a run (the Spanish inverted question mark) and the one that
  /// ends it (the full stop of `Open "this."`).
  Run inside_punctuation(Run within) const;

  /// Whether text joined by punctuation, such as "Setup-Datei", continues across the start of this
  /// part.
  bool divides_word(size_t part) const;

  std::string_view text;
  std::vector<data::TextSpan> spans;
  std::vector<bool> are_words;

 private:
  // Between two words without spaces: a hyphen, but not a full stop or dash.
  bool links_words(size_t part) const;
};

}  // namespace dietmt::nmt
