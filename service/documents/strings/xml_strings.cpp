#include "service/documents/strings/xml_strings.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::service {

XmlStrings::XmlStrings(std::string_view bytes, const DocumentLimits& limits, std::string_view root,
                       const std::string& what)
    : ValuesDocument(bytes), elements_(xml_elements(text(), limits)) {
  if (elements_.empty() || elements_.front().name != root)
    throw DataError("the file is not " + what + ": its root is not <" + std::string(root) + ">");
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
    const std::vector<PluralForm>& forms, const std::vector<std::string>& wanted,
    const std::function<void(const XmlElement& value, size_t begin, size_t end)>& add) {
  if (forms.empty()) return;
  const auto form_of = [&](const std::string& category) {
    return std::ranges::find(forms, category, &PluralForm::category);
  };
  const auto other = form_of("other");
  const PluralForm& model = other != forms.end() ? *other : forms.back();
  const size_t gap_begin = text().find_last_not_of(" \t\r\n", forms.front().begin - 1) + 1;
  const std::string gap = text().substr(gap_begin, forms.front().begin - gap_begin);
  size_t last_end = gap_begin;
  for (const PluralForm& form : forms) {
    if (std::ranges::find(wanted, form.category) != wanted.end() || &form == &model)
      add(form.value, form.value.content, form.value.content_end);
    else
      replace(last_end, form.value.end, "");
    last_end = form.value.end;
  }
  const size_t name_end = model.category_at + model.category.size();
  for (const std::string& category : wanted) {
    if (form_of(category) != forms.end()) continue;
    replace(last_end, last_end,
            gap + text().substr(model.begin, model.category_at - model.begin) + category +
                text().substr(name_end, model.value.content - name_end));
    add(model.value, last_end, last_end);
    replace(last_end, last_end,
            text().substr(model.value.content_end, model.value.end - model.value.content_end));
  }
}

}  // namespace dietmt::service
