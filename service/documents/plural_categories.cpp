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

}  // namespace

std::vector<std::string> plural_categories(const std::string& language, PluralKind kind) {
  constexpr int32_t kNumbers = 201;  // all rules repeat after 100, or concern millions
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::PluralRules> rules(icu::PluralRules::forLocale(
      icu::Locale(language.c_str()),
      kind == PluralKind::kOrdinal ? UPLURAL_TYPE_ORDINAL : UPLURAL_TYPE_CARDINAL, status));
  if (U_FAILURE(status) != 0) return {"other"};
  std::array<bool, kCategories.size()> used{};
  used.back() = true;
  for (int32_t number = 0; number < kNumbers; ++number) {
    std::string name;
    rules->select(number).toUTF8String(name);
    for (size_t i = 0; i < kCategories.size(); ++i) used[i] = used[i] || name == kCategories[i];
  }
  std::vector<std::string> categories;
  for (size_t i = 0; i < kCategories.size(); ++i)
    if (used[i]) categories.emplace_back(kCategories[i]);
  return categories;
}

bool is_plural_category(std::string_view name) {
  return std::ranges::find(kCategories, name) != kCategories.end();
}

}  // namespace dietmt::service
