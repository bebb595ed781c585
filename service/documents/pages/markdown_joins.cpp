#include "service/documents/pages/markdown_joins.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/ascii.h"
#include "service/documents/pages/markdown_reader.h"
#include "service/documents/pages/markdown_writer.h"

namespace dietmt::service {
namespace {

using Piece = MarkupDocument::Piece;
using Run = MarkupDocument::Run;

bool is_emphasis(std::string_view markup) {
  return !markup.empty() && markup.find_first_not_of("*_~") == markup.npos;
}

// Emphasis between letters or next to other emphasis needs a space around it.
Translation spaced(const Run& run, const Translation& translation) {
  std::vector<bool> closes;  // by mark
  for (const Piece& piece : run.pieces)
    if (piece.tag) closes.push_back(piece.mark.starts_with("</"));
  Translation made;
  for (const nmt::MarkedPart& part : translation) {
    if (part.text.empty()) continue;
    const bool is_mark = part.mark >= 0 && is_emphasis(part.text);
    const bool is_start = is_mark && !closes.at(static_cast<size_t>(part.mark));
    const bool follows_end = !made.empty() && made.back().mark >= 0 &&
                             is_emphasis(made.back().text) &&
                             closes.at(static_cast<size_t>(made.back().mark));
    if (!made.empty() && made.back().text.back() != ' ' && part.text.front() != ' ' &&
        (follows_end != is_start || (follows_end && is_start)) && !(is_mark && !is_start))
      made.push_back({" "});
    made.push_back(part);
  }
  return made;
}

// The mark of a footnote that followed a word follows one in the translation.
Translation with_attached_notes(const Run& run, Translation translation) {
  std::vector<bool> is_attached;  // by mark
  for (size_t i = 0; i < run.pieces.size(); ++i)
    if (run.pieces[i].tag)
      is_attached.push_back(run.pieces[i].mark.starts_with("[^") && i > 0 &&
                            !run.pieces[i - 1].raw.ends_with(' '));
  for (size_t i = 1; i < translation.size(); ++i) {
    const int32_t mark = translation[i].mark;
    std::string& before = translation[i - 1].text;
    if (mark < 0 || !is_attached.at(static_cast<size_t>(mark)) || translation[i - 1].is_markup)
      continue;
    before.erase(before.find_last_not_of(' ') + 1);
    if (i + 1 < translation.size() && is_ascii_word(translation[i + 1].text[0]))
      translation[i + 1].text.insert(0, " ");
  }
  return translation;
}

struct Written {
  std::string text;
  std::string is_markup;  // of each byte
};

Written with_markup(const Run& run, const Translation& translation, MarkdownPlace place) {
  Written written;
  for (size_t i = 0; i < translation.size(); ++i) {
    const nmt::MarkedPart& part = translation[i];
    const auto next =
        std::find_if(translation.begin() + static_cast<std::ptrdiff_t>(i) + 1, translation.end(),
                     [](const auto& one) { return !one.text.empty(); });
    place.after = next == translation.end() ? '\0' : next->text.front();
    if (!written.text.empty()) place.before = written.text.back();
    written.text += part.is_markup ? part.text : markdown_escaped(part.text, run.spellings, place);
    written.is_markup.resize(written.text.size(), static_cast<char>(part.is_markup));
  }
  return written;
}

// A translation that has the spans of its source, and no others.
std::optional<Written> written_text(const Run& run, const Translation& translation,
                                    const MarkdownPlace& place) {
  // Only paragraphs have blocks inside.
  const std::string begin = place.before == '\0' ? "" : "# ";
  std::string source = begin;
  for (const Piece& piece : run.pieces) source += piece.text == "\n" ? " " : piece.raw;
  const std::vector<int> structure = markdown_structure(source);
  for (const Translation& one : {translation, spaced(run, translation)}) {
    Written written = with_markup(run, with_attached_notes(run, one), place);
    if (markdown_structure(begin + written.text) == structure) return written;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> joined_cell(const Run& run, const Translation& translation) {
  auto written = written_text(run, translation, {.is_cell = true});
  return written ? std::optional(std::move(written->text)) : std::nullopt;
}

std::optional<std::string> joined_heading(const Run& run, const Translation& translation) {
  auto written = written_text(run, translation, {});
  return written ? std::optional(std::move(written->text)) : std::nullopt;
}

std::optional<std::string> joined_lines(const Run& run, const Translation& translation) {
  auto written = written_text(run, translation, {.before = '\0'});
  if (!written || run.line_break.empty())
    return written ? std::optional(std::move(written->text)) : std::nullopt;
  return wrapped(written->text, written->is_markup, run.line_break, run.width);
}

}  // namespace dietmt::service
