// tokenizer.perl
#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "common/ascii.h"
#include "data/text/moses.h"
#include "data/text/moses_characters.h"
#include "data/text/moses_normalizer.h"

namespace dietmt::data {
namespace {

// A full stop of several, which no rule separates. No character has this number.
constexpr char32_t kOneOfSeveral = 0x110000;

bool is_no_number(char32_t code) { return !is_moses_number(code); }
bool is_no_letter(char32_t code) { return !is_moses_letter(code); }
bool is_no_letter_or_number(char32_t code) { return is_no_letter(code) && is_no_number(code); }
bool is_s(char32_t code) { return code == 's'; }

bool is_separate(char32_t code) {
  return std::u32string_view(U".'`,-").find(code) == std::u32string_view::npos &&
         !is_moses_letter_or_digit(code) && !is_any_space(code);
}

constexpr TextRule kCommas[] = {{.before = is_no_number, .from = U",", .to = U" , "},
                                {.from = U",", .after = is_no_number, .to = U" , "}};
constexpr TextRule kEnglishApostrophes[] = {
    {.before = is_no_letter, .from = U"'", .after = is_no_letter, .to = U" ' "},
    {.before = is_no_letter_or_number, .from = U"'", .after = is_moses_letter, .to = U" ' "},
    {.before = is_moses_letter, .from = U"'", .after = is_no_letter, .to = U" ' "},
    {.before = is_moses_letter, .from = U"'", .after = is_moses_letter, .to = U" '"},
    {.before = is_moses_number, .from = U"'", .after = is_s, .to = U" '"}};
constexpr TextRule kApostrophes[] = {{.from = U"'", .to = U" ' "}};
constexpr TextRule kEscapes[] = {{.from = U"&", .to = U"&amp;"},  {.from = U"|", .to = U"&#124;"},
                                 {.from = U"<", .to = U"&lt;"},   {.from = U">", .to = U"&gt;"},
                                 {.from = U"'", .to = U"&apos;"}, {.from = U"\"", .to = U"&quot;"},
                                 {.from = U"[", .to = U"&#91;"},  {.from = U"]", .to = U"&#93;"}};

void separate_symbols(Characters& text) {
  Characters changed;
  changed.reserve(text.size() + text.size() / 2);
  for (const SourceCharacter& one : text) {
    const bool is_alone = is_separate(one.code);
    if (is_alone) changed.push_back({' ', one.begin, one.begin});
    changed.push_back(one);
    if (is_alone) changed.push_back({' ', one.end, one.end});
  }
  text = std::move(changed);
}

void separate_dashes(Characters& text) {
  Characters changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const bool is_inside = text[at].code == '-' && at > 0 && at + 1 < text.size() &&
                           is_moses_letter_or_digit(text[at - 1].code) &&
                           is_moses_letter_or_digit(text[at + 1].code);
    if (!is_inside) {
      changed.push_back(text[at]);
      continue;
    }
    changed.push_back({' ', text[at].begin, text[at].begin});
    append(U"@-@", text[at].begin, text[at].end, changed);
    changed.push_back({' ', text[at].end, text[at].end});
  }
  text = std::move(changed);
}

void separate_several_stops(Characters& text) {
  Characters changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && text[at].code == '.') ++at;
    if (at < begin + 2) {
      at = begin + 1;
      changed.push_back(text[begin]);
      continue;
    }
    changed.push_back({' ', text[begin].begin, text[begin].begin});
    for (size_t i = begin; i < at; ++i)
      changed.push_back({kOneOfSeveral, text[i].begin, text[i].end});
    if (at < text.size()) changed.push_back({' ', text[at].begin, text[at].begin});
  }
  text = std::move(changed);
}

void separate_last_comma(Characters& text) {
  if (text.size() < 2 || text.back().code != ',' || is_no_number(text[text.size() - 2].code))
    return;
  text.insert(text.end() - 1, {' ', text.back().begin, text.back().begin});
}

std::string without_period(const Characters& word) {
  std::string utf8;
  for (size_t i = 0; i + 1 < word.size(); ++i) append_utf8(word[i].code, utf8);
  return utf8;
}

// Whether a word of several characters keeps the period that it ends with.
bool keeps_period(const MosesLanguage& language, const Characters& word, const Characters* next) {
  const auto end = word.end() - 1;
  const auto has = [&](const auto& holds) { return std::find_if(word.begin(), end, holds) != end; };
  if (has([](const SourceCharacter& one) { return one.code == '.'; }) &&
      has([](const SourceCharacter& one) { return is_moses_letter(one.code); }))
    return true;
  if (next != nullptr && is_moses_lowercase(next->front().code)) return true;
  const std::string prefix = without_period(word);
  if (language.abbreviations.contains(prefix)) return true;
  return next != nullptr && language.before_numbers.contains(prefix) && next->front().code < 0x80 &&
         is_ascii_digit(static_cast<char>(next->front().code));
}

std::vector<Characters> with_separate_periods(const MosesLanguage& language,
                                              const std::vector<Characters>& words) {
  std::vector<Characters> separate;
  for (size_t i = 0; i < words.size(); ++i) {
    const Characters& word = words[i];
    const Characters* next = i + 1 < words.size() ? &words[i + 1] : nullptr;
    separate.push_back(word);
    if (word.back().code != '.' || word.size() == 1 || keeps_period(language, word, next)) continue;
    separate.back().pop_back();
    separate.push_back({word.back()});
  }
  return separate;
}

// A period and an apostrophe that end a text are two words.
void separate_last_apostrophe(std::vector<Characters>& words) {
  if (words.empty()) return;
  const Characters last = words.back();
  const size_t size = last.size();
  if (size < 2 || last[size - 1].code != '\'' || last[size - 2].code != '.') return;
  words.back().resize(size - 2);
  if (size == 2) words.pop_back();
  words.push_back({last[size - 2]});
  words.push_back({last[size - 1]});
}

}  // namespace

std::vector<Characters> moses_words(const MosesLanguage& language, MosesSteps steps,
                                    Characters text) {
  normalize_for_moses(language, steps, text);
  join_spaces(is_any_space, text);
  std::erase_if(text, [](const SourceCharacter& one) { return one.code < ' '; });
  trim(text);
  separate_symbols(text);
  if (steps == MosesSteps::kAll) separate_dashes(text);
  separate_several_stops(text);
  substitute(kCommas, text);
  separate_last_comma(text);
  if (language.code == "en")
    substitute(kEnglishApostrophes, text);
  else
    substitute(kApostrophes, text);
  std::vector<Characters> words = with_separate_periods(language, words_of(text, is_any_space));
  separate_last_apostrophe(words);
  for (Characters& word : words) {
    for (SourceCharacter& one : word)
      if (one.code == kOneOfSeveral) one.code = '.';
    substitute(kEscapes, word);
  }
  return words;
}

}  // namespace dietmt::data
