// Codes that belong to moments, not to words: when a syllable is sung, when a word appears.
#pragma once

#include <string>
#include <vector>

#include "service/documents/subtitles/subtitle_lines.h"

namespace dietmt::service {

struct TimedCode {
  std::string raw;
  double share = 0.0;   // of the text that is before it
  bool closes = false;  // follows its words, as </c>
};

/// The bytes of a text at which the codes go, in order: next to the words of a run that follow as
/// large a share of it.
std::vector<size_t> places_of(const std::vector<TimedCode>& codes, const LinePieces& pieces,
                              LinePieces::Run run);

}  // namespace dietmt::service
