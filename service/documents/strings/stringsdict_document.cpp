// Apple's .stringsdict: property lists of messages with plural forms.
#include <algorithm>
#include <array>
#include <set>

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
      if (element.name == "dict") add_dictionary(element, variants_.contains(element.begin));
    finish();
  }

 private:
  // Its forms, or its format. Keys and values alternate.
  void add_dictionary(const XmlElement& dictionary, bool is_variants) {
    std::vector<PluralElement> forms;
    const XmlElement* key = nullptr;
    for (const XmlElement* const one : children_of(dictionary)) {
      if (one->name == "key") {
        key = one;
      } else if (key != nullptr && one->name == "dict") {
        if (std::ranges::find(kVariants, name_of(*key)) != kVariants.end())
          variants_.insert(one->begin);
      } else if (key != nullptr && one->name == "string") {
        const std::string_view name = name_of(*key);
        if (is_variants)
          add(*one, one->content, one->content_end);
        else if (is_plural_category(name))
          forms.push_back({std::string(name), key->begin, key->content, *one});
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

  std::string_view name_of(const XmlElement& key) const {
    return std::string_view(text()).substr(key.content, key.content_end - key.content);
  }

  void add(const XmlElement& element, size_t begin, size_t end) {
    add_value(begin, end, xml_content(text(), element),
              [](const std::string& text) { return xml_encoded(text, false); });
  }

  // Their keys are widths and devices.
  static constexpr std::array<std::string_view, 2> kVariants = {"NSStringVariableWidthRuleType",
                                                                "NSStringDeviceSpecificRuleType"};

  std::vector<std::string> categories_;
  std::set<size_t> variants_;  // where their dictionaries begin
};

}  // namespace

std::unique_ptr<Document> open_stringsdict(std::string_view bytes, const DocumentOptions& options,
                                           const DocumentLimits& limits) {
  return std::make_unique<StringsdictDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
