// Pieces of a model that has a tag.
#pragma once

#include <string>

#include "tests/data/fake_subwords.h"

namespace dietmt::data {

/// A tag at the start of a text is one piece.
class TaggedCharacters : public CharacterSubwords {
 public:
  static constexpr std::string_view kTag = "<2de>";

  SpannedPieces encode_with_spans(std::string_view text) const override {
    if (!text.starts_with(kTag)) return CharacterSubwords::encode_with_spans(text);
    const auto size = static_cast<int32_t>(kTag.size());
    // The space after the tag belongs to no piece, as in sentencepiece.
    const int32_t begin = size + (text.size() > kTag.size() ? 1 : 0);
    SpannedPieces pieces =
        CharacterSubwords::encode_with_spans(text.substr(static_cast<size_t>(begin)));
    for (TextSpan& span : pieces.spans) span = {span.begin + begin, span.end + begin};
    pieces.ids.insert(pieces.ids.begin(), 127);
    pieces.spans.insert(pieces.spans.begin(), {0, size});
    return pieces;
  }
  std::string piece(int32_t id) const override {
    return id == 127 ? std::string(kTag) : CharacterSubwords::piece(id);
  }
};

}  // namespace dietmt::data
