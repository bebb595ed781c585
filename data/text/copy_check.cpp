#include "data/text/copy_check.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <map>

#include "data/text/addresses.h"
#include "data/text/number_forms.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

using TextView = std::u32string_view;

bool is_letter(char32_t c) { return u_isalpha(static_cast<UChar32>(c)); }
bool has_case(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASED); }
bool is_small(char32_t c) { return u_islower(static_cast<UChar32>(c)); }

// Where the run of such characters from `at` on ends.
template <typename Predicate>
size_t end_of_run(TextView text, size_t at, const Predicate& belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

// Overwrites URLs and e-mail addresses by spaces.
std::vector<std::string> take_addresses(std::string& text) {
  std::vector<std::string> addresses;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_in_mailbox(text[at])) continue;
    const size_t size = address_at(std::string_view(text).substr(at));
    if (size == 0) {
      while (at < text.size() && is_in_mailbox(text[at])) ++at;
      continue;
    }
    addresses.push_back(text.substr(at, size));
    text.replace(at, size, size, ' ');
    at += size - 1;
  }
  return addresses;
}

// In letters that have capitals: words of other scripts have no spaces or particles around them.
std::vector<TextView> words_of(TextView text) {
  std::vector<TextView> words;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = end_of_run(text, at, has_case);
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The part of a word that must be copied; empty: none.
TextView name_in(TextView word, bool capitals_count) {
  const auto first_other = std::ranges::find_if_not(word, is_capital);
  const auto capitals = static_cast<size_t>(first_other - word.begin());
  const TextView rest = word.substr(capitals);
  if (capitals > 1 && (rest.empty() || rest == U"s"))
    return capitals_count ? word.substr(0, capitals) : TextView();
  const bool is_mixed = std::any_of(word.begin() + 1, word.end(), is_capital);
  return is_mixed && std::ranges::any_of(word, is_small) ? word : TextView();
}

// The words of a translation; each can be found once.
class WordPool {
 public:
  explicit WordPool(TextView text) {
    for (const TextView word : words_of(text)) ++words_[word];
  }

  // A word that is this name, or begins with it and goes on in small letters.
  bool take(TextView name) {
    for (auto at = words_.lower_bound(name); at != words_.end(); ++at) {
      if (!at->first.starts_with(name)) return false;
      if (!std::ranges::all_of(at->first.substr(name.size()), is_small)) continue;
      if (--at->second == 0) words_.erase(at);
      return true;
    }
    return false;
  }

 private:
  std::map<TextView, int64_t> words_;
};

std::vector<std::string> missing_addresses(const std::vector<std::string>& wanted,
                                           const std::vector<std::string>& found) {
  std::map<std::string, int64_t> left;
  for (const std::string& address : found) ++left[address];
  std::vector<std::string> missing;
  for (const std::string& address : wanted)
    if (left[address]-- <= 0) missing.push_back(address);
  return missing;
}

std::vector<std::u32string> missing_names(TextView source, TextView translation) {
  const bool capitals_count =
      std::ranges::any_of(source, [](char32_t c) { return is_letter(c) && !is_capital(c); });
  WordPool pool(translation);
  std::vector<std::u32string> missing;
  for (const TextView word : words_of(source)) {
    const TextView name = name_in(word, capitals_count);
    if (!name.empty() && !pool.take(name)) missing.emplace_back(word);
  }
  return missing;
}

}  // namespace

std::vector<std::string> addresses_in(std::string_view text) {
  std::string rest(text);
  return take_addresses(rest);
}

std::vector<std::string> missing_copies(std::string_view source, std::string_view translation) {
  std::string wanted(source), found(translation);
  std::vector<std::string> texts = missing_addresses(take_addresses(wanted), take_addresses(found));
  const std::u32string numbers_and_names = characters_of(wanted), translated = characters_of(found);
  for (const std::u32string& number : missing_numbers(numbers_and_names, translated))
    texts.push_back(utf8_of(number));
  for (const std::u32string& name : missing_names(numbers_and_names, translated))
    texts.push_back(utf8_of(name));
  return texts;
}

}  // namespace dietmt::data
