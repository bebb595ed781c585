// Translates a stream of any number of lines: one result per line, in order.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/line_sentences.h"
#include "nmt/translation/output_guard.h"
#include "nmt/translation/translator.h"
#include "nmt/translation/tsv_columns.h"

namespace dietmt::nmt {

struct TranslatedLine {
  int64_t number = 0;                         // in the input, from 1
  std::string source;                         // as read, but well-formed UTF-8
  std::string where;                          // "file:line"
  std::string row = {};                       // all cells of a line of TSV
  LineSentences sentences = {};               // without their requests and translations
  std::vector<LineResult> translations = {};  // one for a line without text
};

/// How many lines are translated together.
struct WindowSizes {
  // Bound the memory, and the range in which sentences are sorted by length. Each window is at most
  // twice as long as the previous one.
  int64_t first_lines = 256;
  int64_t lines = 8192;
  int64_t bytes = 8 << 20;

  /// Many times as long as what is decoded at once, so that the last sentences of a window, which
  /// leave room unused, are a small share. `capacity`: SentenceDecoder::capacity().
  static WindowSizes for_capacity(int64_t capacity);
};

struct StreamOptions {
  LineOptions line = {};
  std::optional<std::string> split = {};  // as in prepare_sentences()
  bool json = false;                      // lines are objects (nmt/translation/json_line.h)
  const TsvColumns* tsv = nullptr;        // lines have these columns; null: whole lines
  LineReader* prefixes = nullptr;         // the beginning of each translation; null: none
  LineReader* tags = nullptr;             // one per line, instead of line.languages; null: none
  /// Translates the lines first, such as Portuguese to English before English to German; null:
  /// none.
  const Translator* before = nullptr;
  /// Changes the hypotheses found for requests; may be empty.
  std::function<void(std::span<const TranslationRequest>, std::vector<NBest>&)> choose = {};
  Guard guard = Guard::kOff;  // against degenerate translations
  /// Lines before the first line of the input, as context for a model that reads it.
  std::vector<std::string> earlier = {};
  bool line_by_line = false;                // translate each line as it arrives, not in windows
  std::optional<WindowSizes> windows = {};  // none: by the decoder's capacity
};

/// Reads `input` to its end. Unless it goes line by line, it reads and encodes the next window on
/// another thread while it translates the current one. `emit` takes the lines of each window and
/// returns whether to continue; if not, the reading thread ends after the line it is waiting for.
/// `progress` gets the number of lines done since its last call. A model that reads context gets
/// the preceding lines, back to one without text. Throws DataError if there are fewer or more
/// prefixes or tags than lines, if a tag is not a piece of the source tokenizer, and with file:line
/// for a wrong line of JSON or TSV.
void translate_stream(const Translator& translator, LineReader& input, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress = {});

}  // namespace dietmt::nmt
