// From scores of starts and ends to answers, cut from the context as it was written (Devlin et al.
// 2019, sections 4.2 and 4.3).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tasks/span_windows.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

/// Of each piece of a window, [CLS] first: score of being an answer's first piece, and its last.
struct WindowScores {
  std::vector<float> start = {};  // [window.ids.size()]
  std::vector<float> end = {};    // [window.ids.size()]
};

struct PredictionOptions {
  int64_t top_k = 20;  // starts, and ends, that are tried in a window
  int64_t max_answer_pieces = 30;
  int64_t nbest = 20;             // different texts
  bool has_unanswerable = false;  // "no answer" competes (SQuAD 2.0)
  double null_threshold = 0.0;    // of the score difference above which there is no answer

  /// What is wrong with them; empty if nothing is.
  std::vector<std::string> problems() const;
};

struct SpanCandidate {
  std::string text = {};  // empty: no answer
  double start_score = 0.0;
  double end_score = 0.0;
  double probability = 0.0;  // softmax over the candidates of a question
};

struct SpanPrediction {
  std::string text = {};                  // empty: no answer
  std::vector<SpanCandidate> nbest = {};  // best first; "no answer" among them where it competes
  /// Score of "no answer" minus that of the best span (minus 0 where there is no span).
  double null_difference = 0.0;
};

/// Spans begin with a piece that has most context in its window, end in the context of the same
/// window, and score start + end. "No answer" scores the least start + end of [CLS] of all windows.
/// A text that several spans have counts once, with its best score. A context without text gives an
/// empty text. Throws Error if scores are not finite or not as many as pieces, ConfigError for
/// options with problems.
SpanPrediction predict_span(std::string_view context, const TextPieces& pieces,
                            std::span<const SpanWindow> windows,
                            std::span<const WindowScores> scores, const PredictionOptions& options);

}  // namespace dietmt::data
