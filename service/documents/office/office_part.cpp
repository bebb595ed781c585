#include "service/documents/office/office_part.h"

namespace dietmt::service {
namespace {

void unwrap(xmlNode* unit) {
  while (unit->children != nullptr) {
    xmlNode* const child = unit->children;
    xmlUnlinkNode(child);
    xmlAddPrevSibling(unit, child);
  }
  discard(unit);
}

}  // namespace

bool has_text(const OfficePart& part) {
  return !part.texts.empty() || !part.values.empty() || !part.codes.empty();
}

size_t fill(const OfficePart& part, const std::vector<Translation>& translations) {
  // Before runs are replaced by copies: a value may be in their formatting.
  const size_t refused = part.values.fill(translations) + part.codes.fill(translations);
  part.texts.fill(translations);
  for (xmlNode* const unit : part.units) unwrap(unit);
  return refused;
}

}  // namespace dietmt::service
