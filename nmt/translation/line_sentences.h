// Lines of several sentences, which are translated one by one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nmt/search/search_task.h"
#include "nmt/translation/kept_text.h"
#include "nmt/translation/line_coder.h"
#include "nmt/translation/output_guard.h"

namespace dietmt::nmt {

/// A line and the requests for its sentences: for most lines, one.
struct LineSentences {
  struct Sentence {
    std::vector<MarkedPart> before = {};  // white space or markup, unchanged
    LineRequest request = {};
    GuardOutcome guard = {};
    std::vector<LineResult> translations = {};
  };

  std::vector<Sentence> sentences = {};
  std::vector<MarkedPart> after = {};

  bool was_cut() const;
  /// "capitals", "title" or "words" if all sentences are; "" otherwise.
  std::string case_name() const;
  /// The sign of a translation that stayed, or of one that was replaced.
  GuardOutcome guard() const;
  /// The line as the last model reads it; empty if there is only one model.
  std::string pivot() const;

  /// Moves the requests of the sentences that have text into `requests`.
  void take_requests(std::vector<TranslationRequest>& requests);

  /// Takes the translations of these requests, from found[next] on.
  void finish(const LineCoder& coder, std::span<const NBest> found,
              std::span<const GuardOutcome> outcomes, size_t& next);

  /// The sentences and their translations, for keep_text().
  void add_pairs(std::vector<TranslatedPair>& pairs);

  /// The translations of the line, for once. The n-th is made of the n-th of each sentence, or its
  /// last. The score is the mean over the tokens.
  std::vector<LineResult> take_joined();
};

/// Splits by the rules of `language`. Without one, a line that is longer than the model can read is
/// split by the general rules, except if the coder aligns words. A prefix belongs to the first
/// sentence.
LineSentences prepare_sentences(LineCoder& coder, std::string line, LineExtras extras,
                                const std::optional<std::string>& language);

}  // namespace dietmt::nmt
