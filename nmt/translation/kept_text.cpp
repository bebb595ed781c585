#include "nmt/translation/kept_text.h"

#include <algorithm>
#include <utility>

#include "nmt/alignment/mark_syntax.h"
#include "nmt/translation/lost_forms.h"

namespace dietmt::nmt {

namespace {

// A bracket or asterisk without its partner would be text.
bool has_half_of_pair(const std::vector<std::string>& marks) {
  return std::ranges::any_of(marks, [](const std::string& mark) {
    return syntax_of(mark).kind != InlineMark::Kind::kPoint;
  });
}

void restore_forms(const LineCoder& coder, std::span<const TranslatedPair> lines) {
  for (const auto& [line, translations] : lines) {
    if (coder.lost_text(*line, translations->front()).empty()) continue;
    for (LineResult& one : *translations)
      one.text = with_forms_of(line->source, std::move(one.text));
  }
}

// Translates without what was lost, or without all that must be kept.
void translate_again(const LineCoder& coder, std::span<const TranslatedPair> lines,
                     bool without_all, const SearchOptions& search, const SecondSearch& again) {
  std::vector<LineRequest> repeated;
  std::vector<std::vector<LineResult>*> places;
  std::vector<TranslationRequest> requests;
  for (const auto& [line, translations] : lines) {
    std::vector<std::string> lost = coder.lost_text(*line, translations->front());
    if (lost.empty()) continue;
    if (without_all || has_half_of_pair(lost)) lost.clear();
    LineRequest& other = repeated.emplace_back(coder.without_kept_text(*line, lost));
    places.push_back(translations);
    if (other.has_text) requests.push_back(std::move(other.request));
  }
  const std::vector<NBest> found =
      requests.empty() ? std::vector<NBest>() : again(requests, search);
  if (found.size() != requests.size()) return;
  size_t next = 0;
  for (size_t i = 0; i < repeated.size(); ++i) {
    const NBest none;
    const NBest& translations = repeated[i].has_text ? found[next++] : none;
    if (repeated[i].has_text && translations.empty()) continue;
    *places[i] = coder.finish(repeated[i], translations);
  }
}

}  // namespace

void keep_text(const LineCoder& coder, std::span<const TranslatedPair> lines,
               const SearchOptions& search, const SecondSearch& again) {
  if (coder.options().keep.has(Kept::kSymbols)) restore_forms(coder, lines);
  SearchOptions aligned = search;
  aligned.alignment = coder.aligns();
  translate_again(coder, lines, false, aligned, again);
  translate_again(coder, lines, true, aligned, again);
}

}  // namespace dietmt::nmt
