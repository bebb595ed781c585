#include "service/documents/markup_document.h"

#include <utility>

#include "service/documents/html_tags.h"
#include "service/documents/markup.h"

namespace dietmt::service {

namespace {

// Whether a link begins where another one ends: these are items of a menu, not words of a sentence.
bool follows_link(const MarkupPart& part, const MarkupDocument::Run& run) {
  constexpr std::string_view kEnd = "</a>";
  return element_of(part.raw) == "a" && !closes_element(part.raw) && !run.pieces.empty() &&
         run.pieces.back().tag && html_lower_case(run.pieces.back().tag->markup) == kEnd;
}

}  // namespace

std::string MarkupDocument::translated(const std::vector<Translation>& translations) {
  translations_ = &translations;
  return PlacesDocument::translated(translations);
}

void MarkupDocument::add_html(std::string_view html) {
  const auto join = [](const Run& run, const Translation& translation) {
    return std::optional(nmt::join(translation, run.spellings));
  };
  Run run;
  const auto flush = [&] {
    nmt::Spellings spellings = nmt::basic_spellings();
    spellings.insert(spellings.end(), run.spellings.begin(), run.spellings.end());
    run.spellings = std::move(spellings);
    run.join = join;
    add_run(std::exchange(run, {}));
  };
  for (const MarkupPart& part : split_markup(html, languages_)) {
    if (part.is_text) {
      run.pieces.push_back(
          {.raw = std::string(part.raw), .text = resolve_references(part.raw, run.spellings)});
    } else if (part.is_inline) {
      if (follows_link(part, run)) flush();
      run.pieces.push_back({.tag = html_tag(part, languages_)});
    } else {
      flush();
      add_tag(html_tag(part, languages_));
      continue;
    }
    run.keeps_lines = part.keeps_lines;
  }
  flush();
}

void MarkupDocument::add_run(Run run) {
  nmt::MarkedText text;
  for (const Piece& piece : run.pieces) {
    if (piece.tag)
      add_mark(piece.mark.empty() ? piece.tag->markup : piece.mark, text);
    else
      text.text += piece.text;
  }
  if (!add(std::move(text))) {
    for (const Piece& piece : run.pieces) {
      if (piece.tag && piece.if_same.empty())
        add_tag(*piece.tag);
      else
        keep(piece.tag ? piece.if_same : piece.raw);
    }
    return;
  }
  if (!run.keeps_lines) segments_.back() = join_lines(segments_.back());
  const size_t segment = contents_.size();
  contents_.emplace_back();
  for (Piece& piece : run.pieces)
    if (piece.tag) piece.values = add_values(*piece.tag);
  contents_[segment].run = std::move(run);
}

std::vector<std::optional<SegmentPlace>> MarkupDocument::add_values(const TextTag& tag) {
  std::vector<std::optional<SegmentPlace>> places;
  for (const TextTag::Value& value : tag.values) {
    places.push_back(add_segment({.text = value.text, .marks = {}}, segments_));
    if (!places.back()) continue;
    contents_.push_back({{}, Value{tag.markup.substr(value.begin, value.size), value.encode}});
  }
  return places;
}

void MarkupDocument::add_tag(TextTag tag) {
  size_t at = 0;
  for (const TextTag::Value& value : tag.values) {
    keep(std::string_view(tag.markup).substr(at, value.begin - at));
    at = value.begin;
    if (!add({.text = value.text, .marks = {}})) continue;
    at += value.size;
    contents_.push_back({{}, Value{tag.markup.substr(value.begin, value.size), value.encode}});
  }
  keep(std::string_view(tag.markup).substr(at));
}

std::string MarkupDocument::written(const SegmentPlace& place, const Translation& translation) {
  const nmt::MarkedText& segment = segments_[place.segment];
  const auto& [run, value] = contents_.at(place.segment);
  const bool is_same = says_the_same(translation, in_source_order(segment));
  if (value)
    return is_same ? value->raw
                   : value->encode(place.before + plain_text(translation) + place.after);
  std::vector<std::string> tags;
  std::string same;
  for (const Piece& piece : run.pieces) {
    if (piece.tag) tags.push_back(written_tag(piece));
    same += !piece.tag ? piece.raw : piece.if_same.empty() ? tags.back() : piece.if_same;
  }
  if (is_same) return same;
  Translation parts = has_all_marks(translation, segment)
                          ? translation
                          : nmt::place_markup(nmt::take_out_markup(segment, nmt::KeptKinds()),
                                              plain_text(translation));
  for (nmt::MarkedPart& part : parts) {
    part.is_markup = part.mark >= 0;
    if (part.is_markup) part.text = tags.at(static_cast<size_t>(part.mark));
  }
  parts.insert(parts.begin(), {place.before});
  parts.push_back({place.after});
  std::optional<std::string> joined = run.join(run, parts);
  if (!joined) ++refused_;
  return joined ? *std::move(joined) : same;
}

std::string MarkupDocument::written_tag(const Piece& piece) {
  std::vector<std::optional<std::string>> values;
  for (const std::optional<SegmentPlace>& place : piece.values)
    values.push_back(place ? std::optional(written(*place, translations_->at(place->segment)))
                           : std::nullopt);
  return with_values(*piece.tag, values);
}

}  // namespace dietmt::service
