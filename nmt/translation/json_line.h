// A line of JSON to translate: {"source": "The house is red.", "target_language": "de"}.
#pragma once

#include <string>

#include "nmt/search/search_options.h"
#include "nmt/translation/line_coder.h"

namespace dietmt::nmt {

/// Takes the text out of a line that holds an object with `source` and, as it needs them, the other
/// texts of LineFields, `avoid` (an array of texts), and `terms`, an object with the targets of
/// source terms (data::glossary_term()). Puts these into `extras`. `usual`: what holds for a line
/// that does not say so. Throws DataError that says what is wrong, also for terms if the search
/// allows none.
std::string take_json_line(const std::string& line, const SearchOptions& search,
                           const LanguageChoice& usual, LineExtras& extras);

}  // namespace dietmt::nmt
