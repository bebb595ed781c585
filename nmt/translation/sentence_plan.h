// A text as sentences to translate, with the white space and markup between and inside them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/inline_markup.h"
#include "nmt/translation/line_coder.h"

namespace dietmt::nmt {

struct PlannedSentence {
  std::vector<MarkedPart> before = {};  // white space or markup, unchanged
  MarkedText marked = {};               // to translate
};

struct PlannedText {
  std::vector<PlannedSentence> sentences = {};
  std::vector<MarkedPart> after = {};
};

struct PlanOptions {
  /// The language whose rules split the text (data/text/sentence_splitter.h); nullopt: the text is
  /// one sentence, which keeps all marks.
  std::optional<std::string> language = {};
  bool joins_lines = false;  // sentences continue across line breaks
};

/// Splits a text without its markup; each sentence takes the marks inside it along. `raw`: the text
/// with its markup, which stays unchanged if it has no sentences. Adds to `planned`.
void plan_sentences(MarkedText marked, const std::vector<MarkedPart>& raw,
                    const PlanOptions& options, PlannedText& planned);

/// The parts of a translation, one if it has no markup.
std::vector<MarkedPart> parts_of(const LineResult& translation);

/// Adds a translated sentence and what is before it in the source to those before. Sentences that
/// the source writes together, as Chinese does, get a space where the translation needs one, and
/// the other way round.
void append_sentence(const std::vector<MarkedPart>& before,
                     const std::vector<MarkedPart>& translation, std::vector<MarkedPart>& parts);

}  // namespace dietmt::nmt
