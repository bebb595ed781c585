#include "service/documents/placeholders.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "common/error.h"
#include "common/interruption.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/format_directives.h"

namespace dietmt::service {
namespace {

using nmt::placeholders_in;

std::string_view tag_of(const nmt::InlineMark& mark) { return mark.parts.front().text; }

bool is_argument(std::string_view mark) {
  return nmt::stands_for_text(mark) && !mark.starts_with('&') && mark != "%%" && mark != "~%" &&
         mark != "~~";
}

// Marks, tags, and other forms whose order matters or that a model would translate.
bool needs_places(std::string_view mark) {
  return (mark.starts_with('<') && mark.size() > 1) || nmt::is_choice(mark) ||
         nmt::syntax_of(mark).kind != nmt::InlineMark::Kind::kPoint;
}

bool needs_places(const nmt::MarkedText& segment) {
  return std::ranges::any_of(segment.marks,
                             [](const auto& one) { return needs_places(tag_of(one)); });
}

// The segment with its placeholders as marks.
nmt::MarkedText marked(const nmt::MarkedText& segment) {
  return segment.marks.empty() ? with_marks(segment.text, placeholders_in(segment.text)) : segment;
}

// A letter of a script that separates words with spaces, and attaches nothing to a placeholder.
bool is_spaced_letter(char32_t c) {
  if (u_isalpha(static_cast<UChar32>(c)) == 0) return false;
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(static_cast<UChar32>(c), &status)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_HANGUL:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
      return false;
    default:
      return true;
  }
}

struct Sides {
  bool before = false;  // a letter
  bool after = false;
};

// For each mark, the letters next to it.
std::map<int32_t, Sides> letters_around_marks(const Translation& translation) {
  std::map<int32_t, Sides> sides;
  char32_t before = 0;
  int32_t last = -1;  // the mark before the text that comes next
  for (const nmt::MarkedPart& part : translation) {
    check_interruption();
    if (part.mark >= 0) {
      sides[part.mark].before = is_spaced_letter(before);
      before = 0;
      last = part.mark;
    } else if (!part.text.empty()) {
      if (last >= 0) sides[last].after = is_spaced_letter(nmt::first_character(part.text));
      before = nmt::last_character(part.text);
      last = -1;
    }
  }
  return sides;
}

// No mark is next to a letter that is not next to one in the source.
bool has_same_neighbours(const Translation& translation, const nmt::MarkedText& segment) {
  const auto found = letters_around_marks(translation);
  for (const auto& [mark, wanted] : letters_around_marks(in_source_order(segment))) {
    check_interruption();
    if (!is_argument(tag_of(segment.marks[static_cast<size_t>(mark)]))) continue;
    const Sides sides = found.at(mark);
    if ((sides.before && !wanted.before) || (sides.after && !wanted.after)) return false;
  }
  return true;
}

// The text outside the marks has the same references and other placeholders, and no more characters
// that may start or end one.
bool has_same_rest(const std::string& text, const std::string& source) {
  auto found = placeholders_in(text), wanted = placeholders_in(source);
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  if (found != wanted) return false;
  for (const char sign : std::string_view("%{}~$"))
    if (std::ranges::count(text, sign) > std::ranges::count(source, sign)) return false;
  return true;
}

// The text with those of the segment's marks that are in it.
Translation with_marks_of(const nmt::MarkedText& segment, std::string_view text) {
  std::map<std::string_view, std::deque<int32_t>> unused;
  std::set<size_t, std::greater<>> sizes;
  for (size_t i = 0; i < segment.marks.size(); ++i) {
    const std::string_view tag = tag_of(segment.marks[i]);
    unused[tag].push_back(static_cast<int32_t>(i));
    sizes.insert(tag.size());
  }
  Translation parts;
  size_t begin = 0;
  const auto add_text = [&](size_t end) {
    if (end > begin) parts.push_back({std::string(text.substr(begin, end - begin))});
  };
  for (size_t at = 0; at < text.size();) {
    check_interruption();
    size_t taken = 1;
    for (const size_t size : sizes) {
      const auto found = unused.find(text.substr(at, size));
      if (found == unused.end() || found->second.empty()) continue;
      add_text(at);
      parts.push_back({std::string(found->first), true, found->second.front()});
      found->second.pop_front();
      taken = size;
      begin = at + size;
      break;
    }
    at += taken;
  }
  add_text(text.size());
  return parts;
}

// Replaces entries of `translations` with those of the segments that are not only context.
void fill(const TranslateTexts& translate, const std::vector<nmt::MarkedText>& segments,
          const std::vector<bool>& only_context, std::vector<Translation>& translations) {
  if (std::ranges::find(only_context, false) == only_context.end()) return;
  std::vector<Translation> found = translate({segments, only_context});
  if (found.size() != segments.size())
    throw Error("the translator returned " + std::to_string(found.size()) + " texts for " +
                std::to_string(segments.size()));
  for (size_t i = 0; i < segments.size(); ++i)
    if (!only_context[i]) translations[i] = std::move(found[i]);
}

}  // namespace

nmt::MarkedText with_marks(std::string_view text,
                           const std::vector<std::string_view>& placeholders) {
  nmt::MarkedText marked;
  for (const auto& [part, is_placeholder] : nmt::parts_around(text, placeholders)) {
    if (is_placeholder)
      add_mark(std::string(part), marked);
    else
      marked.text += part;
  }
  return marked;
}

bool keeps_placeholders(const Translation& translation, const nmt::MarkedText& segment) {
  return has_all_marks(translation, segment) &&
         has_same_rest(plain_text(translation), segment.text) &&
         has_same_neighbours(translation, segment);
}

bool keeps_order(const Translation& translation, const nmt::MarkedText& segment) {
  int32_t last = -1;
  for (const nmt::MarkedPart& part : translation) {
    if (part.mark < 0 ||
        !takes_next_argument(tag_of(segment.marks[static_cast<size_t>(part.mark)])))
      continue;
    if (part.mark < last) return false;
    last = part.mark;
  }
  return true;
}

std::vector<Translation> translate_keeping_placeholders(
    const std::vector<nmt::MarkedText>& segments, const TranslateTexts& translate,
    const TranslateTexts& translate_marked) {
  std::vector<nmt::MarkedText> wanted, plain;
  std::vector<bool> skipped;
  for (const nmt::MarkedText& segment : segments) {
    wanted.push_back(marked(segment));
    skipped.push_back(needs_places(wanted.back()));
    plain.push_back(
        skipped.back() ? segment
                       : nmt::MarkedText{.text = nmt::join(in_source_order(segment)), .marks = {}});
  }
  std::vector<Translation> translations(segments.size());
  fill(translate, plain, skipped, translations);
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool was_skipped = skipped[i];
    skipped[i] = false;
    if (was_skipped) continue;
    Translation found = with_marks_of(wanted[i], plain_text(translations[i]));
    skipped[i] = keeps_placeholders(found, wanted[i]) && keeps_order(found, wanted[i]);
    if (!segments[i].marks.empty()) translations[i] = std::move(found);
  }
  fill(translate_marked, segments, skipped, translations);
  return translations;
}

}  // namespace dietmt::service
