#include "data/tasks/span_windows.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::data {
namespace {

constexpr int64_t kFewestSpecial = 3;  // [CLS] and two [SEP]

void append(std::vector<int32_t>& ids, const std::vector<int32_t>& source, int64_t begin,
            int64_t count) {
  ids.insert(ids.end(), source.begin() + begin, source.begin() + begin + count);
}

int64_t special_per_window(const SpecialPieces& special) { return 2 + special.separators; }

SpanWindow make_window(const TextPieces& question, int64_t question_pieces,
                       const TextPieces& context, int64_t first_piece, int64_t pieces,
                       const SpecialPieces& special) {
  SpanWindow window;
  window.ids.reserve(static_cast<size_t>(question_pieces + pieces + special_per_window(special)));
  window.ids.push_back(special.classify);
  append(window.ids, question.ids, 0, question_pieces);
  window.ids.insert(window.ids.end(), static_cast<size_t>(special.separators), special.separate);
  window.context_begin = std::ssize(window.ids);
  window.first_piece = first_piece;
  window.pieces = pieces;
  append(window.ids, context.ids, first_piece, pieces);
  window.ids.push_back(special.separate);
  return window;
}

void mark_most_context(std::vector<SpanWindow>& windows, int64_t context_pieces) {
  struct Best {
    size_t window = 0;
    int64_t context = -1;
    int64_t length = 0;
  };
  std::vector<Best> best(static_cast<size_t>(context_pieces));
  for (size_t w = 0; w < windows.size(); ++w) {
    const int64_t length = windows[w].pieces;
    for (int64_t i = 0; i < length; ++i) {
      Best& of_piece = best[static_cast<size_t>(windows[w].first_piece + i)];
      const int64_t context = std::min(i, length - 1 - i);
      if (std::pair(context, length) > std::pair(of_piece.context, of_piece.length))
        of_piece = {w, context, length};
    }
  }
  for (size_t w = 0; w < windows.size(); ++w) {
    for (int64_t i = 0; i < windows[w].pieces; ++i)
      windows[w].has_most_context.push_back(
          best[static_cast<size_t>(windows[w].first_piece + i)].window == w);
  }
}

}  // namespace

std::vector<std::string> WindowOptions::problems() const {
  std::vector<std::string> found;
  if (stride < 1) found.push_back("--stride must be at least 1");
  if (max_question < 1) found.push_back("--max-question must be at least 1");
  if (max_length < max_question + kFewestSpecial + 1)
    found.push_back("--max-length " + std::to_string(max_length) +
                    " leaves no room for a question of --max-question " +
                    std::to_string(max_question) + ", three special pieces and context");
  return found;
}

std::vector<SpanWindow> span_windows(const TextPieces& question, const TextPieces& context,
                                     const SpecialPieces& special, const WindowOptions& options) {
  throw_if_any(options.problems());
  const int64_t text_room = options.max_length - special_per_window(special);
  const int64_t question_pieces =
      std::min({int64_t{std::ssize(question.ids)}, options.max_question, text_room - 1});
  const int64_t room = text_room - question_pieces;
  const int64_t step = std::min(options.stride, room);  // no gap between windows
  const int64_t context_pieces = std::ssize(context.ids);
  std::vector<SpanWindow> windows;
  for (int64_t begin = 0;; begin += step) {
    const int64_t pieces = std::min(room, context_pieces - begin);
    windows.push_back(make_window(question, question_pieces, context, begin, pieces, special));
    if (begin + pieces == context_pieces) break;
  }
  mark_most_context(windows, context_pieces);
  return windows;
}

SpanLabel span_label(const SpanWindow& window, const TextPieces& context, const Answer& answer) {
  if (!answer.has_place()) return {};
  // Pieces follow each other in the text.
  const auto first = std::ranges::upper_bound(context.ends, answer.begin) - context.ends.begin();
  const auto behind = std::ranges::lower_bound(context.begins, answer.end) - context.begins.begin();
  const int64_t shift = window.context_begin - window.first_piece;
  const bool is_inside =
      first < behind && first >= window.first_piece && behind <= window.first_piece + window.pieces;
  return is_inside ? SpanLabel{first + shift, behind - 1 + shift} : SpanLabel{};
}

}  // namespace dietmt::data
