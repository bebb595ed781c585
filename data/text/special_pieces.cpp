#include "data/text/special_pieces.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::data {

bool is_special(int32_t id, const SpecialPieces& special) {
  return std::any_of(kSpecialPieces.begin(), kSpecialPieces.end(),
                     [&](const auto& piece) { return special.*piece.second == id; });
}

std::vector<TextPart> split_at_special_pieces(std::string_view text, const SpecialPieces& special) {
  if (text.size() > INT32_MAX) throw Error("a text of 2 GiB or more cannot be tokenized");
  std::vector<TextPart> segments;
  size_t text_begin = 0;
  const auto end_text = [&](size_t end) {
    if (end > text_begin)
      segments.push_back({static_cast<int32_t>(text_begin), static_cast<int32_t>(end), -1});
  };
  for (size_t at = 0; (at = text.find('[', at)) != std::string_view::npos;) {
    const auto* const found =
        std::find_if(kSpecialPieces.begin(), kSpecialPieces.end(),
                     [&](const auto& piece) { return text.substr(at).starts_with(piece.first); });
    if (found == kSpecialPieces.end()) {
      ++at;
      continue;
    }
    end_text(at);
    text_begin = at + found->first.size();
    segments.push_back(
        {static_cast<int32_t>(at), static_cast<int32_t>(text_begin), special.*found->second});
    at = text_begin;
  }
  end_text(text.size());
  return segments;
}

}  // namespace dietmt::data
