#include "data/text/sentence_ends.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "data/text/language_codes.h"
#include "data/text/list_items.h"
#include "data/text/sentence_marks.h"
#include "data/text/sentence_rules.h"
#include "data/text/stop_scanner.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

bool is_thai(UChar32 code) { return code >= 0x0E01 && code <= 0x0E7F; }

class LineScanner {
 public:
  /// Begins to look for stops after `marker` bytes.
  LineScanner(std::string_view line, size_t marker, const std::string& language)
      : line_(line),
        rules_(SentenceRules::of(language)),
        is_hindi_(primary_language(language) == "hi"),
        stops_(line, marker, language) {}

  std::vector<size_t> ends() {
    std::vector<size_t> all;
    for (Place place; (place = stops_.next()).end < line_.size();) {
      if (place.count == 0 ? ends_clause(place) : ends_sentence(place)) {
        all.push_back(place.end);
        begin_ = place.end;
      }
    }
    all.push_back(line_.size());
    return all;
  }

 private:
  std::string_view rest(size_t at) const { return line_.substr(at, kSentenceReach); }

  bool ends_sentence(const Place& place) const {
    std::string_view after = rest(place.end);
    const Character next = first_character_of(after);
    const auto type = class_of(next.code);
    if (stops_.is_in_title() && after.find("》") != std::string_view::npos) return false;
    const bool precedes_ellipsis = opens_with_ellipsis(after) && !is_apart(place);
    if (is_stop_class(type) && !precedes_ellipsis) return false;
    if (type == U_SB_SCONTINUE && !is_one_of(next.code, U"-–—") && !after.starts_with(",,"))
      return false;
    if (leaves_out_words(place, next.code)) return false;
    if (place.end == place.space && !ends_without_space(place, after)) return false;
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
    if (precedes_ellipsis) return true;
    if (u_islower(letter.code)) {
      if (place.closer != 0 || !is_first) return false;
      if (!place.is_full_stop) return !rules_.names.contains(word) && !reports_speech(after);
      return place.stop == '.' && place.count == 1 && is_plain(word) && !is_abbreviation(word);
    }
    if (place.count > 1) return true;
    if (place.stop == '!') return !rules_.names.contains(word) || is_starter(after);
    return place.stop != '.' || ends_after_word(word, place, after);
  }

  // Stops that stand inside URLs, names of files and the like need white space after them, unless
  // they are between letters of a script without spaces or somebody forgot it: ran.The
  bool ends_without_space(const Place& place, std::string_view after) const {
    const std::string_view text = line_.substr(0, place.stops);
    const UChar32 before = last_character_of(text).code, next = first_character_of(after).code;
    if (place.is_full_stop && u_isdigit(before) && u_isdigit(next)) return false;
    if (!place.is_narrow) return true;
    if (place.stop != '.' && is_wide_character(before) && is_wide_character(next)) return true;
    return place.count == 1 && place.closer == 0 && follows_plain_word(text) && begins_word(after);
  }

  // Whether `text` ends with a word or number that is not part of a URL.
  static bool follows_plain_word(std::string_view text) {
    const std::string_view word = word_at_end(text);
    if (word.empty()) return false;
    const Character first = first_character_of(word);
    const size_t capital = u_isupper(first.code) ? first.bytes : 0;
    if (!is_number(word) && !is_plain(word.substr(capital))) return false;
    const UChar32 left = last_character_of(text.substr(0, text.size() - word.size())).code;
    return u_isUWhiteSpace(left) || left == ',';
  }

  // Whether `text` begins with a word that begins sentences, or a title, and white space.
  bool begins_word(std::string_view text) const {
    const std::string_view word = word_at_start(text);
    text.remove_prefix(word.size());
    if (rules_.starters.contains(word)) return text.starts_with(' ');
    return u_isupper(first_character_of(word).code) && rules_.inside.has(word) &&
           text.starts_with(". ");
  }

  // Whether white space is before the stops.
  bool is_apart(const Place& place) const {
    return u_isUWhiteSpace(last_character_of(line_.substr(0, place.stops)).code);
  }

  // The last stop of . . . or, before brackets, [...]; a fourth ends the sentence.
  bool leaves_out_words(const Place& place, UChar32 next) const {
    const std::string_view text = line_.substr(0, place.stops);
    if (place.stop == '.' && text.ends_with(". . ") && !text.ends_with(" . . . ")) return true;
    return text.ends_with('[') && next == '(';
  }

  // As in: Stop! he cried.
  bool reports_speech(std::string_view after) const {
    const std::string_view first = word_at_start(after);
    after.remove_prefix(first.size());
    if (rules_.speech.contains(first)) return true;
    return after.starts_with(' ') && rules_.speech.contains(word_at_start(after.substr(1)));
  }

  // Whether a sentence with a quotation goes on after it: 「こんにちは。」と言った。
  static bool continues_quotation(const Place& place, std::string_view after) {
    const UChar32 next = first_character_of(after).code;
    return is_one_of(place.closer, U"」』”’》〉）") &&
           is_one_of(next, U"とはがをにのでもやかってなら、，");
  }

  // As in: It was quiet. ...and then it was not. . . . Now it is.
  static bool opens_with_ellipsis(std::string_view text) {
    for (const std::string_view dots : {"...", ". . . "}) {
      if (text.starts_with(dots) && u_isalpha(first_character_of(text.substr(dots.size())).code))
        return true;
    }
    return false;
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

  // Whether the sentence has no more than a word and a number before a.m.: At 5
  static bool is_only_time(std::string_view before) {
    return before.size() < kSentenceReach && before.ends_with(' ') &&
           std::ranges::count(before, ' ') <= 2;
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
    if (rules_.times.has(word))
      return !is_only_time(before) && !rules_.after_times.contains(word_at_start(after));
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
  const bool is_hindi_;
  StopScanner stops_;
  size_t begin_ = 0;  // of the sentence
};

}  // namespace

std::vector<size_t> sentence_ends(std::string_view line, const std::string& language) {
  std::vector<size_t> all;
  size_t begin = 0, marker = 0;
  const auto add_up_to = [&](size_t end) {
    if (begin == end) return;
    for (const size_t one : LineScanner(line.substr(begin, end - begin), marker, language).ends())
      all.push_back(begin + one);
  };
  for (const ListItem& item : list_items(line, SentenceRules::of(language).ordinals)) {
    add_up_to(item.begin);
    begin = item.begin;
    marker = item.marker;
  }
  add_up_to(line.size());
  return all;
}

}  // namespace dietmt::data
