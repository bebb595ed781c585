#include "service/documents/plural_categories.h"

#include <unicode/locid.h>
#include <unicode/plurrule.h>

#include <algorithm>
#include <array>
#include <memory>

namespace dietmt::service {
namespace {

constexpr std::array<std::string_view, 6> kCategories = {"zero", "one",  "two",
                                                         "few",  "many", "other"};

constexpr int32_t kNumbers = 201;  // all rules repeat after 100, or concern millions

// The category of each number; empty if the language has no rules.
std::vector<std::string> categories_of_numbers(const std::string& language, PluralKind kind) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::PluralRules> rules(icu::PluralRules::forLocale(
      icu::Locale(language.c_str()),
      kind == PluralKind::kOrdinal ? UPLURAL_TYPE_ORDINAL : UPLURAL_TYPE_CARDINAL, status));
  if (U_FAILURE(status) != 0) return {};
  std::vector<std::string> names(kNumbers);
  for (int32_t number = 0; number < kNumbers; ++number)
    rules->select(number).toUTF8String(names[static_cast<size_t>(number)]);
  return names;
}

}  // namespace

std::vector<std::string> plural_categories(const std::string& language, PluralKind kind) {
  const std::vector<std::string> names = categories_of_numbers(language, kind);
  std::vector<std::string> categories;
  for (const std::string_view category : kCategories)
    if (category == "other" || std::ranges::find(names, category) != names.end())
      categories.emplace_back(category);
  return categories;
}

bool one_is_of_several(const std::string& language) {
  return std::ranges::count(categories_of_numbers(language, PluralKind::kCardinal), "one") > 1;
}

bool is_plural_category(std::string_view name) {
  return std::ranges::find(kCategories, name) != kCategories.end();
}

}  // namespace dietmt::service
