// Where the text of a subtitle is cut: between the cues of a sentence and the lines of a cue.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// Columns of a text on a screen: wide characters, as in Chinese, take two.
size_t columns_of(std::string_view text);

/// Whether no space belongs between the end of one text and the start of the next, as in Chinese.
bool are_written_together(std::string_view text, std::string_view next);

/// A text cut into the shortest pieces that a line may hold: words, or characters of scripts
/// without spaces.
class LinePieces {
 public:
  explicit LinePieces(std::string_view text);

  /// Pieces first .. last-1.
  struct Run {
    size_t first = 0;
    size_t last = 0;
    bool empty() const { return first == last; }
  };

  Run all() const { return {0, ends_.size() - 1}; }

  /// As many runs as weights, in proportion to them, with cuts after punctuation if one is near.
  /// With too few pieces, the last runs are empty.
  std::vector<Run> split(Run run, const std::vector<double>& weights) const;

  /// About equally long lines: `count`, or more if one would be longer than `most_columns`; fewer
  /// if there are too few pieces.
  std::vector<Run> lines(Run run, size_t count, size_t most_columns) const;

  /// The bytes of a run, without the spaces around it.
  size_t begin_of(Run run) const;
  size_t end_of(Run run) const;

 private:
  size_t columns(Run run) const;

  std::string_view text_;
  std::vector<size_t> ends_{0};     // bytes; of no piece, one piece, two, ...
  std::vector<size_t> columns_{0};  // likewise
};

}  // namespace dietmt::service
