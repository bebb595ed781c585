#include "data/text/text_rules.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

namespace dietmt::data {
namespace {

/// The number of characters that the rule matches at `at`; 0: none.
size_t match(const TextRule& rule, const Characters& text, size_t at) {
  const size_t first = at + (rule.before == nullptr ? 0 : 1);
  const size_t end = first + rule.from.size();
  const size_t last = end + (rule.after == nullptr ? 0 : 1);
  if (last > text.size()) return 0;
  for (size_t i = 0; i < rule.from.size(); ++i)
    if (text[first + i].code != rule.from[i]) return 0;
  if (rule.before != nullptr && !rule.before(text[at].code)) return 0;
  if (rule.after != nullptr && !rule.after(text[end].code)) return 0;
  return last - at;
}

/// The first match from `at` on; the size of the text: there is none.
size_t next_match(const TextRule& rule, const Characters& text, size_t at) {
  const size_t before = rule.before == nullptr ? 0 : 1;
  for (; at + before < text.size(); ++at)
    if (text[at + before].code == rule.from.front() && match(rule, text, at) > 0) return at;
  return text.size();
}

void substitute(const TextRule& rule, Characters& text) {
  size_t at = next_match(rule, text, 0);
  if (at == text.size()) return;
  const auto place = [&](size_t index) {
    return text.begin() + static_cast<std::ptrdiff_t>(index);
  };
  Characters changed(text.begin(), place(at));
  while (at < text.size()) {
    const size_t length = match(rule, text, at);
    const size_t first = at + (rule.before == nullptr ? 0 : 1);
    if (first > at) changed.push_back(text[at]);
    append(rule.to, text[first].begin, text[first + rule.from.size() - 1].end, changed);
    at += length;
    if (rule.after != nullptr) changed.push_back(text[at - 1]);
    const size_t next = next_match(rule, text, at);
    changed.insert(changed.end(), place(at), place(next));
    at = next;
  }
  text = std::move(changed);
}

}  // namespace

void append(std::u32string_view to, int32_t begin, int32_t end, Characters& text) {
  for (size_t i = 0; i < to.size(); ++i)
    text.push_back({to[i], begin, i + 1 == to.size() ? end : begin});
}

void substitute(std::span<const TextRule> rules, Characters& text) {
  for (const TextRule& rule : rules) substitute(rule, text);
}

bool is_any_space(char32_t code) { return u_isUWhiteSpace(static_cast<UChar32>(code)); }

void join_spaces(bool (*is_space)(char32_t), Characters& text) {
  size_t kept = 0;
  for (size_t at = 0; at < text.size(); ++kept) {
    SourceCharacter one = text[at++];
    if (is_space(one.code)) {
      one.code = ' ';
      for (; at < text.size() && is_space(text[at].code); ++at) one.end = text[at].end;
    }
    text[kept] = one;
  }
  text.resize(kept);
}

std::vector<Characters> words_of(const Characters& text, bool (*is_space)(char32_t)) {
  std::vector<Characters> words;
  bool is_inside = false;
  for (const SourceCharacter& one : text) {
    const bool was_inside = std::exchange(is_inside, !is_space(one.code));
    if (!is_inside) continue;
    if (!was_inside) words.emplace_back();
    words.back().push_back(one);
  }
  return words;
}

void trim(Characters& text) {
  const auto is_text = [](const SourceCharacter& one) { return !is_any_space(one.code); };
  text.erase(std::find_if(text.rbegin(), text.rend(), is_text).base(), text.end());
  text.erase(text.begin(), std::ranges::find_if(text, is_text));
}

}  // namespace dietmt::data
