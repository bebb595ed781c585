#include "metrics/bleu_tokenizer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "metrics/mteval_rules.h"
#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

constexpr std::array<std::pair<BleuTokenizer, const char*>, 5> kNames{{
    {BleuTokenizer::k13a, "13a"},
    {BleuTokenizer::kIntl, "intl"},
    {BleuTokenizer::kChar, "char"},
    {BleuTokenizer::kNone, "none"},
    {BleuTokenizer::kZh, "zh"},
}};

std::string tokenize_13a(std::string_view sentence) {
  std::string text = replace_all(std::string(sentence), "<skipped>", "");
  text = replace_all(std::move(text), "-\n", "");
  text = unescape_entities(replace_all(std::move(text), "\n", " "));
  return separate_periods_and_dashes(separate_symbols(" " + text + " "));
}

bool is_no_number(char32_t c) { return !has_category(c, U_GC_N_MASK); }

std::string tokenize_intl(std::string_view sentence) {
  std::u32string text = code_points(sentence);
  text = separate_pairs(text, is_no_number, is_punctuation, Spacing::kAfterSecond);
  text = separate_pairs(text, is_punctuation, is_no_number, Spacing::kBeforeFirst);
  std::u32string out;
  for (const char32_t c : text) {
    if (has_category(c, U_GC_S_MASK))
      out.append({U' ', c, U' '});
    else
      out += c;
  }
  return to_utf8(out);
}

std::string tokenize_char(std::string_view sentence) {
  std::u32string out;
  for (const char32_t c : code_points(sentence)) out.append({c, U' '});
  return to_utf8(out);
}

// sacreBLEU's table means to hold CJK extension B (U+20000..U+2A6D6), but its escapes have four
// digits: compared as strings they make U+2001..U+2A6D count as Chinese, and extension B not.
constexpr std::array<std::pair<char32_t, char32_t>, 18> kChinese{{
    {0x2001, 0x2A6D},
    {0x2E80, 0x2EFF},
    {0x2F00, 0x2FDF},
    {0x2FF0, 0x2FFF},
    {0x3000, 0x303F},
    {0x3100, 0x312F},
    {0x31A0, 0x31BF},
    {0x31C0, 0x31EF},
    {0x3200, 0x32FF},
    {0x3300, 0x33FF},
    {0x3400, 0x4DB5},
    {0x4E00, 0x9FBB},
    {0xF900, 0xFA2D},
    {0xFA30, 0xFA6A},
    {0xFA70, 0xFAD9},
    {0xFE10, 0xFE1F},
    {0xFE30, 0xFE4F},
    {0xFF00, 0xFFEF},
}};

std::string tokenize_zh(std::string_view sentence) {
  std::u32string out;
  for (const char32_t c : code_points(strip(sentence))) {
    const bool chinese = std::any_of(kChinese.begin(), kChinese.end(), [c](const auto& range) {
      return c >= range.first && c <= range.second;
    });
    if (chinese)
      out.append({U' ', c, U' '});
    else
      out += c;
  }
  return separate_periods_and_dashes(separate_symbols(to_utf8(out)));
}

std::string separated(BleuTokenizer tokenizer, std::string_view sentence) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return tokenize_13a(sentence);
    case BleuTokenizer::kIntl:
      return tokenize_intl(sentence);
    case BleuTokenizer::kChar:
      return tokenize_char(sentence);
    case BleuTokenizer::kZh:
      return tokenize_zh(sentence);
    case BleuTokenizer::kNone:
      break;
  }
  return std::string(sentence);
}

}  // namespace

BleuTokenizer bleu_tokenizer_from_name(const std::string& name) {
  std::string choices;
  for (const auto& [tokenizer, known] : kNames) {
    if (name == known) return tokenizer;
    choices += std::string(choices.empty() ? "" : ", ") + known;
  }
  throw ConfigError("unknown tokenizer '" + name + "'; the choices are " + choices +
                    ", ja-mecab, ko-mecab");
}

std::string to_string(BleuTokenizer tokenizer) {
  for (const auto& [known, name] : kNames)
    if (known == tokenizer) return name;
  throw Error("a tokenizer without a name");
}

std::vector<std::string> tokenize(BleuTokenizer tokenizer, std::string_view sentence) {
  const std::string text = separated(tokenizer, sentence);
  const std::vector<std::string_view> words = split_words(text);
  return {words.begin(), words.end()};
}

}  // namespace dietmt::metrics
