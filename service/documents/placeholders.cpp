#include "service/documents/placeholders.h"

#include <algorithm>

#include "common/error.h"
#include "nmt/alignment/inline_markup.h"
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
  std::vector<std::string> translations = checked(translate, segments);
  std::vector<size_t> broken;
  std::vector<std::string> texts;
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool keeps = has_same_placeholders(segments[i], translations[i]) &&
                       (nmt::tags_nest(translations[i]) || !nmt::tags_nest(segments[i]));
    if (keeps) continue;
    broken.push_back(i);
    texts.push_back(segments[i]);
  }
  std::vector<std::string> again = checked(translate_marked, texts);
  for (size_t b = 0; b < broken.size(); ++b) translations[broken[b]] = std::move(again[b]);
  return translations;
}

}  // namespace dietmt::service
