#include "service/documents/office/plain_values.h"

#include "data/text/word_text.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
bool PlainValues::add_at(xmlNode* element, std::span<const ValuePlace> places) {
  const std::string_view name = element_name(element);
  bool is_taken = false;
  for (const ValuePlace& place : places) {
    if (name != place.element || !is_in_space(element, place.space)) continue;
    if (!place.parent.empty() && element_name(element->parent) != place.parent) continue;
    if (place.attribute.empty()) {
      if (!has_elements(element)) add({element, place.most_characters});
      is_taken = !has_elements(element);
    } else if (xmlAttr* const found =
                   attribute_node(element, std::string(place.attribute).c_str())) {
      add({reinterpret_cast<xmlNode*>(found), place.most_characters});
    }
  }
  return is_taken;
}

std::vector<std::string> PlainValues::filled(const std::vector<Translation>& translations) const {
  std::vector<std::string> texts;
  for (const SegmentPlace& place : places_)
    texts.push_back(place.before + plain_text(translations.at(place.segment)) + place.after);
  return texts;
}

size_t PlainValues::fill(const std::vector<Translation>& translations) const {
  const std::vector<std::string> texts = filled(translations);
  size_t refused = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t limit = values_[i].most_characters;
    const bool fits = limit == 0 || data::characters_of(texts[i]).size() <= limit;
    if (fits) set_content(values_[i].node, texts[i]);
    refused += fits ? 0 : 1;
  }
  return refused;
}

void PlainValues::add(Value value) {
  auto place = segments_.add({content_of(value.node), {}, {}});
  if (!place) return;
  values_.push_back(value);
  places_.push_back(*std::move(place));
}

}  // namespace dietmt::service
