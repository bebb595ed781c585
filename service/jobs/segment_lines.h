// The segments of a document as JSON lines of its job, and their translations:
//
//   {"text":"A red dog","marks":[[2,"<b>"],[5,"</b>"]]}     bytes before each mark, and its tag
//   {"parts":["Ein ",0,"roter",1," Hund"]}                  text, and the numbers of marks
#pragma once

#include <string>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

std::string segment_line(const nmt::MarkedText& segment);
std::string translation_line(const Translation& translation);

/// Without the line end. Throw DataError for any other line.
nmt::MarkedText segment_in(std::string_view line);
Translation translation_in(std::string_view line);

}  // namespace dietmt::service
