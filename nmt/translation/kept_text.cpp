#include "nmt/translation/kept_text.h"

#include <utility>

namespace dietmt::nmt {

void keep_text(const LineCoder& coder, std::span<const TranslatedPair> lines,
               const SearchOptions& search, const SecondSearch& again) {
  std::vector<LineRequest> repeated;
  std::vector<std::vector<LineResult>*> places;
  std::vector<TranslationRequest> requests;
  for (const auto& [line, translations] : lines) {
    if (!coder.has_lost_text(*line, translations->front())) continue;
    LineRequest& other = repeated.emplace_back(coder.without_kept_text(*line));
    places.push_back(translations);
    if (other.has_text) requests.push_back(std::move(other.request));
  }
  SearchOptions aligned = search;
  aligned.alignment = coder.aligns();
  const std::vector<NBest> found =
      requests.empty() ? std::vector<NBest>() : again(requests, aligned);
  if (found.size() != requests.size()) return;
  size_t next = 0;
  for (size_t i = 0; i < repeated.size(); ++i) {
    const NBest none;
    const NBest& translations = repeated[i].has_text ? found[next++] : none;
    if (repeated[i].has_text && translations.empty()) continue;
    *places[i] = coder.finish(repeated[i], translations);
  }
}

}  // namespace dietmt::nmt
