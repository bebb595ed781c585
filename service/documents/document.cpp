#include "service/documents/document.h"

#include <algorithm>
#include <cstdint>

#include "common/interruption.h"
#include "common/trimmed.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/kept_signs.h"

namespace dietmt::service {
namespace {

constexpr const char* kWhiteSpace = " \t\r\n";

// A letter that names a column, an option or a part of an index; or the number of a chapter.
bool is_ordinal(const nmt::MarkedText& marked) {
  const auto is_tag = [](const nmt::InlineMark& mark) {
    return mark.parts.front().text.starts_with('<') && !mark.parts.front().text.ends_with("/>");
  };
  std::string_view text = trimmed(marked.text, kWhiteSpace);
  if (!std::ranges::all_of(marked.marks, is_tag)) return false;
  while (text.ends_with('.') || text.ends_with(')')) text.remove_suffix(1);
  return (text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z') ||
         (!text.empty() && text.find_first_not_of("IVX") == text.npos);
}

// Nothing but an address, a path, the name of a file, a user or a topic, or a format of dates.
bool is_fixed(std::string_view text) {
  if (is_date_format(text)) return true;
  if (text.find_first_of(kWhiteSpace) != text.npos) return false;
  const auto kept = nmt::kept_in(
      text, nmt::KeptKinds(nmt::Kept::kAddresses) | nmt::Kept::kPaths | nmt::Kept::kMentions);
  return kept.size() == 1 && kept.front().size() == text.size();
}

}  // namespace

void Document::leave_out_choices(size_t messages) {
  if (messages > 0)
    left_out_.push_back(
        "the text inside plurals and choices (messages: " + std::to_string(messages) + ")");
}

SegmentReport report_of(const Document& document, const std::vector<Translation>& translations) {
  SegmentReport report{.refused = document.refused()};
  for (size_t i = 0; i < translations.size(); ++i)
    if (plain_text(translations[i]) == document.segments()[i].text) ++report.copied;
  const size_t kept = std::min(translations.size(), report.copied + report.refused);
  report.translated = translations.size() - kept;
  return report;
}

void add_mark(std::string tag, nmt::MarkedText& text) {
  check_interruption();
  const auto number = static_cast<int32_t>(text.marks.size());
  text.marks.push_back(
      {.parts = {{std::move(tag), true, number}}, .at = static_cast<int32_t>(text.text.size())});
}

nmt::MarkedText join_lines(const nmt::MarkedText& text) {
  nmt::MarkedText joined{.text = {}, .marks = text.marks, .spellings = text.spellings};
  size_t begin = 0;
  const auto add_up_to = [&](size_t end) {
    std::string_view rest = std::string_view(text.text).substr(begin, end - begin);
    while (!rest.empty()) {
      const size_t word = std::min(rest.find_first_of(kWhiteSpace), rest.size());
      const size_t next = std::min(rest.find_first_not_of(kWhiteSpace, word), rest.size());
      const std::string_view spaces = rest.substr(word, next - word);
      joined.text += rest.substr(0, word);
      joined.text += spaces.find_first_of("\r\n") == spaces.npos ? spaces : " ";
      rest.remove_prefix(next);
    }
    begin = end;
  };
  for (nmt::InlineMark& mark : joined.marks) {
    add_up_to(static_cast<size_t>(mark.at));
    mark.at = static_cast<int32_t>(joined.text.size());
  }
  add_up_to(text.text.size());
  return joined;
}

Translation in_source_order(const nmt::MarkedText& text) {
  Translation parts;
  size_t begin = 0;
  const auto add_up_to = [&](size_t end) {
    if (end > begin) parts.push_back({text.text.substr(begin, end - begin)});
    begin = end;
  };
  check_interruption();
  for (const nmt::InlineMark& mark : text.marks) {
    check_interruption();
    add_up_to(static_cast<size_t>(mark.at));
    parts.push_back(mark.parts.front());
  }
  add_up_to(text.text.size());
  return parts;
}

bool has_all_marks(const Translation& translation, const nmt::MarkedText& segment) {
  std::vector<bool> seen(segment.marks.size());
  std::vector<int32_t> open;
  for (const nmt::MarkedPart& part : translation) {
    if (part.mark < 0) continue;
    const auto number = static_cast<size_t>(part.mark);
    if (number >= seen.size() || seen[number]) return false;
    seen[number] = true;
    const int32_t partner = segment.marks[number].partner;
    if (partner > part.mark) {
      open.push_back(partner);
    } else if (partner >= 0) {
      if (open.empty() || open.back() != part.mark) return false;
      open.pop_back();
    }
  }
  return std::ranges::find(seen, false) == seen.end();
}

bool says_the_same(const Translation& one, const Translation& other) {
  const auto key = [](const Translation& parts) {
    std::string text;
    for (const nmt::MarkedPart& part : parts)
      text += part.mark < 0 ? part.text : '\0' + std::to_string(part.mark) + '\0';
    return text;
  };
  return key(one) == key(other);
}

std::string plain_text(const Translation& translation) {
  std::string text;
  check_interruption();
  for (const nmt::MarkedPart& part : translation)
    if (part.mark < 0) text += part.text;
  return text;
}

void fail_at(std::string_view text, size_t at, const std::string& problem) {
  const auto lines = std::ranges::count(text.substr(0, at), '\n');
  throw DataError("line " + std::to_string(lines + 1) + ": " + problem);
}

std::optional<SegmentPlace> add_segment(nmt::MarkedText text,
                                        std::vector<nmt::MarkedText>& segments) {
  check_interruption();
  if (!nmt::has_letter(text.text) || is_fixed(trimmed(text.text, kWhiteSpace)) || is_ordinal(text))
    return std::nullopt;
  size_t begin = text.text.find_first_not_of(kWhiteSpace);
  size_t end = text.text.find_last_not_of(kWhiteSpace) + 1;
  if (!text.marks.empty()) {
    begin = std::min(begin, static_cast<size_t>(text.marks.front().at));
    end = std::max(end, static_cast<size_t>(text.marks.back().at));
  }
  SegmentPlace place{segments.size(), text.text.substr(0, begin), text.text.substr(end)};
  text.text = text.text.substr(begin, end - begin);
  for (nmt::InlineMark& mark : text.marks) mark.at -= static_cast<int32_t>(begin);
  segments.push_back(std::move(text));
  return place;
}

}  // namespace dietmt::service
