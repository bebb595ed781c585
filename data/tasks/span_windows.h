// Splits a question and its context into overlapping windows that fit an encoder (Devlin et al.
// 2019):
//
//   [CLS] question [SEP] part of the context [SEP]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/tasks/piece_windows.h"
#include "data/tasks/question_reader.h"
#include "data/text/bert_tokenizer.h"

namespace dietmt::data {

struct WindowOptions {
  int64_t max_length = 384;   // pieces of a window, including special ones
  int64_t stride = 128;       // context pieces from the start of one window to that of the next
  int64_t max_question = 64;  // pieces; a longer question is cut

  /// The problems; empty if there are none.
  std::vector<std::string> problems() const;
};

struct SpanWindow : PieceWindow {  // over the context
  std::vector<int32_t> ids = {};
  int64_t context_begin = 0;  // position in ids of the first context piece; segment 1 begins there
};

/// Positions in SpanWindow::ids of an answer's first and last piece.
struct SpanLabel {
  int64_t start = 0;
  int64_t end = 0;
};

/// The windows over one context, at least one. Throws ConfigError for options with problems.
std::vector<SpanWindow> span_windows(const TextPieces& question, const TextPieces& context,
                                     const SpecialPieces& special, const WindowOptions& options);

/// Range of the pieces that share bytes with the answer; both positions are that of [CLS] if not
/// all of them lie in the window, or `answer` has no place.
SpanLabel span_label(const SpanWindow& window, const TextPieces& context, const Answer& answer);

}  // namespace dietmt::data
