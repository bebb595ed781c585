#include "service/documents/placeholders.h"

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/placeholders.h"

namespace dietmt::service {
namespace {

using nmt::placeholders_in;

bool has_same_placeholders(const std::string& one, const std::string& other) {
  auto left = placeholders_in(one), right = placeholders_in(other);
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  return left == right;
}

// Marks, tags, and other forms whose order matters or that a model would translate.
bool needs_places(const nmt::MarkedText& segment) {
  if (!segment.marks.empty()) return true;
  return std::ranges::any_of(placeholders_in(segment.text), [](std::string_view mark) {
    return mark.starts_with('<') || nmt::is_choice(mark) ||
           nmt::syntax_of(mark).kind != nmt::InlineMark::Kind::kPoint;
  });
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

std::vector<Translation> translate_keeping_placeholders(
    const std::vector<nmt::MarkedText>& segments, const TranslateTexts& translate,
    const TranslateTexts& translate_marked) {
  std::vector<bool> skipped(segments.size());
  for (size_t i = 0; i < segments.size(); ++i) skipped[i] = needs_places(segments[i]);
  std::vector<Translation> translations(segments.size());
  fill(translate, segments, skipped, translations);
  for (size_t i = 0; i < segments.size(); ++i)
    skipped[i] =
        !skipped[i] && has_same_placeholders(segments[i].text, plain_text(translations[i]));
  fill(translate_marked, segments, skipped, translations);
  return translations;
}

}  // namespace dietmt::service
