// Converts hypotheses into results: pieces become text, markup and mnemonics go back in, and the
// text gets the case of its source.
#pragma once

#include <string>
#include <vector>

#include "nmt/alignment/word_alignment.h"
#include "nmt/translation/line_request.h"
#include "nmt/translation/loaded_decoder.h"

namespace dietmt::nmt {

/// One translation of a line.
struct LineResult {
  std::string text = {};
  std::vector<MarkedPart> parts = {};  // of the text, if the line has markup
  double score = 0.0;
  std::vector<float> token_scores = {};
  std::vector<std::string> pieces = {};          // with end of sentence
  std::vector<std::string> missing_terms = {};   // target terms of the glossary that it lacks
  std::vector<std::string> missing_copies = {};  // from data::missing_copies()
  std::vector<WordPair> alignment = {};
  /// From each target token to LineRequest::pieces, both with end of sentence.
  std::vector<std::vector<float>> attention = {};
};

/// The text of a hypothesis, in parts if the line has markup.
struct DecodedLine {
  std::string text = {};
  std::string cased = {};                // with the case of the source's words; empty: not restored
  std::vector<MarkedPart> parts = {};    // of the cased text, if there is one
  std::vector<WordPair> alignment = {};  // for AlignmentKind::kHard
};

DecodedLine decoded_line(const LoadedDecoder& model, AlignmentKind alignment,
                         const LineRequest& line, const Hypothesis& found);

/// The results of a line for which `model` found these hypotheses, in their order; one for a line
/// without text.
std::vector<LineResult> line_results(const LoadedDecoder& model, const LineOptions& options,
                                     const LineRequest& line, const NBest& found);

}  // namespace dietmt::nmt
