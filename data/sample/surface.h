// From words to text.
#pragma once

#include <string>

#include "data/sample/meaning.h"

namespace dietmt::data {

void append(Words& words, const Words& more);
void append(Words& words, const std::string& word);  // nothing if empty

/// Joins with blanks, attaches punctuation, merges neighbouring commas, drops a comma before the
/// final mark and capitalises the first letter.
std::string surface(const Words& words);

}  // namespace dietmt::data
