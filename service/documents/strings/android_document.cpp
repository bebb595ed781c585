// Android's string resources: strings, string arrays and plurals, as aapt reads them.
#include <algorithm>

#include "common/trimmed.h"
#include "service/documents/plural_categories.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/utf16_escapes.h"
#include "service/documents/strings/xml_strings.h"

namespace dietmt::service {
namespace {

// <xliff:g>, whose content is not translated.
bool is_android_code(const XmlElement& element) { return element.name == "g"; }

class AndroidDocument final : public XmlStrings {
 public:
  AndroidDocument(std::string_view bytes, const DocumentOptions& options,
                  const DocumentLimits& limits)
      : XmlStrings(bytes, options, limits, "resources", "a file of Android resources") {
    const std::vector<std::string> categories = plural_categories(options.target);
    const auto add = [this](const XmlElement& element, size_t begin, size_t end) {
      add_string(element, begin, end);
    };
    for (const XmlElement& element : elements()) {
      if (!translates(element)) continue;
      if (is_string(element)) add(element, element.content, element.content_end);
      if (element.name == "item" && parent_of(element).name == "string-array" &&
          translates(parent_of(element)))
        add(element, element.content, element.content_end);
      if (element.name == "plurals") add_forms(forms_of(element), categories, add);
    }
    finish();
  }

 private:
  static bool translates(const XmlElement& element) {
    return xml_attribute(element, "translatable") != "false";
  }

  // <string>, or <item type="string">
  static bool is_string(const XmlElement& element) {
    return element.name == "string" ||
           (element.name == "item" && xml_attribute(element, "type") == "string");
  }

  std::vector<PluralElement> forms_of(const XmlElement& plurals) const {
    std::vector<PluralElement> forms;
    for (const XmlElement* const item : children_of(plurals)) {
      const std::string category = xml_attribute(*item, "quantity");
      const size_t at = item->tag.find(category, item->tag.find("quantity"));
      if (!category.empty() && at != item->tag.npos)
        forms.push_back({category, item->begin, item->begin + at, *item});
    }
    return forms;
  }

  void add_string(const XmlElement& element, size_t begin, size_t end) {
    nmt::MarkedText content = xml_content(text(), element, is_android_code);
    const std::string_view trimmed_text = trimmed(content.text, " \t\r\n");
    const bool is_quoted = content.marks.empty() && trimmed_text.size() > 1 &&
                           trimmed_text.starts_with('"') && trimmed_text.ends_with('"') &&
                           !trimmed_text.ends_with("\\\"");
    if (trimmed_text.starts_with('@') || trimmed_text.starts_with('?')) return;  // a reference
    if (is_quoted)
      content.text = std::string(trimmed_text.substr(1, trimmed_text.size() - 2));
    else
      content = join_lines(content);
    add_value(begin, end, unescaped(content),
              [is_quoted, cdata = is_cdata(text(), element)](const std::string& value) {
                const std::string raw = escaped(value, is_quoted);
                return xml_encoded(is_quoted ? "\"" + raw + "\"" : raw, cdata);
              });
  }

  static nmt::MarkedText unescaped(const nmt::MarkedText& raw) {
    nmt::MarkedText value{.text = {}, .marks = raw.marks};
    size_t at = 0;
    const auto add_up_to = [&](size_t end) {
      for (; at < end; ++at) {
        if (raw.text[at] != '\\' || at + 1 == end) {
          if (raw.text[at] != '"') value.text += raw.text[at];
          continue;
        }
        const char c = raw.text[++at];
        const std::string_view rest = std::string_view(raw.text).substr(0, end).substr(at + 1);
        if (c == 'u')
          at += append_utf16_escape(rest, value.text).value_or(0);
        else
          value.text += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
    };
    for (nmt::InlineMark& mark : value.marks) {
      add_up_to(static_cast<size_t>(mark.at));
      mark.at = static_cast<int32_t>(value.text.size());
    }
    add_up_to(raw.text.size());
    return value;
  }

  static std::string escaped(const std::string& value, bool is_quoted) {
    std::string raw;
    for (const char c : value) {
      if (c == '\n' || c == '\t')
        raw += c == '\n' ? "\\n" : "\\t";
      else if (c == '\\' || c == '"' || (c == '\'' && !is_quoted) ||
               ((c == '@' || c == '?') && raw.empty()))
        raw += std::string{'\\', c};
      else
        raw += c;
    }
    return raw;
  }
};

}  // namespace

std::unique_ptr<Document> open_android(std::string_view bytes, const DocumentOptions& options,
                                       const DocumentLimits& limits) {
  return std::make_unique<AndroidDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
