// Converts a line of text into a request for a model, and the hypotheses found into results. The
// command, the library and the server all translate through it, so that source tags, cut lines,
// glossaries, document context, markup, prefixes, checks and alignments work the same everywhere.
//
//   LineCoder coder(model, search, {.markup = true});
//   LineRequest line = coder.prepare("Click <b>here</b>.");
//   const NBest found = line.has_text ? decode(std::move(line.request)) : NBest();
//   coder.finish(line, found).front().text;  // "<b>Hier</b> klicken."
//
// If a second model translates the first one's output, it has its own coder:
//
//   second.advance(line, first, found.front());
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/translation/document_context.h"
#include "nmt/translation/kept_finder.h"
#include "nmt/translation/line_encoder.h"
#include "nmt/translation/line_request.h"
#include "nmt/translation/line_results.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

/// Codes lines for one model. prepare() and advance() take the lines of a document in order;
/// finish() may run on other threads meanwhile.
class LineCoder {
 public:
  /// `model` must outlive the coder. Throws DataError for a language that the model does not have,
  /// and if a tag is not a piece of the tokenizer.
  LineCoder(const LoadedDecoder& model, const SearchOptions& search, LineOptions options);

  /// `line`: UTF-8. Throws DataError as the constructor does, and if the model needs a language
  /// that nobody has chosen.
  LineRequest prepare(std::string line, LineExtras extras = {});
  LineRequest prepare(MarkedText line, LineExtras extras = {});

  /// Finds text of these kinds in lines for this model.
  KeptFinder finder(KeptKinds kinds) const { return {model_.source_tokenizer.get(), kinds}; }

  /// Whether prepare() would cut the line.
  bool is_too_long(const std::string& line, const LineExtras& extras) {
    return encoder_.is_too_long(line, extras);
  }

  /// Turns `line`, for which the model of `before` found `best`, into a request for this model.
  void advance(LineRequest& line, const LineCoder& before, const Hypothesis& best);

  /// The results of a line, best first; one for a line without text.
  std::vector<LineResult> finish(const LineRequest& line, const NBest& found) const {
    return line_results(model_, options(), line, found);
  }

  /// What the line has of LineOptions::keep and its translation lacks. Nothing, if the line has
  /// marks.
  std::vector<std::string> lost_text(const LineRequest& line, const LineResult& best) const;

  /// `line` without what it has of LineOptions::keep, or `only` these parts of it, for another
  /// translation. Its request reads the same context.
  LineRequest without_kept_text(const LineRequest& line, std::span<const std::string> only) const;

  bool aligns() const { return model_.decoder->aligns(); }
  const LineOptions& options() const { return encoder_.options(); }

  /// The sentences before the next line.
  const DocumentContext& document() const { return document_; }
  void continue_document(const DocumentContext& document) { document_ = document; }
  void end_document() { document_.end(); }

 private:
  LineRequest prepared(LineRequest line);
  void without_mnemonic(LineRequest& line) const;
  void put_in_usual_case(LineRequest& line) const;
  void add_context(LineRequest& line);
  KeptFinder finder_for(const LineRequest& line) const;

  const LoadedDecoder& model_;
  LineEncoder encoder_;
  DocumentContext document_;
};

}  // namespace dietmt::nmt
