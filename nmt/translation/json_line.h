// A line of JSON to translate: {"source": "The house is red.", "target_language": "de"}.
#pragma once

#include <string>

#include "nmt/search/search_options.h"
#include "nmt/translation/line_coder.h"

namespace dietmt::nmt {

/// Takes the text out of a line that holds an object with `source` and, as it needs them,
/// `source_language`, `target_language`, `tag` and `prefix` (texts), and `terms`, an object with
/// the targets of source terms (data::glossary_term()). Puts these into `extras`, whose languages
/// are the usual ones before. Throws DataError that says what is wrong, also for terms if the
/// search allows none.
std::string take_json_line(const std::string& line, const SearchOptions& search,
                           LineExtras& extras);

}  // namespace dietmt::nmt
