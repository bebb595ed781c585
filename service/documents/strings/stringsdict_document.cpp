// Apple's .stringsdict: property lists of messages with plural forms.
#include <algorithm>

#include "service/documents/plural_categories.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/xml_strings.h"

namespace dietmt::service {
namespace {

class StringsdictDocument final : public XmlStrings {
 public:
  StringsdictDocument(std::string_view bytes, const DocumentOptions& options,
                      const DocumentLimits& limits)
      : XmlStrings(bytes, options, limits, "plist", "a property list") {
    categories_ = plural_categories(options.target);
    // Apple uses "zero" for 0 in every language.
    if (std::ranges::find(categories_, "zero") == categories_.end())
      categories_.emplace_back("zero");
    for (const XmlElement& element : elements())
      if (element.name == "dict") add_dictionary(element);
    finish();
  }

 private:
  // Its forms, or its format. Keys and values alternate.
  void add_dictionary(const XmlElement& dictionary) {
    std::vector<PluralElement> forms;
    const XmlElement* key = nullptr;
    for (const XmlElement* const one : children_of(dictionary)) {
      if (one->name == "key") {
        key = one;
      } else if (key != nullptr && one->name == "string") {
        const std::string name = text().substr(key->content, key->content_end - key->content);
        if (is_plural_category(name))
          forms.push_back({name, key->begin, key->content, *one});
        else if (name == "NSStringLocalizedFormatKey")
          add(*one, one->content, one->content_end);
      }
    }
    std::vector<std::string> wanted = categories_;
    const bool has_zero = std::ranges::find(forms, "zero", &PluralElement::category) != forms.end();
    if (!has_zero && wanted.back() == "zero") wanted.pop_back();
    add_forms(forms, wanted, [this](const XmlElement& element, size_t begin, size_t end) {
      add(element, begin, end);
    });
  }

  // Variables of the format, such as %#@files@, are marks.
  void add(const XmlElement& element, size_t begin, size_t end) {
    const nmt::MarkedText content = xml_content(text(), element);
    nmt::MarkedText value;
    std::string_view rest = content.text;
    while (content.marks.empty()) {
      const size_t at = rest.find("%#@");
      const size_t close = at == rest.npos ? rest.npos : rest.find('@', at + 3);
      if (close == rest.npos) break;
      value.text += rest.substr(0, at);
      add_mark(std::string(rest.substr(at, close + 1 - at)), value);
      rest.remove_prefix(close + 1);
    }
    value.text += rest;
    add_value(begin, end, content.marks.empty() ? value : content,
              [](const std::string& text) { return xml_encoded(text, false); });
  }

  std::vector<std::string> categories_;
};

}  // namespace

std::unique_ptr<Document> open_stringsdict(std::string_view bytes, const DocumentOptions& options,
                                           const DocumentLimits& limits) {
  return std::make_unique<StringsdictDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
