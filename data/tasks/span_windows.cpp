#include "data/tasks/span_windows.h"

#include <algorithm>
#include <utility>

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
                       const TextPieces& context, PieceWindow part, const SpecialPieces& special) {
  SpanWindow window{std::move(part)};
  window.ids.reserve(
      static_cast<size_t>(question_pieces + window.pieces + special_per_window(special)));
  window.ids.push_back(special.classify);
  append(window.ids, question.ids, 0, question_pieces);
  window.ids.insert(window.ids.end(), static_cast<size_t>(special.separators), special.separate);
  window.context_begin = std::ssize(window.ids);
  append(window.ids, context.ids, window.first_piece, window.pieces);
  window.ids.push_back(special.separate);
  return window;
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
  std::vector<SpanWindow> windows;
  for (PieceWindow& part : piece_windows(std::ssize(context.ids), room, options.stride))
    windows.push_back(make_window(question, question_pieces, context, std::move(part), special));
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
