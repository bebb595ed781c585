// Texts of any length to translations: split into sentences, translated as one request of the
// model's queue, and joined again with all that stood between the sentences.
#pragma once

#include <string>
#include <vector>

#include "nmt/search/search_options.h"
#include "service/scheduling/served_model.h"

namespace dietmt::service {

struct TextOptions {
  std::string language;  // of the source, for the rules of splitting
  bool html = false;
  bool split = true;        // false: a text is one sentence
  bool pieces = false;      // fill TranslatedSentence::Found::pieces
  std::string prefix = "";  // each sentence's translation starts so
  nmt::SearchOptions search = {};
};

struct TranslatedSentence {
  struct Found {
    std::string text;
    double score = 0.0;
    std::vector<std::string> pieces = {};  // and end of sentence
    std::vector<float> piece_scores = {};
  };
  std::string before;  // spacing or markup, as it was
  std::string source;
  int64_t source_tokens = 0;        // translated, with end of sentence
  int64_t cut_tokens = 0;           // beyond what the model or the options take
  std::vector<Found> translations;  // best first
};

struct TranslatedText {
  std::vector<TranslatedSentence> sentences;
  std::string after;
  int64_t target_tokens = 0;  // of the best translations, with end of sentence

  /// With the n-th translation of each sentence, or its last one where there are fewer.
  std::string joined(size_t n = 0) const;

  bool was_cut() const;
};

/// Blocks until all are done. Throws what RequestQueue::translate() does.
std::vector<TranslatedText> translate_texts(ServedModel& model,
                                            const std::vector<std::string>& texts,
                                            const TextOptions& options, const Patience& patience);

}  // namespace dietmt::service
