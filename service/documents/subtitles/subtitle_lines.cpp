#include "service/documents/subtitles/subtitle_lines.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "common/interruption.h"
#include "data/text/text_characters.h"
#include "data/text/text_units.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::service {
namespace {

// A character after which a line may end without a space: Chinese, Japanese, Thai.
bool ends_piece(UChar32 c) {
  return data::is_wide_character(c) ||
         u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
}

size_t width_of(UChar32 c) {
  if ((U_GET_GC_MASK(c) & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) != 0) return 0;
  const int32_t width = u_getIntPropertyValue(c, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

// The ends of the pieces of a text, in bytes.
std::vector<size_t> piece_ends(std::string_view text) {
  const std::vector<std::string_view> placeholders = nmt::placeholders_in(text);
  auto placeholder = placeholders.begin();
  std::vector<size_t> ends;
  for (const size_t size : data::unit_ends(text, data::TextUnit::kLine)) {
    check_interruption();
    const char* const at = text.data() + size;
    while (placeholder != placeholders.end() && placeholder->data() + placeholder->size() <= at)
      ++placeholder;
    const bool is_inside = placeholder != placeholders.end() && placeholder->data() < at;
    const UChar32 last = data::last_character_of(text.substr(0, size)).code;
    if (size == text.size() || (!is_inside && (last == ' ' || ends_piece(last))))
      ends.push_back(size);
  }
  return ends;
}

}  // namespace

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const data::Character c = data::first_character_of(text);
    columns += width_of(c.code);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

bool are_written_together(std::string_view text, std::string_view next) {
  return ends_piece(data::last_character_of(text).code) &&
         ends_piece(data::first_character_of(next).code);
}

LinePieces::LinePieces(std::string_view text) : text_(text) {
  for (const size_t end : piece_ends(text)) {
    columns_.push_back(columns_.back() + columns_of(text.substr(ends_.back(), end - ends_.back())));
    ends_.push_back(end);
  }
}

std::vector<LinePieces::Run> LinePieces::split(Run run, const std::vector<double>& weights) const {
  constexpr double kPunctuation = 6.0;  // columns that a cut after it may be farther away
  double weight_left = 0.0;
  for (const double weight : weights) weight_left += weight;
  std::vector<Run> runs;
  size_t next = run.first;
  for (size_t i = 0; i < weights.size(); ++i) {
    const size_t runs_left = weights.size() - i - 1;
    const double wished =
        static_cast<double>(columns({next, run.last})) * weights[i] / std::max(weight_left, 1e-9);
    weight_left -= weights[i];
    size_t best = std::min(next + 1, run.last);
    double least = -1.0;
    for (size_t end = best; end + runs_left <= run.last && next < run.last; ++end) {
      const auto taken = static_cast<double>(columns({next, end}));
      const bool is_good =
          nmt::ends_phrase(nmt::last_character(text_.substr(0, end_of({next, end}))));
      const double cost = std::abs(taken - wished) + (is_good ? 0.0 : kPunctuation);
      if (least < 0.0 || cost < least) least = cost, best = end;
      if (taken > wished + kPunctuation) break;
    }
    if (runs_left == 0) best = run.last;
    runs.push_back({next, best});
    next = best;
  }
  return runs;
}

std::vector<LinePieces::Run> LinePieces::lines(Run run, size_t count, size_t most_columns) const {
  constexpr size_t kTries = 3;  // words of very different lengths may need another line
  count = std::max(count, columns(run) / (most_columns + 1) + 1);
  std::vector<Run> found;
  for (size_t more = 0; more < kTries; ++more) {
    found = split(run, std::vector<double>(count + more, 1.0));
    std::erase_if(found, [](Run line) { return line.empty(); });
    const auto is_short = [&](Run line) { return columns(line) <= most_columns; };
    if (found.size() < count + more || std::ranges::all_of(found, is_short)) break;
  }
  return found;
}

size_t LinePieces::begin_of(Run run) const {
  const size_t begin = ends_[run.first], end = ends_[run.last];
  return std::min(text_.substr(0, end).find_first_not_of(' ', begin), end);
}

size_t LinePieces::end_of(Run run) const {
  const size_t begin = begin_of(run), end = ends_[run.last];
  return begin + text_.substr(begin, end - begin).find_last_not_of(' ') + 1;
}

size_t LinePieces::columns(Run run) const {
  if (run.empty()) return 0;
  const size_t trailing = ends_[run.last] - end_of(run);
  return columns_[run.last] - columns_[run.first] - trailing;
}

}  // namespace dietmt::service
