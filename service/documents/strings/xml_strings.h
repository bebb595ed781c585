// Catalogues in XML: values are the contents of elements, and plural forms become those of the
// target language.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/documents/values_document.h"
#include "service/documents/xml_elements.h"

namespace dietmt::service {

class XmlStrings : public ValuesDocument {
 protected:
  /// Throws DataError for another root.
  XmlStrings(std::string_view bytes, const DocumentOptions& options, const DocumentLimits& limits,
             std::string_view root, const std::string& what);

  const std::vector<XmlElement>& elements() const { return elements_; }
  /// The element around it; it must have one.
  const XmlElement& parent_of(const XmlElement& element) const;
  std::vector<const XmlElement*> children_of(const XmlElement& parent) const;
  /// The first child with this name; null without one.
  const XmlElement* child_of(const XmlElement& parent, std::string_view name) const;

  /// A PluralForm whose value is an element.
  struct PluralElement {
    std::string category;
    size_t begin = 0;
    size_t category_at = 0;
    XmlElement value;
  };
  /// Each form of a message, in order, is kept if its category is among the wanted ones, and
  /// removed otherwise. Missing ones are copies of the last form with the text of "other". `add`
  /// adds the text of an element as a value at the given bytes.
  void add_forms(const std::vector<PluralElement>& elements, const std::vector<std::string>& wanted,
                 const std::function<void(const XmlElement& value, size_t begin, size_t end)>& add);

 private:
  std::vector<XmlElement> elements_;
};

}  // namespace dietmt::service
