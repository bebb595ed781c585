#include "data/text/sentence_ends.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "data/text/sentence_rules.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

// How far to look around a stop, in bytes: more would decide nothing, and the cost must not depend
// on the text around it.
constexpr size_t kReach = 64;

constexpr UChar32 kEllipsis = 0x2026;
constexpr UChar32 kLeftQuote = 0x201C;  // “, which closes „

bool is_one_of(UChar32 code, std::u32string_view set) {
  return set.find(static_cast<char32_t>(code)) != std::u32string_view::npos;
}

// The property of Unicode annex 29.
USentenceBreak class_of(UChar32 code) {
  return static_cast<USentenceBreak>(u_getIntPropertyValue(code, UCHAR_SENTENCE_BREAK));
}

bool is_stop_class(USentenceBreak type) { return type == U_SB_ATERM || type == U_SB_STERM; }

bool is_mark(UChar32 code) { return (U_GET_GC_MASK(code) & (U_GC_M_MASK | U_GC_CF_MASK)) != 0; }

// ° and № are parts of abbreviations, § stands for one.
bool is_word_part(UChar32 code) {
  return u_isalnum(code) || is_mark(code) || is_one_of(code, U"§°№");
}

bool is_quotation_mark(UChar32 code) {
  return class_of(code) == U_SB_CLOSE && u_hasBinaryProperty(code, UCHAR_QUOTATION_MARK);
}

// Brackets and quotation marks that can close, and * and _ of Markdown.
bool is_closer(UChar32 code) {
  return (class_of(code) == U_SB_CLOSE && u_charType(code) != U_START_PUNCTUATION) || code == '*' ||
         code == '_';
}

bool is_thai(UChar32 code) { return code >= 0x0E01 && code <= 0x0E7F; }

std::string_view word_at_start(std::string_view text) {
  size_t size = 0;
  while (size < text.size()) {
    const Character one = first_character_of(text.substr(size));
    if (!is_word_part(one.code)) break;
    size += one.bytes;
  }
  return text.substr(0, size);
}

// The word before the end of `text` with the full stops, hyphens excluded, that are inside.
std::string_view word_at_end(std::string_view text) {
  text = text.substr(text.size() - std::min(text.size(), kReach));
  size_t start = text.size();
  while (start > 0) {
    const Character one = last_character_of(text.substr(0, start));
    if (!is_word_part(one.code) && one.code != '.') break;
    start -= one.bytes;
  }
  return text.substr(start);
}

bool is_single(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size();) {
    const Character one = first_character_of(word.substr(at));
    if (!is_mark(one.code)) ++letters;
    at += one.bytes;
  }
  return letters == 1;
}

// One or two letters between full stops, as in U.S, Ph.D and p.m.
bool is_dotted(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size();) {
    const Character one = first_character_of(word.substr(at));
    at += one.bytes;
    if (is_mark(one.code)) continue;
    letters = one.code == '.' ? 0 : letters + 1;
    if (letters > 2 || (one.code != '.' && !u_isalpha(one.code))) return false;
  }
  return word.find('.') != std::string_view::npos;
}

// Four letters or more, all small: most abbreviations are shorter or in the tables.
bool is_plain(std::string_view word) {
  size_t letters = 0;
  for (size_t at = 0; at < word.size(); ++letters) {
    const Character one = first_character_of(word.substr(at));
    at += one.bytes;
    if (!u_islower(one.code) && !is_mark(one.code)) return false;
  }
  return letters >= 4;
}

bool consists_of(std::string_view word, std::string_view set) {
  return word.find_first_not_of(set) == std::string_view::npos;
}

bool is_number(std::string_view word) { return consists_of(word, "0123456789"); }
bool is_roman(std::string_view word) { return consists_of(word, "IVXLCDM"); }

// Stops such as ?!, the quotation marks and brackets that close after them, and white space.
struct Place {
  size_t stops = 0;          // where the stops begin
  size_t space = 0;          // where the white space begins
  size_t end = 0;            // where it ends
  size_t count = 0;          // stops
  UChar32 stop = 0;          // the first
  UChar32 closer = 0;        // the last; 0: none
  bool is_full_stop = true;  // or ellipsis: none is ! or the like
  bool is_narrow = true;     // ASCII, which also stands inside URLs and names of files
};

class LineScanner {
 public:
  LineScanner(std::string_view line, const std::string& language)
      : line_(line),
        rules_(SentenceRules::of(language)),
        is_greek_(language.starts_with("el")),
        is_thai_(language.starts_with("th")),
        is_hindi_(language.starts_with("hi")) {}

  std::vector<size_t> ends() {
    std::vector<size_t> all;
    for (at_ = 0; at_ < line_.size();) {
      const Place place = next_place();
      if (place.end == line_.size()) break;
      if (place.count == 0 ? ends_clause(place) : ends_sentence(place)) {
        all.push_back(place.end);
        begin_ = place.end;
      }
    }
    all.push_back(line_.size());
    return all;
  }

 private:
  Character here() const { return first_character_of(line_.substr(at_)); }
  std::string_view rest(size_t at) const { return line_.substr(at, kReach); }

  bool is_stop(UChar32 code) const {
    return is_stop_class(class_of(code)) || code == kEllipsis ||
           (is_greek_ && (code == ';' || code == 0x037E));
  }

  // Goes on to the end of the next stops or, in Thai, of white space; or to that of the line.
  Place next_place() {
    while (at_ < line_.size()) {
      const Character one = here();
      if (is_stop(one.code)) return place_of_stops();
      if (is_thai_ && u_isUWhiteSpace(one.code)) {
        Place place{.stops = at_, .space = at_};
        pass_space(place);
        return place;
      }
      follow_quotation(one.code);
      at_ += one.bytes;
    }
    return {.end = at_};
  }

  // Knows whether a quotation or a title is open.
  void follow_quotation(UChar32 code) {
    if (code < 0x80 ? code == '"' : code == kLeftQuote)
      is_quoted_ = !is_quoted_;
    else if (is_one_of(code, U"„«") || (code == '`') || rest(at_).starts_with(",,"))
      is_quoted_ = true;
    else if (is_one_of(code, U"»”") || rest(at_).starts_with("''"))
      is_quoted_ = false;
    if (is_one_of(code, U"《》")) is_in_title_ = code == U'《';
  }

  Place place_of_stops() {
    Place place{.stops = at_, .stop = here().code};
    while (at_ < line_.size() && is_stop(here().code)) {
      const UChar32 code = here().code;
      place.is_full_stop =
          place.is_full_stop && (class_of(code) == U_SB_ATERM || code == kEllipsis);
      place.is_narrow = place.is_narrow && (code < 0x80 || code == kEllipsis);
      ++place.count;
      do {
        at_ += here().bytes;
      } while (at_ < line_.size() && class_of(here().code) == U_SB_EXTEND);
    }
    pass_closers(place);
    pass_space(place);
    // In some texts white space precedes closing quotation marks.
    if (place.end > place.space && closes_after_space(here().code) && stands_apart()) {
      pass_closers(place);
      pass_space(place);
    }
    return place;
  }

  bool closes_after_space(UChar32 code) const {
    if (!is_quotation_mark(code)) return false;
    const auto type = u_charType(code);
    return type == U_FINAL_PUNCTUATION ||
           ((type == U_OTHER_PUNCTUATION || code == kLeftQuote) && is_quoted_);
  }

  void pass_closers(Place& place) {
    while (at_ < line_.size()) {
      const Character one = here();
      if (!is_closer(one.code)) break;
      // “ closes in some languages and opens in others.
      if (u_charType(one.code) == U_INITIAL_PUNCTUATION && !stands_apart()) break;
      follow_quotation(one.code);
      place.closer = one.code;
      at_ += one.bytes;
    }
    place.space = at_;
  }

  void pass_space(Place& place) {
    while (at_ < line_.size() && u_isUWhiteSpace(here().code)) at_ += here().bytes;
    place.end = at_;
  }

  // Whether no word follows the closers here.
  bool stands_apart() const {
    std::string_view text = rest(at_);
    Character one = first_character_of(text);
    while (one.bytes > 0 && is_closer(one.code)) {
      text.remove_prefix(one.bytes);
      one = first_character_of(text);
    }
    const auto type = class_of(one.code);
    return text.empty() || u_isUWhiteSpace(one.code) || is_stop_class(type) ||
           type == U_SB_SCONTINUE;
  }

  bool ends_sentence(const Place& place) const {
    std::string_view after = rest(place.end);
    const Character next = first_character_of(after);
    const auto type = class_of(next.code);
    if (is_in_title_ && after.find("》") != std::string_view::npos) return false;
    if (is_stop_class(type) && !opens_with_ellipsis(after)) return false;
    if (type == U_SB_SCONTINUE && !is_one_of(next.code, U"-–—") && !after.starts_with(",,"))
      return false;
    if (place.end == place.space && !ends_without_space(place, next.code)) return false;
    if (place.closer != 0 && continues_quotation(place, after)) return false;
    // What follows begins with this character, possibly after quotation marks and the like.
    bool is_first = true;
    Character letter = next;
    while (letter.bytes > 0 && !u_isalnum(letter.code)) {
      is_first = false;
      after.remove_prefix(letter.bytes);
      letter = first_character_of(after);
    }
    const std::string_view word = word_at_end(line_.substr(begin_, place.stops - begin_));
    if (opens_with_ellipsis(rest(place.end))) return true;
    if (u_islower(letter.code)) {
      if (place.closer != 0 || !is_first) return false;
      return !place.is_full_stop ||
             (place.stop == '.' && place.count == 1 && is_plain(word) && !is_abbreviation(word));
    }
    if (place.count > 1) return true;
    if (place.stop == '!') return !rules_.names.contains(word) || is_starter(after);
    return place.stop != '.' || ends_after_word(word, place, after);
  }

  // Stops that stand inside URLs, names of files and the like need white space after them, unless
  // they are between letters of a script without spaces.
  bool ends_without_space(const Place& place, UChar32 next) const {
    const UChar32 before = last_character_of(line_.substr(0, place.stops)).code;
    if (place.is_full_stop && u_isdigit(before) && u_isdigit(next)) return false;
    if (!place.is_narrow) return true;
    return place.stop != '.' && is_wide_character(before) && is_wide_character(next);
  }

  // Whether a sentence with a quotation goes on after it: 「こんにちは。」と言った。
  static bool continues_quotation(const Place& place, std::string_view after) {
    const UChar32 next = first_character_of(after).code;
    return is_one_of(place.closer, U"」』”’》〉）") &&
           is_one_of(next, U"とはがをにのでもやかってなら、，");
  }

  // As in: It was quiet. ...and then it was not.
  static bool opens_with_ellipsis(std::string_view text) {
    constexpr std::string_view kDots = "...";
    return text.starts_with(kDots) && u_isalpha(first_character_of(text.substr(kDots.size())).code);
  }

  bool is_abbreviation(std::string_view word) const {
    return rules_.inside.has(word) || rules_.before_number.has(word) || rules_.anywhere.has(word);
  }

  static bool is_initial(std::string_view text) {
    const std::string_view word = word_at_start(text);
    return is_single(word) && text.substr(word.size()).starts_with('.');
  }

  bool is_starter(std::string_view text) const {
    return !is_initial(text) && rules_.starters.contains(word_at_start(text));
  }

  // Whether a sentence ends after `word` and a full stop, and another begins with `after`.
  bool ends_after_word(std::string_view word, const Place& place, std::string_view after) const {
    if (word.empty()) return true;
    const std::string_view before = line_.substr(begin_, place.stops - word.size() - begin_);
    const bool single = is_single(word), number = is_number(word);
    // 1. or A. of a list.
    if (before.empty() &&
        (number ? word.size() <= 3 : single && u_isupper(first_character_of(word).code)))
      return false;
    const bool starts = is_starter(after);
    const bool precedes_number = u_isdigit(first_character_of(after).code);
    if (number || (is_roman(word) && !single)) {
      const UChar32 left = last_character_of(before).code;
      const bool alone = left == 0 || u_isUWhiteSpace(left) || left == '(';
      if (!rules_.ordinals || !alone || word.size() > (number ? 2U : 6U)) return true;
      return starts && !precedes_number;
    }
    if (rules_.inside.has(word)) return false;
    const bool precedes_numeral =
        precedes_number || (is_roman(word_at_start(after)) && !starts && !after.empty());
    if (precedes_numeral && rules_.before_number.has(word)) return false;
    if (rules_.times.has(word)) return !rules_.after_times.contains(word_at_start(after));
    const UChar32 first = first_character_of(word).code;
    if (single && u_isupper(first)) return starts;
    if (single && (precedes_number || is_hindi_ || is_initial(after))) return false;
    return starts || !(rules_.anywhere.has(word) || is_dotted(word));
  }

  // Thai has no stops: white space separates clauses, and readers tell sentences by their meaning.
  // Ends them after a particle of politeness, or when a clause of some length is followed by one
  // that does not begin with a word that continues it.
  bool ends_clause(const Place& place) const {
    constexpr size_t kBytes = 3, kLongEnough = 40 * kBytes;
    const std::string_view before = line_.substr(begin_, place.space - begin_);
    const std::string_view after = rest(place.end);
    if (!is_thai(last_character_of(before).code)) return false;
    const auto ends_with = [&](std::string_view word) { return before.ends_with(word); };
    if (std::ranges::any_of(thai_particles(), ends_with)) return true;
    if (before.size() < kLongEnough || before.ends_with("ๆ")) return false;
    const Character next = first_character_of(after);
    if (!is_thai(next.code)) return is_one_of(next.code, U"“\"");
    return std::ranges::none_of(thai_continuations(),
                                [&](std::string_view word) { return after.starts_with(word); });
  }

  const std::string_view line_;
  const SentenceRules& rules_;
  const bool is_greek_;
  const bool is_thai_;
  const bool is_hindi_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the sentence
  bool is_quoted_ = false;
  bool is_in_title_ = false;
};

}  // namespace

std::vector<size_t> sentence_ends(std::string_view line, const std::string& language) {
  return LineScanner(line, language).ends();
}

}  // namespace dietmt::data
