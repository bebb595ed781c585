// detokenizer.perl
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "data/text/moses.h"
#include "data/text/moses_characters.h"

namespace dietmt::data {
namespace {

constexpr std::u32string_view kDash = U"@-@";

constexpr TextRule kEntities[] = {{.from = U"&bar;", .to = U"|"},   {.from = U"&#124;", .to = U"|"},
                                  {.from = U"&lt;", .to = U"<"},    {.from = U"&gt;", .to = U">"},
                                  {.from = U"&bra;", .to = U"["},   {.from = U"&ket;", .to = U"]"},
                                  {.from = U"&quot;", .to = U"\""}, {.from = U"&apos;", .to = U"'"},
                                  {.from = U"&#91;", .to = U"["},   {.from = U"&#93;", .to = U"]"},
                                  {.from = U"&amp;", .to = U"&"}};

bool is_word(const Characters& word, std::u32string_view text) {
  return std::ranges::equal(word, text, {}, &SourceCharacter::code);
}

bool is_in(char32_t code, std::u32string_view characters) {
  return characters.find(code) != characters.npos;
}

bool are_all_in(const Characters& word, std::u32string_view characters) {
  return std::ranges::all_of(
      word, [&](const SourceCharacter& one) { return is_in(one.code, characters); });
}

/// Written without spaces between words, except Korean.
bool is_wide(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 10> kRanges = {{{0x1100, 0x11FF},
                                                                      {0x2E80, 0xA4CF},
                                                                      {0xA840, 0xA87F},
                                                                      {0xAC00, 0xD7AF},
                                                                      {0xF900, 0xFAFF},
                                                                      {0xFE30, 0xFE4F},
                                                                      {0xFF65, 0xFFDC},
                                                                      {0x17000, 0x18AFF},
                                                                      {0x1B000, 0x1B12F},
                                                                      {0x1B170, 0x1B2FF}}};
  return (code >= 0x20000 && code <= 0x2FFFF) || std::ranges::any_of(kRanges, [&](auto range) {
           return code >= range.first && code <= range.second;
         });
}

/// Joins the words around each separate dash. Of two dashes in a row, the second is a word.
std::vector<Characters> with_dashes(std::vector<Characters> words) {
  std::vector<Characters> joined;
  bool is_after_dash = false;
  for (Characters& word : words) {
    const bool is_dash = !is_after_dash && is_word(word, kDash);
    if (is_dash) {
      if (joined.empty()) joined.emplace_back();
      joined.back().push_back({'-', word.back().begin, word.back().end});
    } else if (is_after_dash) {
      joined.back().insert(joined.back().end(), word.begin(), word.end());
    } else {
      joined.push_back(std::move(word));
    }
    is_after_dash = is_dash;
  }
  return joined;
}

class Detokenizer {
 public:
  Detokenizer(const MosesLanguage& language, std::vector<Characters> words)
      : is_english_(language.code == "en"), words_(std::move(words)) {}

  Characters text() {
    for (size_t i = 0; i < words_.size(); ++i) add(i);
    return std::move(text_);
  }

 private:
  enum class Space { kAround, kBefore, kAfter };

  void add(size_t i) {
    const Characters& word = words_[i];
    const Space space = space_of(i);
    if (spaces_next_ && space != Space::kAfter && !text_.empty())
      text_.push_back({' ', word.front().begin, word.front().begin});
    text_.insert(text_.end(), word.begin(), word.end());
    spaces_next_ = space != Space::kBefore;
  }

  Space space_of(size_t i) {
    const Characters& word = words_[i];
    if (is_wide(word.front().code)) {
      const bool follows = i > 0 && is_wide(words_[i - 1].back().code);
      return follows ? Space::kAfter : Space::kAround;
    }
    const bool opens = std::ranges::all_of(word, [](const SourceCharacter& one) {
      return is_moses_currency(one.code) || is_in(one.code, U"([{¿¡");
    });
    if (opens) return Space::kBefore;
    if (are_all_in(word, U",.?!:;\\%}])")) return Space::kAfter;
    const bool is_contraction = is_english_ && i > 0 && word.size() > 1 && word[0].code == '\'' &&
                                is_moses_letter(word[1].code);
    if (is_contraction) return Space::kAfter;
    return are_all_in(word, U"'\"„“`") ? space_of_quote(i) : Space::kAround;
  }

  /// Quotation marks of a kind open and close in turn.
  Space space_of_quote(size_t i) {
    const Characters& word = words_[i];
    const bool is_curly = are_all_in(word, U"„“");
    std::u32string kind(is_curly ? 1 : 0, U'"');
    for (size_t at = 0; !is_curly && at < word.size(); ++at) kind += word[at].code;
    bool& is_open = is_open_[kind];
    const bool is_possessive =
        !is_open && is_english_ && is_word(word, U"'") && i > 0 && words_[i - 1].back().code == 's';
    if (is_possessive) return Space::kAfter;
    is_open = !is_open;
    return is_open ? Space::kBefore : Space::kAfter;
  }

  const bool is_english_;
  const std::vector<Characters> words_;
  std::map<std::u32string, bool> is_open_;
  Characters text_;
  bool spaces_next_ = true;
};

}  // namespace

Characters moses_text(const MosesLanguage& language, std::vector<Characters> words) {
  words = with_dashes(std::move(words));
  for (Characters& word : words) substitute(kEntities, word);
  return Detokenizer(language, std::move(words)).text();
}

}  // namespace dietmt::data
