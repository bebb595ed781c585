// The plural forms that a language needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

enum class PluralKind { kCardinal, kOrdinal };

/// The categories of CLDR that whole numbers have (zero, one, two, few, many), and "other".
std::vector<std::string> plural_categories(const std::string& language,
                                           PluralKind kind = PluralKind::kCardinal);

/// Whether "one" is also the category of other numbers than 1, as of 0 in Portuguese and 21 in
/// Russian.
bool one_is_of_several(const std::string& language);

/// Whether this is one of CLDR's names.
bool is_plural_category(std::string_view name);

}  // namespace dietmt::service
