// Translates a stream of any number of lines: one result per line, in order.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

struct TranslatedLine {
  int64_t number = 0;                         // in the input, from 1
  std::string source;                         // as it was read, but well-formed UTF-8
  std::string where;                          // "file:line"
  LineRequest request = {};                   // without LineRequest::request
  std::vector<LineResult> translations = {};  // a line without text has one
};

/// How many lines are translated together.
struct WindowSizes {
  // The limits bound the memory and the range in which sentences are sorted by length. Each window
  // is at most twice as long as the one before.
  int64_t first_lines = 256;
  int64_t lines = 8192;
  int64_t bytes = 8 << 20;
};

struct StreamOptions {
  LineOptions line = {};
  LineReader* prefixes = nullptr;  // the beginning of each translation; null: none
  LineReader* tags = nullptr;      // instead of line.source_tag, of each line; null: none
  /// Translates the lines first, such as Portuguese to English before English to German; null:
  /// none.
  const Translator* before = nullptr;
  /// Changes what the search has found for the sentences of a window; may be empty.
  std::function<void(std::vector<NBest>&)> choose = {};
  /// The lines before the first of the input: its context, for a model that reads context.
  std::vector<std::string> earlier = {};
  bool line_by_line = false;  // translate each line when it comes, not in windows of many lines
  WindowSizes windows = {};
};

/// Reads `input` to its end. Unless it goes line by line, it reads and encodes a window on another
/// thread while it translates the one before. `emit` takes the lines of each window and says
/// whether to go on; if not, the reading thread ends after the line that it waits for. `progress`
/// gets the number of lines done since its last call. A model that reads context gets the lines
/// before, up to one without text. Throws DataError if the prefixes or tags are fewer or more than
/// the lines, or if a tag is not a piece of the source tokenizer.
void translate_stream(const Translator& translator, LineReader& input, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress = {});

}  // namespace dietmt::nmt
