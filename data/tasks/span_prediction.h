// Turns scores of starts and ends into answers, taken verbatim from the context (Devlin et al.
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

/// For each piece of a window, [CLS] first: its scores as first and as last piece of an answer.
struct WindowScores {
  std::vector<float> start = {};  // [window.ids.size()]
  std::vector<float> end = {};    // [window.ids.size()]
};

struct PredictionOptions {
  int64_t top_k = 20;  // starts and ends to try in each window
  int64_t max_answer_pieces = 30;
  int64_t nbest = 20;             // different texts
  bool has_unanswerable = false;  // "no answer" competes (SQuAD 2.0)
  double null_threshold = 0.0;    // of the score difference above which there is no answer

  /// The problems; empty if there are none.
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
  std::vector<SpanCandidate> nbest = {};  // best first; with "no answer" if it competes
  /// Score of "no answer" minus that of the best span (minus 0 if there is no span).
  double null_difference = 0.0;
};

/// Spans begin with a piece that has most context in its window, end in the context of the same
/// window, and score start + end. "No answer" scores the least start + end of [CLS] of all windows.
/// Spans with the same text count once, with the best score. A context without text gives an empty
/// answer. Throws Error if scores are not finite or not as many as pieces, ConfigError for
/// options with problems.
SpanPrediction predict_span(std::string_view context, const TextPieces& pieces,
                            std::span<const SpanWindow> windows,
                            std::span<const WindowScores> scores, const PredictionOptions& options);

}  // namespace dietmt::data
