#include "data/text/list_items.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <compare>
#include <map>
#include <optional>

#include "common/ascii.h"
#include "data/text/sentence_marks.h"
#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

struct Form {
  bool has_bullet = false, has_bracket = false, is_letter = false;
  std::string_view end;

  bool is_ordinal() const { return !has_bullet && !has_bracket && !is_letter && end == "."; }
  auto operator<=>(const Form&) const = default;
};

struct Marker {
  Form form;
  uint32_t value = 0;  // of a letter its code
  size_t bytes = 0;
};

constexpr std::u32string_view kBullets = U"•‣⁃●▪◦■";
constexpr std::u32string_view kFirstLetters = U"aаα";

size_t leading_spaces(std::string_view text) {
  return std::min(text.find_first_not_of(' '), text.size());
}

// Takes at most three digits or a letter from `text`.
uint32_t take_value(std::string_view& text, bool& is_letter) {
  const Character first = first_character_of(text);
  is_letter = u_islower(first.code);
  if (is_letter) {
    text.remove_prefix(first.bytes);
    return static_cast<uint32_t>(first.code);
  }
  uint32_t value = 0;
  for (int i = 0; i < 3 && !text.empty() && is_ascii_digit(text[0]); ++i) {
    value = 10 * value + static_cast<uint32_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

// Most words are no markers: these begin with two letters.
bool begins_with_letters(std::string_view text) {
  return text.size() > 1 && is_ascii_letter(text[0]) && is_ascii_letter(text[1]);
}

std::optional<Marker> marker_at(std::string_view line) {
  if (begins_with_letters(line)) return std::nullopt;
  constexpr size_t kLongest = 16;
  const std::string_view whole = line.substr(0, kLongest);
  std::string_view text = whole;
  Marker marker;
  if (const Character first = first_character_of(text); is_one_of(first.code, kBullets)) {
    marker.form.has_bullet = true;
    text.remove_prefix(first.bytes);
    text.remove_prefix(leading_spaces(text));
  }
  if (text.starts_with('(')) {
    marker.form.has_bracket = true;
    text.remove_prefix(1);
  }
  marker.value = take_value(text, marker.form.is_letter);
  if (marker.value == 0) return std::nullopt;
  for (const std::string_view end : {".)", ".", ")"}) {
    if (!text.starts_with(end)) continue;
    if (marker.form.has_bracket && end != ")") return std::nullopt;
    marker.form.end = end;
    text.remove_prefix(end.size());
    marker.bytes = whole.size() - text.size();
    return text.starts_with(' ') ? std::optional(marker) : std::nullopt;
  }
  return std::nullopt;
}

bool can_begin(const Marker& marker, std::string_view before) {
  if (marker.form.has_bullet) return true;
  if (marker.form.is_letter ? !is_one_of(static_cast<UChar32>(marker.value), kFirstLetters)
                            : marker.value != 1)
    return false;
  while (before.ends_with(' ')) before.remove_suffix(1);
  return before.empty() || is_stop_class(class_of(last_character_of(before).code));
}

struct List {
  uint32_t last = 0;
  std::vector<ListItem> items;
};

// Collects the items of lists that have become long enough.
class ListCollector {
 public:
  explicit ListCollector(bool ordinals) : ordinals_(ordinals) {}

  void add(const Marker& marker, size_t begin, std::string_view before) {
    List& list = open_[marker.form];
    if (!list.items.empty() && marker.value == list.last + 1) {
      list.items.push_back({begin, marker.bytes});
      list.last = marker.value;
    } else if (can_begin(marker, before)) {
      close(list, marker.form);
      list = {.last = marker.value, .items = {{begin, marker.bytes}}};
    }
  }

  std::vector<ListItem> finish() {
    for (const auto& [form, list] : open_) close(list, form);
    std::ranges::sort(found_, {}, &ListItem::begin);
    return std::move(found_);
  }

 private:
  void close(const List& list, const Form& form) {
    const size_t least = ordinals_ && form.is_ordinal() ? 3 : 2;
    if (list.items.size() >= least)
      found_.insert(found_.end(), list.items.begin(), list.items.end());
  }

  const bool ordinals_;
  std::map<Form, List> open_;
  std::vector<ListItem> found_;
};

}  // namespace

std::vector<ListItem> list_items(std::string_view line, bool ordinals) {
  ListCollector lists(ordinals);
  for (size_t at = 0, space = 0; space != std::string_view::npos; at = space + 1) {
    const std::optional<Marker> marker = marker_at(line.substr(at));
    if (marker) lists.add(*marker, at, line.substr(0, at));
    space = line.find(' ', at);
  }
  return lists.finish();
}

}  // namespace dietmt::data
