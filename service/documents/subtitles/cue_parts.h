// The text of a cue as parts that are translated, each with its codes as marks, and everything
// else: dashes of a dialogue, notes of music, names of speakers, codes for the whole part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/subtitles/cue_syntax.h"
#include "service/documents/subtitles/timed_codes.h"

namespace dietmt::service {

/// Part of a cue: a sentence, a line of a dialogue, a description such as [DOOR OPENS].
struct CuePart {
  size_t begin = 0;  // bytes of the file
  size_t end = 0;
  nmt::MarkedText text;            // on one line
  std::vector<std::string> codes;  // as written, by mark
  std::vector<TimedCode> timed_codes;
  std::vector<std::string> line_ends;  // between its lines
  size_t columns_around = 0;           // of what else is on its lines
  size_t longest_line = 0;             // in columns
  bool has_label = false;              // a dash, a note or a name before it, or brackets
  bool has_ending = false;             // a note after it
  std::string voice = {};              // <v Name>
};

/// The parts of a cue whose text is at bytes begin .. end-1 of the file. `language`: whose rules
/// say where sentences end.
std::vector<CuePart> parts_of_cue(std::string_view file, size_t begin, size_t end,
                                  const CueSyntax& syntax, const std::string& language);

/// Whether a sentence ends between two texts.
bool has_sentence_end(std::string_view text, std::string_view next, const std::string& language);

}  // namespace dietmt::service
