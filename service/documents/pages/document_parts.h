// Documents that consist of several others.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// The segments of its parts, in order.
class DocumentParts : public Document {
 protected:
  void add_part(std::unique_ptr<Document> part);

  /// Each part with its share of the translations.
  std::vector<std::string> translated_parts(const std::vector<Translation>& translations);

 private:
  std::vector<std::pair<std::unique_ptr<Document>, size_t>> parts_;  // with their segments
};

}  // namespace dietmt::service
