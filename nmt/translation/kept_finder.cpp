#include "nmt/translation/kept_finder.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>

#include "common/interruption.h"
#include "common/trimmed.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

// A letter of an alphabet whose words a space separates, or its accent.
bool is_in_spaced_word(char32_t c) {
  constexpr uint32_t kLetters = U_GC_L_MASK | U_GC_M_MASK;
  return c != 0 && (U_GET_GC_MASK(static_cast<UChar32>(c)) & kLetters) != 0 &&
         is_written_together(c);
}

// The word around a part of a text, from byte `first` of the text on.
std::string_view whole_word(std::string_view text, size_t first, std::string_view part) {
  auto begin = static_cast<size_t>(part.data() - text.data());
  size_t end = begin + part.size();
  if (is_in_spaced_word(first_character(part)))
    begin -= last_run(text.substr(first, begin - first), is_in_spaced_word).size();
  if (is_in_spaced_word(last_character(part)))
    end += first_run(text.substr(end), is_in_spaced_word).size();
  return text.substr(begin, end - begin);
}

// Those of both lists, in order; of the second one, only what the first one does not have.
std::vector<std::string_view> merged(const std::vector<std::string_view>& first,
                                     const std::vector<std::string_view>& second) {
  std::vector<std::string_view> all;
  auto next = first.begin();
  for (std::string_view part : second) {
    while (!part.empty()) {
      while (next != first.end() && next->data() + next->size() <= part.data())
        all.push_back(*next++);
      const bool overlaps = next != first.end() && next->data() < part.data() + part.size();
      const auto before =
          overlaps ? static_cast<size_t>(std::max<std::ptrdiff_t>(next->data() - part.data(), 0))
                   : part.size();
      const std::string_view rest = trimmed(part.substr(0, before), " ");
      if (!rest.empty()) all.push_back(rest);
      if (!overlaps) break;
      const auto behind = static_cast<size_t>(next->data() + next->size() - part.data());
      part.remove_prefix(std::min(behind, part.size()));
    }
  }
  all.insert(all.end(), next, first.end());
  return all;
}

}  // namespace

std::vector<std::string_view> unknown_in(std::string_view text, const data::SpannedPieces& pieces,
                                         int32_t unknown_id) {
  std::vector<std::string_view> found;
  size_t first = 0;  // the end of the last one
  for (size_t i = 0; i < pieces.ids.size(); ++i) {
    check_interruption();
    const auto [begin, end] = pieces.spans[i];
    if (pieces.ids[i] != unknown_id || end <= static_cast<int64_t>(first)) continue;
    const size_t from = std::max(static_cast<size_t>(begin), first);
    const std::string_view part = trimmed(text.substr(from, static_cast<size_t>(end) - from), " ");
    if (!is_visible(part)) continue;
    found.push_back(whole_word(text, first, part));
    first = static_cast<size_t>(found.back().data() - text.data()) + found.back().size();
  }
  return found;
}

std::vector<std::string_view> KeptFinder::operator()(std::string_view text) const {
  std::vector<std::string_view> kept = kept_in(text, kinds_);
  if (tokenizer_ == nullptr || !kinds_.has(Kept::kUnknown)) return kept;
  return merged(kept,
                unknown_in(text, tokenizer_->encode_with_spans(text), tokenizer_->unknown_id()));
}

}  // namespace dietmt::nmt
