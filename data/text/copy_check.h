// Numbers, addresses and names that a translation must have as its source has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::data {

/// Those of the source that the translation lacks, as the source writes them: URLs and e-mail
/// addresses, then numbers, then names. One that the source has twice must be there twice.
///
/// Numbers are equal in the forms of all locales (1,000.5, 1.000,5 and 1 000,5), in any digits of
/// Unicode. A date, a version or an IP address is the numbers between its dots. Names are words of
/// two or more capitals (USB), unless the source has no other letters, and words with a capital
/// after their first letter (GitHub); in the translation small letters may follow one, and a plural
/// s of capitals (PDFs) may be missing.
std::vector<std::string> missing_copies(std::string_view source, std::string_view translation);

/// The URLs and e-mail addresses of a text, in order.
std::vector<std::string> addresses_in(std::string_view text);

}  // namespace dietmt::data
