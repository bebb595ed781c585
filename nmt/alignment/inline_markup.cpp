#include "nmt/alignment/inline_markup.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/interruption.h"
#include "nmt/alignment/collapsed_groups.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/markup_placement.h"
#include "nmt/alignment/markup_tree.h"
#include "nmt/alignment/placeholder_affixes.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/alignment/text_segments.h"
#include "nmt/alignment/text_shape.h"

namespace dietmt::nmt {
namespace {

using data::TextSpan;

// Turns start tags that are words, as in "the <file> of", or belong to the text before them, as in
// --name=<value>, into points.
void find_values(MarkedText& marked) {
  int32_t begin = 0;
  for (InlineMark& mark : marked.marks) {
    const std::string_view left =
        std::string_view(marked.text)
            .substr(static_cast<size_t>(begin), static_cast<size_t>(mark.at - begin));
    begin = mark.at;
    if (mark.kind != InlineMark::Kind::kOpen || mark.partner >= 0) continue;
    const char32_t last = last_character(left);
    const bool is_apart = last == 0 || is_space(last) || is_word_character(last);
    const char32_t next =
        first_character(std::string_view(marked.text).substr(static_cast<size_t>(mark.at)));
    const bool is_word = (last == 0 || is_space(last)) && is_space(next);
    if (is_word || (!is_apart && bytes_joined_before(left, {}) > 0))
      mark.kind = InlineMark::Kind::kPoint;
  }
}

std::vector<MarkedPart> placed(const MarkedText& source, const Segments& source_parts,
                               const Segments& target, const PartAttention& attention) {
  MarkupNode root = markup_tree(source, source_parts.spans);
  root.target = {0, target.spans.size()};
  place_nodes(root, source.marks, source_parts, target, attention);
  return written_markup(root, source.marks, target.text, target.spans);
}

// The marks of a text up to a byte. Pairs of tags that span that byte lose their partners.
MarkedText first_bytes(const MarkedText& source, int32_t bytes) {
  MarkedText first{source.text.substr(0, static_cast<size_t>(bytes)), {}, source.spellings};
  for (const InlineMark& mark : source.marks)
    if (mark.at <= bytes) first.marks.push_back(mark);
  const auto kept = static_cast<int32_t>(first.marks.size());
  for (InlineMark& mark : first.marks)
    if (mark.partner >= kept) mark.partner = -1;
  return first;
}

// Appends the other marks, without the text between them.
void append_rest(const MarkedText& source, size_t kept, std::vector<MarkedPart>& parts) {
  for (size_t m = kept; m < source.marks.size(); ++m) {
    const InlineMark& mark = source.marks[m];
    if (mark.kind == InlineMark::Kind::kPoint && mark.before == InlineMark::Neighbour::kSpace)
      parts.push_back({" "});
    parts.insert(parts.end(), mark.parts.begin(), mark.parts.end());
  }
}

bool has_more_than_spaces(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

// How many bytes of the source need at most this many attention weights for the target's parts.
int32_t bytes_within(size_t weights, const Segments& source, const Segments& target) {
  const size_t parts = weights / std::max<size_t>(target.spans.size(), 1);
  return parts < source.spans.size() ? source.spans[parts].begin
                                     : static_cast<int32_t>(source.text.size());
}

PartAttention diagonal(size_t targets, size_t sources) {
  PartAttention attention{targets, sources, std::vector<float>(targets * sources)};
  for (size_t t = 0; t < targets && sources > 0; ++t)
    attention.weights[t * sources + t * sources / targets] = 1.0F;
  return attention;
}

// Places the marks in the first bytes of a source by its attention, and the others after them.
template <typename Attention>
std::vector<MarkedPart> placed_up_to(int32_t bytes, const MarkedText& source,
                                     const Segments& target, Attention attention_of) {
  const bool is_cut =
      has_more_than_spaces(std::string_view(source.text).substr(static_cast<size_t>(bytes)));
  const MarkedText kept = is_cut ? first_bytes(source, bytes) : MarkedText();
  const MarkedText& marked = is_cut ? kept : source;
  const Segments parts(marked.text);
  std::vector<MarkedPart> written = placed(marked, parts, target, attention_of(parts));
  append_rest(source, marked.marks.size(), written);
  return written;
}

}  // namespace

bool is_void_element(const std::string& name) {
  constexpr std::string_view kVoid[] = {"area",  "base", "br",   "col",    "embed", "hr", "img",
                                        "input", "link", "meta", "source", "track", "wbr"};
  return std::ranges::find(kVoid, name) != std::end(kVoid);
}

void MarkupRemoval::add_text(std::string_view text) { marked_.text += text; }

void MarkupRemoval::add_mark(MarkedPart raw) {
  check_interruption();
  const InlineMark::Kind kind = syntax_of(raw.text).kind;
  raw.is_markup = true;
  marked_.marks.push_back(
      {.parts = {std::move(raw)}, .kind = kind, .at = static_cast<int32_t>(marked_.text.size())});
}

MarkedText MarkupRemoval::finish() {
  find_partners(marked_.marks);
  find_values(marked_);
  return with_collapsed_groups(std::exchange(marked_, {}));
}

MarkedText take_out_markup(const MarkedText& text, const FindKept& find) {
  MarkupRemoval removal;
  Spellings spellings;
  std::string plain;  // text between markup and references
  bool has_references = false;
  const auto add_text = [&](std::string_view part) {
    plain += part;
    removal.add_text(part);
  };
  size_t begin = 0;
  const auto add_up_to = [&](size_t end) {
    const std::string_view between = std::string_view(text.text).substr(begin, end - begin);
    for (const auto& [mark, is_kept] : parts_around(between, find(between))) {
      if (!is_kept) {
        add_text(mark);
        continue;
      }
      const std::string character = referenced_character(mark);
      has_references = has_references || !character.empty() || mark == "&lt;" || mark == "&gt;";
      if (character.empty()) {
        removal.add_mark({.text = std::string(mark)});
      } else {
        removal.add_text(character);
        add_spelling(character, mark, spellings);
      }
    }
    begin = end;
  };
  for (const InlineMark& mark : text.marks) {
    add_up_to(static_cast<size_t>(mark.at));
    removal.add_mark(mark.parts.front());
  }
  add_up_to(text.text.size());
  MarkedText marked = removal.finish();
  if (has_references) {
    for (const auto& [character, reference] : basic_spellings())
      if (plain.find(character) == plain.npos) add_spelling(character, reference, spellings);
  }
  marked.spellings = std::move(spellings);
  return marked;
}

MarkedText take_out_markup(std::string_view text, const FindKept& find) {
  return take_out_markup(MarkedText{.text = std::string(text), .marks = {}}, find);
}

MarkedText take_out_markup(const MarkedText& text, KeptKinds kinds) {
  return take_out_markup(text, [&](std::string_view part) { return kept_in(part, kinds); });
}

MarkedText take_out_markup(std::string_view text, KeptKinds kinds) {
  return take_out_markup(MarkedText{.text = std::string(text), .marks = {}}, kinds);
}

std::vector<MarkedPart> place_markup(const MarkedText& source,
                                     std::span<const TextSpan> source_tokens,
                                     const TokenizedText& target,
                                     std::span<const float> attention) {
  if (source.marks.empty()) return {{std::string(target.text)}};
  const int32_t read = source_tokens.empty() ? 0 : std::max(source_tokens.back().end, 0);
  const Segments target_parts(target.text);
  return placed_up_to(read, source, target_parts, [&](const Segments& parts) {
    return part_attention({parts.text, source_tokens}, parts.spans, target, target_parts.spans,
                          attention);
  });
}

std::vector<MarkedPart> place_markup(const MarkedText& source, std::string_view target) {
  constexpr size_t kMostWeights = size_t{1} << 24U;  // 64 MiB
  if (source.marks.empty()) return {{std::string(target)}};
  const Segments source_parts(source.text), target_parts(target);
  const int32_t bytes = bytes_within(kMostWeights, source_parts, target_parts);
  return placed_up_to(bytes, source, target_parts, [&](const Segments& parts) {
    return diagonal(target_parts.spans.size(), parts.spans.size());
  });
}

std::string join(std::span<const MarkedPart> parts, const Spellings& spellings) {
  std::string text;
  for (const MarkedPart& part : parts)
    text += part.is_markup ? part.text : respelled(part.text, spellings);
  return text;
}

}  // namespace dietmt::nmt
