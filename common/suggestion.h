// "Did you mean": the known word that is nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

/// "; did you mean WORD?" for the candidate that the fewest insertions, deletions, replacements and
/// swaps of neighbours turn into `word` (Damerau 1964), if these are few; else empty. `prefix`,
/// such as "--", stands before the word.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates,
                       std::string_view prefix = "");

}  // namespace dietmt
