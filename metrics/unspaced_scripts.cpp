#include "metrics/unspaced_scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>

#include "metrics/unicode.h"

namespace dietmt::metrics {
namespace {

constexpr size_t kLines = 1000;
constexpr double kShare = 0.3;       // of the letters
constexpr double kKanaShare = 0.05;  // of Japanese, which mixes them with Chinese characters

struct Letters {
  double all = 0, han = 0, kana = 0, southeast = 0;
};

void count(char32_t character, Letters& letters) {
  const auto code = static_cast<UChar32>(character);
  if (u_isalpha(code) == 0) return;
  ++letters.all;
  UErrorCode error = U_ZERO_ERROR;
  switch (uscript_getScript(code, &error)) {
    case USCRIPT_HAN:
      ++letters.han;
      break;
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
      ++letters.kana;
      break;
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
    case USCRIPT_TIBETAN:
      ++letters.southeast;
      break;
    default:
      break;
  }
}

bool needs_spaces(const std::string& tokenizer) {
  return tokenizer == "13a" || tokenizer == "intl";
}

}  // namespace

std::string usual_tokenizer(const std::string& language) {
  const std::string main = language.substr(0, language.find('-'));
  if (main == "zh") return "zh";
  if (main == "ja") return "ja-mecab";
  return main == "ko" ? "ko-mecab" : "13a";
}

std::string tokenizer_problem(const std::string& tokenizer,
                              const std::vector<std::string>& references) {
  if (!needs_spaces(tokenizer)) return "";
  Letters letters;
  for (size_t i = 0; i < std::min(references.size(), kLines); ++i)
    for (const char32_t character : code_points(references[i])) count(character, letters);
  const std::string start =
      "words without spaces between them, which BLEU's tokenizer " + tokenizer + " cannot find: ";
  if (letters.han + letters.kana > kShare * letters.all) {
    if (letters.kana > kKanaShare * letters.all)
      return start + "add --tokenize ja-mecab (as sacreBLEU does for Japanese) or char";
    return start + "add --tokenize zh (as sacreBLEU does for Chinese)";
  }
  if (letters.southeast > kShare * letters.all)
    return start + "add --tokenize char, or flores200 with its --subword-model";
  return "";
}

}  // namespace dietmt::metrics
