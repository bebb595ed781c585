#include "data/text/stop_scanner.h"

#include "common/ascii.h"
#include "data/text/language_codes.h"
#include "data/text/sentence_marks.h"

namespace dietmt::data {
namespace {

constexpr UChar32 kEllipsis = 0x2026;
constexpr UChar32 kLeftQuote = 0x201C;  // “, which closes „

}  // namespace

StopScanner::StopScanner(std::string_view line, size_t marker, const std::string& language)
    : line_(line),
      is_greek_(primary_language(language) == "el"),
      is_thai_(primary_language(language) == "th"),
      is_armenian_(primary_language(language) == "hy"),
      at_(marker) {}

Place StopScanner::next() {
  while (at_ < line_.size()) {
    if (is_ascii_letter(line_[at_])) {
      ++at_;
      continue;
    }
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

std::string_view StopScanner::rest() const { return line_.substr(at_, kSentenceReach); }

bool StopScanner::is_stop(UChar32 code) const {
  return is_stop_class(class_of(code)) || code == kEllipsis ||
         (is_greek_ && (code == ';' || code == 0x037E)) || (is_armenian_ && code == ':');
}

// Knows whether a quotation or a title is open.
void StopScanner::follow_quotation(UChar32 code) {
  if (code < 0x80 ? code == '"' : code == kLeftQuote)
    is_quoted_ = !is_quoted_;
  else if (is_one_of(code, U"„«") || (code == '`') || rest().starts_with(",,"))
    is_quoted_ = true;
  else if (is_one_of(code, U"»”") || rest().starts_with("''"))
    is_quoted_ = false;
  if (is_one_of(code, U"《》")) is_in_title_ = code == U'《';
}

Place StopScanner::place_of_stops() {
  Place place{.stops = at_, .stop = here().code};
  while (at_ < line_.size() && is_stop(here().code)) {
    const UChar32 code = here().code;
    place.is_full_stop = place.is_full_stop && (class_of(code) == U_SB_ATERM || code == kEllipsis);
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

bool StopScanner::closes_after_space(UChar32 code) const {
  if (!is_quotation_mark(code)) return false;
  const auto type = u_charType(code);
  return type == U_FINAL_PUNCTUATION ||
         ((type == U_OTHER_PUNCTUATION || code == kLeftQuote) && is_quoted_);
}

void StopScanner::pass_closers(Place& place) {
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

void StopScanner::pass_space(Place& place) {
  while (at_ < line_.size() && u_isUWhiteSpace(here().code)) at_ += here().bytes;
  place.end = at_;
}

// Whether no word follows the closers here.
bool StopScanner::stands_apart() const {
  std::string_view text = rest();
  Character one = first_character_of(text);
  while (one.bytes > 0 && is_closer(one.code)) {
    text.remove_prefix(one.bytes);
    one = first_character_of(text);
  }
  const auto type = class_of(one.code);
  return text.empty() || u_isUWhiteSpace(one.code) || is_stop_class(type) || type == U_SB_SCONTINUE;
}

}  // namespace dietmt::data
