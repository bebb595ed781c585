#include "service/documents/strings/xml_strings.h"

#include <algorithm>

#include "common/error.h"
#include "service/documents/document_bytes.h"
#include "service/documents/html_charset.h"

namespace dietmt::service {

XmlStrings::XmlStrings(std::string_view bytes, const DocumentOptions& options,
                       const DocumentLimits& limits, std::string_view root, const std::string& what)
    : ValuesDocument(bytes, LanguagePair{options.source, options.target}),
      elements_(xml_elements(text(), limits)) {
  if (elements_.empty() || elements_.front().name != root)
    throw DataError("the file is not " + what + ": its root is not <" + std::string(root) + ">");
  if (is_utf16(bytes) || !text().starts_with("<?xml")) return;
  const size_t end = text().find("?>");
  replace(0, end, declaring_utf8(text().substr(0, end)));
}

const XmlElement& XmlStrings::parent_of(const XmlElement& element) const {
  return elements_.at(static_cast<size_t>(element.parent));
}

std::vector<const XmlElement*> XmlStrings::children_of(const XmlElement& parent) const {
  std::vector<const XmlElement*> children;
  const auto index = static_cast<size_t>(&parent - elements_.data());
  for (size_t i = index + 1; i < parent.next; i = elements_[i].next)
    children.push_back(&elements_[i]);
  return children;
}

const XmlElement* XmlStrings::child_of(const XmlElement& parent, std::string_view name) const {
  for (const XmlElement* child : children_of(parent))
    if (child->name == name) return child;
  return nullptr;
}

void XmlStrings::add_forms(
    const std::vector<PluralElement>& elements, const std::vector<std::string>& wanted,
    const std::function<void(const XmlElement& value, size_t begin, size_t end)>& add) {
  if (elements.empty()) return;
  std::vector<PluralForm> forms;
  for (const auto& [category, begin, category_at, value] : elements)
    forms.push_back({category, begin, category_at, value.content, value.content_end, value.end});
  const size_t gap_begin = text().find_last_not_of(" \t\r\n", forms.front().begin - 1) + 1;
  const std::string gap = text().substr(gap_begin, forms.front().begin - gap_begin);
  size_t last_end = gap_begin;
  const size_t model = model_of(forms);
  for (size_t i = 0; i < forms.size(); ++i) {
    if (std::ranges::find(wanted, forms[i].category) != wanted.end() || i == model)
      add(elements[i].value, forms[i].value, forms[i].value_end);
    else
      replace(last_end, forms[i].end, "");
    last_end = forms[i].end;
  }
  add_missing_forms(forms, wanted, gap, last_end,
                    [&](size_t form) { add(elements[form].value, last_end, last_end); });
}

}  // namespace dietmt::service
