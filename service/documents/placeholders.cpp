#include "service/documents/placeholders.h"

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "nmt/alignment/mark_syntax.h"
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

// Tags, and other forms whose order matters or that a model would translate.
bool needs_places(const std::string& text) {
  return std::ranges::any_of(placeholders_in(text), [](std::string_view mark) {
    return mark.starts_with('<') || nmt::is_choice(mark) ||
           nmt::syntax_of(mark).kind != nmt::InlineMark::Kind::kPoint;
  });
}

std::vector<std::string> checked(const TranslateTexts& translate,
                                 const std::vector<std::string>& texts) {
  std::vector<std::string> translations;
  if (!texts.empty()) translations = translate(texts);
  if (translations.size() != texts.size())
    throw Error("the translator returned " + std::to_string(translations.size()) + " texts for " +
                std::to_string(texts.size()));
  return translations;
}

}  // namespace

std::vector<std::string> translate_keeping_placeholders(const std::vector<std::string>& segments,
                                                        const TranslateTexts& translate,
                                                        const TranslateTexts& translate_marked) {
  std::vector<std::string> plain;
  std::vector<size_t> places;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (needs_places(segments[i])) continue;
    plain.push_back(segments[i]);
    places.push_back(i);
  }
  const std::vector<std::string> found = checked(translate, plain);
  std::vector<std::string> translations(segments.size());
  std::vector<bool> keeps(segments.size());
  for (size_t p = 0; p < places.size(); ++p) {
    keeps[places[p]] = has_same_placeholders(plain[p], found[p]);
    translations[places[p]] = found[p];
  }
  std::vector<size_t> marked;
  std::vector<std::string> texts;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (keeps[i]) continue;
    marked.push_back(i);
    texts.push_back(segments[i]);
  }
  std::vector<std::string> again = checked(translate_marked, texts);
  for (size_t m = 0; m < marked.size(); ++m) translations[marked[m]] = std::move(again[m]);
  return translations;
}

}  // namespace dietmt::service
