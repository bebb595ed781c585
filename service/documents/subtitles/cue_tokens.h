// The text of a cue as text, codes and line ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/subtitles/cue_syntax.h"

namespace dietmt::service {

struct CueToken {
  enum class Kind {
    kText,
    kCode,
    kTime,     // CueCode::Kind::kTime, and a <c> after it
    kTimeEnd,  // the </c> of that <c>
    kReading,  // CueCode::Kind::kReading
    kLineEnd,
  };
  Kind kind = Kind::kText;
  size_t begin = 0;  // bytes of the file
  size_t end = 0;
  std::string tag = {};                // of the mark for a code, which determines its kind
  std::optional<size_t> partner = {};  // the token with the other tag of its pair
};

/// The tokens of bytes begin .. end-1 of a file.
std::vector<CueToken> tokens_of_cue(std::string_view file, size_t begin, size_t end,
                                    const CueSyntax& syntax);

/// Sets the partners of codes among tokens first .. last-1.
void pair_codes(std::vector<CueToken>& tokens, size_t first, size_t last);

}  // namespace dietmt::service
