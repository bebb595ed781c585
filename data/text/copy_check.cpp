#include "data/text/copy_check.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <map>

#include "data/text/number_forms.h"
#include "data/text/word_text.h"

namespace dietmt::data {
namespace {

using TextView = std::u32string_view;

bool is_in(char32_t c, TextView set) { return set.find(c) != set.npos; }
bool is_letter(char32_t c) { return u_isalpha(static_cast<UChar32>(c)); }
bool has_case(char32_t c) { return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_CASED); }
bool is_small(char32_t c) { return u_islower(static_cast<UChar32>(c)); }

bool is_ascii_word(char32_t c) { return c < 0x80 && (is_letter(c) || (c >= U'0' && c <= U'9')); }
bool is_in_url(char32_t c) { return c > U' ' && c < 0x7F && !is_in(c, U"<>\"{}|\\^`"); }
bool is_in_domain(char32_t c) { return is_ascii_word(c) || is_in(c, U"-."); }
bool is_in_mailbox(char32_t c) { return is_in_domain(c) || is_in(c, U"_+%"); }

// Where the run of such characters from `at` on ends.
template <typename Predicate>
size_t end_of_run(TextView text, size_t at, const Predicate& belongs) {
  while (at < text.size() && belongs(text[at])) ++at;
  return at;
}

// Without the punctuation of the sentence around it. A bracket stays if the address opens it.
TextView without_punctuation(TextView address) {
  const auto opened = std::ranges::count(address, U'(');
  auto closed = std::ranges::count(address, U')');
  while (!address.empty()) {
    const char32_t last = address.back();
    const bool closes_another = last == U')' && closed > opened;
    if (!closes_another && !is_in(last, U".,;:!?'*[]")) break;
    if (closes_another) --closed;
    address.remove_suffix(1);
  }
  return address;
}

// The URL or e-mail address that begins here; empty: none. `text` goes on to the end of the line.
TextView address_at(TextView text) {
  const size_t scheme = end_of_run(text, 0, is_in_mailbox);
  if (scheme > 0 && text.substr(scheme).starts_with(U"://") && scheme + 3 < text.size() &&
      is_in_url(text[scheme + 3]))
    return without_punctuation(text.substr(0, end_of_run(text, 0, is_in_url)));
  if (text.starts_with(U"www.") && scheme > 4)
    return without_punctuation(text.substr(0, end_of_run(text, 0, is_in_url)));
  if (scheme == 0 || scheme == text.size() || text[scheme] != U'@') return {};
  const TextView address =
      without_punctuation(text.substr(0, end_of_run(text, scheme + 1, is_in_domain)));
  return address.find(U'.', scheme) == address.npos ? TextView() : address;
}

// Overwrites URLs and e-mail addresses by spaces.
std::vector<std::u32string> take_addresses(std::u32string& text) {
  std::vector<std::u32string> addresses;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!is_in_mailbox(text[at])) continue;
    const TextView address = address_at(TextView(text).substr(at));
    if (address.empty()) {
      at = end_of_run(text, at, is_in_mailbox);
      continue;
    }
    addresses.emplace_back(address);
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at);
    at += address.size() - 1;
    std::fill_n(begin, address.size(), U' ');
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

std::vector<std::u32string> missing_addresses(const std::vector<std::u32string>& wanted,
                                              const std::vector<std::u32string>& found) {
  std::map<std::u32string, int64_t> left;
  for (const std::u32string& address : found) ++left[address];
  std::vector<std::u32string> missing;
  for (const std::u32string& address : wanted)
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

std::vector<std::string> missing_copies(std::string_view source, std::string_view translation) {
  std::u32string wanted = characters_of(source);
  std::u32string found = characters_of(translation);
  std::vector<std::u32string> missing =
      missing_addresses(take_addresses(wanted), take_addresses(found));
  const auto add = [&](const std::vector<std::u32string>& more) {
    missing.insert(missing.end(), more.begin(), more.end());
  };
  add(missing_numbers(wanted, found));
  add(missing_names(wanted, found));
  std::vector<std::string> texts;
  for (const std::u32string& text : missing) texts.push_back(utf8_of(text));
  return texts;
}

}  // namespace dietmt::data
