#include "service/documents/subtitles/speaker_labels.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>

#include "common/ascii.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/subtitles/cue_times.h"

namespace dietmt::service {
namespace {

constexpr std::array<std::string_view, 3> kNotes = {"♪", "♫", "♬"};

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

}  // namespace

bool take_notes(std::string_view& text) {
  const size_t size = text.size();
  while (std::ranges::any_of(kNotes, [&](std::string_view note) { return take(text, note); }))
    skip_spaces(text);
  return text.size() < size;
}

std::string_view without_ending(std::string_view text) {
  for (size_t size = text.size() + 1; text.size() < size;) {
    size = text.size();
    text = text.substr(0, text.find_last_not_of(kCueSpaces) + 1);
    for (const std::string_view note : kNotes)
      if (text.ends_with(note)) text.remove_suffix(note.size());
  }
  return text;
}

bool take_dash(std::string_view& text) {
  constexpr std::array<std::string_view, 5> kDashes = {"-", "–", "—", "‐", ">>"};
  std::string_view rest = text;
  while (std::ranges::any_of(kDashes, [&](std::string_view dash) { return take(rest, dash); }))
    continue;
  if (rest.size() == text.size() || (!rest.empty() && is_ascii_digit(rest.front()))) return false;
  text = rest;
  return true;
}

bool take_name(std::string_view& text) {
  constexpr size_t kLongest = 40;  // bytes
  const size_t colon = text.substr(0, kLongest).find(':');
  if (colon == text.npos) return false;
  const std::string_view name = text.substr(0, colon), rest = text.substr(colon + 1);
  const Brackets brackets = brackets_of(name);
  const size_t close = brackets.open.empty() ? name.npos : name.find(brackets.close);
  const bool has_description =
      close != name.npos && close + brackets.close.size() < name.size();  // [DOOR SLAMS] JOHN
  const bool is_name = !has_description && nmt::has_upper_case(name) &&
                       !nmt::has_lower_case(name) &&
                       (rest.empty() || kCueSpaces.find(rest.front()) != kCueSpaces.npos);
  if (is_name) text = rest;
  return is_name;
}

bool is_name(std::string_view text) {
  constexpr int kMostWords = 3;
  for (int words = 0; !text.empty(); ++words) {
    const std::string_view word = text.substr(0, text.find(' '));
    const auto first = static_cast<UChar32>(nmt::first_character(word));
    if (words == kMostWords || u_isupper(first) == 0 || !nmt::has_lower_case(word)) return false;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return true;
}

Brackets brackets_of(std::string_view text) {
  constexpr std::array<Brackets, 5> kAll{
      {{"[", "]"}, {"(", ")"}, {"（", "）"}, {"［", "］"}, {"【", "】"}}};
  for (const Brackets& one : kAll)
    if (text.starts_with(one.open)) return one;
  return {};
}

bool starts_part(std::string_view line) {
  skip_spaces(line);
  const Brackets brackets = brackets_of(line);
  if (!brackets.open.empty()) return line.find(brackets.close) != line.npos;
  if (line.starts_with('#')) return line.size() > 1 && without_ending(line).ends_with('#');
  return nmt::has_word(line) && (take_dash(line) || take_notes(line) || take_name(line));
}

}  // namespace dietmt::service
