#include "nmt/alignment/placeholders.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/ascii.h"
#include "common/interruption.h"
#include "common/utf8.h"
#include "data/text/addresses.h"
#include "nmt/alignment/light_markup.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/symbols.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

// Finds the placeholders of a text. Reads each part of it for only a few of them.
class Scanner {
 public:
  Scanner(std::string_view text, KeptKinds kinds)
      : text_(text), kinds_(kinds), light_(light_markup_in(text, kinds)) {}

  std::vector<std::string_view> all() {
    std::vector<std::string_view> found;
    for (size_t at = 0; at < text_.size();) {
      check_interruption();
      const size_t size = size_at(at);
      if (size == 0) {
        ++at;
        continue;
      }
      found.push_back(kinds_.has(Kept::kSymbols)
                          ? with_word_around(text_, end_, text_.substr(at, size))
                          : text_.substr(at, size));
      at = end_ = static_cast<size_t>(found.back().data() - text_.data()) + found.back().size();
    }
    return found;
  }

 private:
  size_t size_at(size_t at) {
    if (const size_t size = light_at(at)) return size;
    if (const size_t size = name_at(at)) return size;
    if (kinds_.has(Kept::kSymbols) && !continues_character(text_[at]))
      if (const size_t size = symbols_at(text_.substr(at))) return size;
    return is_percent_of_number(at) ? 0 : placeholder_at(at);
  }

  // `__name__` is a placeholder, not a name in bold.
  size_t light_at(size_t at) {
    const auto begin = [&] {
      return static_cast<size_t>(light_[next_light_].data() - text_.data());
    };
    while (next_light_ < light_.size() && begin() < at) ++next_light_;
    if (next_light_ == light_.size() || begin() > at || begins_dunder(at)) return 0;
    return light_[next_light_].size();
  }

  // Addresses, paths and mentions begin where a word may begin.
  size_t name_at(size_t at) {
    const char before = at == 0 ? ' ' : text_[at - 1];
    const std::string_view text = text_.substr(at);
    if (kinds_.has(Kept::kAddresses) && at >= next_address_ && data::is_in_mailbox(text.front())) {
      if (const size_t size = data::address_at(text)) return size;
      next_address_ = at + 1;
      while (next_address_ < text_.size() && data::is_in_mailbox(text_[next_address_]))
        ++next_address_;
    }
    if (kinds_.has(Kept::kPaths) &&
        std::string_view(" \t([{<\"'").find(before) != std::string_view::npos) {
      const bool is_quoted = before == '"' || before == '\'';
      if (const size_t size = is_quoted ? data::quoted_path_at(text, before) : 0) return size;
      if (const size_t size = data::path_at(text)) return size;
    }
    const bool may_mention = kinds_.has(Kept::kMentions) && !data::is_in_mailbox(before) &&
                             before != '/' && before != '&' && before != '#';
    return may_mention ? data::mention_at(text) : 0;
  }

  // The percent sign of a number, followed by more of a word: 100%ige, a 50%-discount.
  bool is_percent_of_number(size_t at) const {
    if (text_[at] != '%' || at == end_ || !is_ascii_digit(text_[at - 1])) return false;
    const std::string_view text = text_.substr(at);
    if (text.size() > 2 && text[1] == '-') return !is_ascii_digit(text[2]);
    const size_t size = percent_at(text);
    return size > 1 && std::ranges::all_of(text.substr(1, size - 1), is_ascii_letter) &&
           u_isalpha(static_cast<UChar32>(first_character(text.substr(size))));
  }

  // The next position of a delimiter, searched again only past the last one.
  struct Delimiter {
    std::string_view characters;
    size_t place = 0;
    bool is_known = false;
  };

  size_t placeholder_at(size_t at) {
    const std::string_view text = text_.substr(at);
    const char c = text.front();
    if (kinds_.has(Kept::kPlaceholders) && (c == '{' || c == '<'))
      if (const size_t size = paired_brace_at(text)) return size;
    if (kinds_.has(Kept::kTags)) {
      if (c == '<')
        return text.starts_with("<%")     ? up_to(script_end_, at)
               : text.starts_with("<!--") ? up_to(note_end_, at)
                                          : tag_at(text);
      if (c == '&') return reference_at(text);
    }
    if (!kinds_.has(Kept::kPlaceholders)) return 0;
    switch (c) {
      case '%':
        return percent_at(text);
      case '$':
        return dollar(at);
      case '{':
        return braces(at);
      case '[':
        return numbered_box_at(text);
      case ':':
        return begins_word(at) ? colon_name_at(text) : 0;
      case '_':
        return begins_dunder(at) ? dunder_at(text) : 0;
      default:
        return 0;
    }
  }

  // After a space, bracket or quotation mark.
  bool begins_word(size_t at) const {
    const char32_t before = last_character(text_.substr(0, at));
    return before == 0 || is_space(before) || opens(before);
  }

  bool begins_dunder(size_t at) const {
    if (!kinds_.has(Kept::kPlaceholders) || text_[at] != '_') return false;
    const char32_t before = last_character(text_.substr(0, at));
    return before != U'_' && !is_word_character(before) && dunder_at(text_.substr(at)) > 0;
  }

  size_t dollar(size_t at) {
    const std::string_view text = text_.substr(at);
    if (text.starts_with("${")) return enclosed_without_braces(text, "${", "}");
    const size_t size = dollars_at(text);
    return size == 0 && is_numbered_dollar(at) ? 2 : size;
  }

  // $1, if the text has no other amounts of dollars: $1 and $2, but not $1 of $20.
  bool is_numbered_dollar(size_t at) {
    if (!numbered_dollars_) {
      uint32_t numbers = 0;
      bool has_amount = false;
      for (size_t i = text_.find('$'); i != std::string_view::npos; i = text_.find('$', i + 1)) {
        if (i + 1 == text_.size() || !is_ascii_digit(text_[i + 1])) continue;
        const char next = i + 2 < text_.size() ? text_[i + 2] : ' ';
        const bool goes_on =
            is_ascii_digit(next) ||
            ((next == '.' || next == ',') && i + 3 < text_.size() && is_ascii_digit(text_[i + 3]));
        has_amount = has_amount || goes_on || text_[i + 1] == '0';
        numbers |= 1U << static_cast<unsigned>(text_[i + 1] - '0');
      }
      const uint32_t from_one = numbers >> 1U;
      numbered_dollars_ = !has_amount && from_one != 0 && (from_one & (from_one + 1)) == 0;
    }
    return *numbered_dollars_ && at + 1 < text_.size() && is_ascii_digit(text_[at + 1]);
  }

  size_t braces(size_t at) {
    const std::string_view text = text_.substr(at);
    if (text.starts_with("{{{")) return enclosed_without_braces(text, "{{{", "}}}");
    if (text.starts_with("{{")) return enclosed_without_braces(text, "{{", "}}");
    if (text.starts_with("{%")) return up_to(statement_end_, at);
    if (text.starts_with("{\\")) return enclosed_without_braces(text, "{\\", "}");
    if (text.starts_with("{#")) {
      if (const size_t size = up_to(comment_end_, at)) return size;
    }
    return selects(text) ? closed(at) : argument_at(text);
  }

  size_t up_to(Delimiter& end, size_t at) const {
    constexpr size_t kOpening = 2;
    const size_t begin = at + kOpening;
    if (!end.is_known || (end.place != std::string_view::npos && end.place < begin)) {
      end.place = text_.find(end.characters, begin);
      end.is_known = true;
    }
    return end.place == std::string_view::npos ? 0 : end.place + end.characters.size() - at;
  }

  // Up to the brace that closes the one at `at`.
  size_t closed(size_t at) {
    if (closing_.empty()) find_closing();
    return closing_[at] == 0 ? 0 : closing_[at] + 1 - at;
  }

  // ICU writes '{' for the character.
  void find_closing() {
    closing_.resize(text_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < text_.size(); ++i) {
      const bool is_quoted =
          i > 0 && i + 1 < text_.size() && text_[i - 1] == '\'' && text_[i + 1] == '\'';
      if (!is_brace(text_[i]) || is_quoted) continue;
      if (text_[i] == '{') {
        open.push_back(i);
      } else if (!open.empty()) {
        closing_[open.back()] = i;
        open.pop_back();
      }
    }
  }

  std::string_view text_;
  KeptKinds kinds_;
  std::vector<std::string_view> light_;
  size_t next_light_ = 0;
  size_t next_address_ = 0;               // none begins before it
  std::optional<bool> numbered_dollars_;  // unknown before the first one
  size_t end_ = 0;                        // of the last placeholder
  Delimiter statement_end_{"%}"};
  Delimiter comment_end_{"#}"};
  Delimiter script_end_{"%>"};
  Delimiter note_end_{"-->"};
  std::vector<size_t> closing_;  // for each opening brace, the one that closes it; 0: none
};

}  // namespace

std::vector<std::string_view> placeholders_in(std::string_view text) {
  return kept_in(text, KeptKinds::markup());
}

std::vector<std::string_view> kept_in(std::string_view text, KeptKinds kinds) {
  return Scanner(text, kinds).all();
}

std::vector<TextPart> parts_around(std::string_view text, std::span<const std::string_view> kept) {
  std::vector<TextPart> parts;
  for (const std::string_view one : kept) {
    const auto at = static_cast<size_t>(one.data() - text.data());
    if (at > 0) parts.push_back({text.substr(0, at)});
    parts.push_back({one, true});
    text.remove_prefix(at + one.size());
  }
  if (!text.empty()) parts.push_back({text});
  return parts;
}

}  // namespace dietmt::nmt
