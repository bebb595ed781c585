// Numbers in a text, equal in the forms of all locales.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Numbers of `source` that `translation` lacks, as written. 1,000.5, 1.000,5, 1 000,5 and 1'000.5
/// are the same, and so are 1,000, 1.000 and 1000; 1.5 and 15 are not. Each number of the
/// translation counts once.
std::vector<std::u32string> missing_numbers(std::u32string_view source,
                                            std::u32string_view translation);

/// How many numbers a text has.
size_t count_numbers(std::u32string_view text);

}  // namespace dietmt::data
