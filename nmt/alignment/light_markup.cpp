#include "nmt/alignment/light_markup.h"

#include <algorithm>
#include <array>
#include <map>

#include "common/interruption.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

constexpr std::array<std::string_view, 5> kEmphasis = {"**", "__", "~~", "*", "_"};

class LightMarkup {
 public:
  LightMarkup(std::string_view text, KeptKinds kinds) : text_(text), kinds_(kinds) {}

  std::vector<std::string_view> all() {
    if (kinds_.has(Kept::kCode)) find_code();
    for (size_t at = 0; at < text_.size();) {
      check_interruption();
      at = after(at);
    }
    std::ranges::sort(marks_, {}, [](std::string_view mark) { return mark.data(); });
    return std::move(marks_);
  }

 private:
  size_t run(size_t at) const {
    return std::min(text_.find_first_not_of(text_[at], at), text_.size()) - at;
  }

  void add(size_t at, size_t bytes) { marks_.push_back(text_.substr(at, bytes)); }

  // Each run of backticks opens code that the next run of the same length closes.
  void find_code() {
    std::map<size_t, size_t> next;  // run of this length
    std::vector<std::pair<size_t, size_t>> runs;
    for (size_t at = text_.find('`'); at < text_.size(); at = text_.find('`', at + run(at)))
      runs.emplace_back(at, run(at));
    for (size_t i = runs.size(); i-- > 0;) {
      const auto [at, bytes] = runs[i];
      const auto closing = next.find(bytes);
      if (closing != next.end()) code_[at] = closing->second + bytes;
      next[bytes] = at;
    }
  }

  // Reads what begins here and returns where it ends.
  size_t after(size_t at) {
    const char c = text_[at];
    if (c == '`') {
      const auto code = code_.find(at);
      if (code == code_.end()) return at + run(at);
      add(at, code->second - at);
      return code->second;
    }
    if (kinds_.has(Kept::kMarkdown) && (c == '*' || c == '_' || c == '~')) return emphasis(at);
    if (c == '[') return bracket(at);
    if (c == ']' && kinds_.has(Kept::kMarkdown)) return link_end(at);
    return at + 1;
  }

  size_t emphasis(size_t at) {
    constexpr size_t kLongest = 3;  // *** is ** and *
    const size_t end = at + run(at);
    const char32_t before = last_character(text_.substr(0, at));
    const char32_t next = first_character(text_.substr(end));
    if (end - at > kLongest) return end;
    const bool can_open = next != 0 && !is_space(next) && !is_word_character(before);
    const bool can_close = before != 0 && !is_space(before) && !is_word_character(next);
    for (size_t begin = at; begin < end;) {
      const size_t bytes =
          std::min<size_t>(end - begin, can_close && end - at == kLongest && begin == at ? 1 : 2);
      pair_up(begin, bytes, can_open, can_close);
      begin += bytes;
    }
    return end;
  }

  void pair_up(size_t at, size_t bytes, bool can_open, bool can_close) {
    const std::string_view mark = text_.substr(at, bytes);
    if (std::ranges::find(kEmphasis, mark) == kEmphasis.end()) return;
    const auto open = open_.find(mark);
    if (can_close && open != open_.end()) {
      marks_.push_back(open->second);
      marks_.push_back(mark);
      open_.erase(open);
    } else if (can_open) {
      open_[mark] = mark;
    }
  }

  size_t bracket(size_t at) {
    const std::string_view rest = text_.substr(at);
    const std::string_view tag = rest.substr(0, rest.find_first_of("[]", 1));
    const bool is_tag = tag.size() < rest.size() && rest[tag.size()] == ']';
    if (kinds_.has(Kept::kBbcode) && is_tag &&
        !bbcode_name(rest.substr(0, tag.size() + 1)).empty()) {
      add(at, tag.size() + 1);
      return at + tag.size() + 1;
    }
    const bool is_picture = at > 0 && text_[at - 1] == '!';
    brackets_.push_back(is_picture ? at - 1 : at);
    return at + 1;
  }

  // The end of a link, if a bracket is open: ](address) or ](address "title").
  size_t link_end(size_t at) {
    if (brackets_.empty()) return at + 1;
    const size_t begin = brackets_.back();
    brackets_.pop_back();
    if (!text_.substr(at).starts_with("](")) return at + 1;
    size_t end = text_.find_first_of(" \t[]()<>", at + 2);
    if (end != std::string_view::npos && text_[end] == ' ' &&
        text_.substr(end + 1).starts_with('"')) {
      end = text_.find_first_of("\"[]", end + 2);
      end = end != std::string_view::npos && text_[end] == '"' ? end + 1 : std::string_view::npos;
    }
    if (end >= text_.size() || text_[end] != ')') return at + 1;
    add(begin, text_[begin] == '!' ? 2 : 1);
    add(at, end + 1 - at);
    return end + 1;
  }

  std::string_view text_;
  KeptKinds kinds_;
  std::map<size_t, size_t> code_;                      // begins and ends
  std::map<std::string_view, std::string_view> open_;  // the last of each kind without a partner
  std::vector<size_t> brackets_;                       // that are open
  std::vector<std::string_view> marks_;
};

}  // namespace

std::vector<std::string_view> light_markup_in(std::string_view text, KeptKinds kinds) {
  return LightMarkup(text, kinds).all();
}

bool is_emphasis(std::string_view mark) {
  return std::ranges::find(kEmphasis, mark) != kEmphasis.end();
}

std::string_view bbcode_name(std::string_view mark) {
  constexpr std::array<std::string_view, 21> kTags = {
      "*",     "b",     "i",     "u",       "s",    "url",  "img",
      "quote", "code",  "color", "size",    "font", "list", "center",
      "left",  "right", "email", "spoiler", "sub",  "sup",  "table"};
  if (!mark.starts_with('[') || !mark.ends_with(']')) return {};
  std::string_view name = mark.substr(1, mark.size() - 2);
  if (name.starts_with('/')) name.remove_prefix(1);
  name = name.substr(0, name.find('='));
  return std::ranges::find(kTags, name) == kTags.end() ? std::string_view() : name;
}

}  // namespace dietmt::nmt
