#include "service/documents/pages/document_parts.h"

namespace dietmt::service {

void DocumentParts::add_part(std::unique_ptr<Document> part) {
  const std::vector<nmt::MarkedText>& segments = part->segments();
  segments_.insert(segments_.end(), segments.begin(), segments.end());
  const size_t count = segments.size();
  parts_.emplace_back(std::move(part), count);
}

std::vector<std::string> DocumentParts::translated_parts(
    const std::vector<Translation>& translations) {
  std::vector<std::string> all;
  auto next = translations.begin();
  for (const auto& [part, count] : parts_) {
    const auto end = next + static_cast<std::ptrdiff_t>(count);
    all.push_back(part->translated({next, end}));
    refused_ += part->refused();
    next = end;
  }
  return all;
}

}  // namespace dietmt::service
