// Translates a stream of any number of lines: one result per line, in order.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "common/text_io.h"
#include "data/text/glossary.h"
#include "data/text/tokenizer.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

struct TranslatedLine {
  int64_t number = 0;      // in the input, from 1
  std::string source;      // as translated: well-formed UTF-8
  std::string pivot = {};  // what StreamOptions::before made of it
  NBest translations;      // a line without text has one empty translation
  std::vector<const data::GlossaryTerm*> terms = {};  // of the glossary, for each occurrence
  std::string where = {};                             // "file:line"
  // Only with the translator's SearchOptions::alignment and without a pivot: the tokens, and their
  // bytes in the text that was translated (below 0 for those of a tag before it).
  data::SpannedPieces pieces = {};
  MarkedText marked = {};  // only with StreamOptions::markup: that text is marked.text
};

/// A model whose translations another one translates, such as Portuguese to English before English
/// to German.
struct PivotModel {
  const Translator& translator;
  const data::Tokenizer& source_tokenizer;
  const data::Tokenizer& target_tokenizer;
};

struct StreamOptions {
  std::string source_tag = {};         // put before each line that has text (data::SourceTag)
  const PivotModel* before = nullptr;  // translates the lines first; null: none
  /// Changes what the search has found for the sentences of a window; may be empty.
  std::function<void(std::vector<NBest>&)> choose = {};
  /// The lines before the first of the input: its context, for a model that reads context.
  std::vector<std::string> earlier = {};
  bool markup = false;        // take tags and placeholders out of the lines
  bool line_by_line = false;  // translate each line when it comes, not in windows of many lines
  // Of the terms that translations must contain; null: none. It outlives the stream.
  const data::Glossary* glossary = nullptr;
  // The limits of a window, which bound the memory and the range in which sentences are sorted by
  // length. Each window is at most twice as long as the one before.
  int64_t first_window_lines = 256;
  int64_t window_lines = 8192;
  int64_t window_bytes = 8 << 20;
};

/// Reads `input` to its end, and from `prefixes`, if given, the text that each translation starts
/// with. Unless it goes line by line, it reads and encodes a window on another thread while it
/// translates the one before. `emit` takes the lines of each window and says whether to go on; if
/// not, the reading thread ends after the line that it waits for. `progress` gets the number of
/// lines done since its last call. A model that reads context gets the lines before, up to one
/// without text. Throws DataError if `prefixes` has fewer or more
/// lines, or if the tag is not a piece of the source tokenizer.
void translate_stream(const Translator& translator, const data::Tokenizer& source_tokenizer,
                      const data::Tokenizer& target_tokenizer, LineReader& input,
                      LineReader* prefixes, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress = {});

}  // namespace dietmt::nmt
