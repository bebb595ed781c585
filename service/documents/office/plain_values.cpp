#include "service/documents/office/plain_values.h"

#include "service/documents/xml_tree.h"

namespace dietmt::service {
void PlainValues::add_at(xmlNode* element, std::span<const ValuePlace> places) {
  const std::string_view name = element_name(element);
  for (const ValuePlace& place : places) {
    if (name != place.element || !is_in_space(element, place.space)) continue;
    if (!place.parent.empty() && element_name(element->parent) != place.parent) continue;
    if (place.attribute.empty())
      add(element);
    else if (xmlAttr* const found = attribute_node(element, std::string(place.attribute).c_str()))
      add(reinterpret_cast<xmlNode*>(found));
  }
}

void PlainValues::fill(const std::vector<Translation>& translations) const {
  for (const auto& [value, place] : values_)
    set_content(value, place.before + plain_text(translations.at(place.segment)) + place.after);
}

void PlainValues::add(xmlNode* value) {
  auto place = segments_.add({content_of(value), {}, {}});
  if (place) values_.emplace_back(value, *std::move(place));
}

}  // namespace dietmt::service
