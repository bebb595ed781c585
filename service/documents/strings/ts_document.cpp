// Qt's catalogues: messages without a translation get one, which stays "unfinished".
#include <algorithm>

#include "common/error.h"
#include "service/documents/language_marks.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/xml_strings.h"

namespace dietmt::service {
namespace {

class TsDocument final : public XmlStrings {
 public:
  TsDocument(std::string_view bytes, const DocumentOptions& options, const DocumentLimits& limits)
      : XmlStrings(bytes, options, limits, "TS", "a catalogue of Qt"),
        forms_(plural_forms(options.target).count) {
    declare(options);
    for (const XmlElement& element : elements())
      if (element.name == "message") add_message(element);
    finish();
  }

 private:
  // Refuses catalogues for another language pair. Those in the source language are templates, whose
  // translations are only the source's plural forms.
  void declare(const DocumentOptions& options) {
    const XmlElement& root = elements().front();
    const auto check = [&](const char* name, const std::string& wanted) {
      const std::string code = xml_attribute(root, name);
      if (code.empty() || wanted == "auto" || is_same_language(code, wanted)) return;
      fail(root.begin,
           std::string(name) + " is '" + code + "', but the request has '" + wanted + "'");
    };
    check("sourcelanguage", options.source);
    const std::string language = xml_attribute(root, "language");
    is_template_ = !language.empty() && is_same_language(language, options.source);
    if (is_template_) {
      const size_t name = root.tag.find(" language=");
      const size_t at = root.tag.find(language, name);
      if (name != root.tag.npos && at != root.tag.npos)
        replace(root.begin + at, root.begin + at + language.size(), options.target);
      return;
    }
    check("language", options.target);
    if (!language.empty()) return;
    const size_t name_end = root.begin + root.tag.find_first_of(" \t\r\n/>");
    replace(name_end, name_end, " language=\"" + options.target + "\"");
  }

  void add_message(const XmlElement& message) {
    const XmlElement* const source = child_of(message, "source");
    const XmlElement* const translation = child_of(message, "translation");
    if (source == nullptr || translation == nullptr || !is_open(*translation)) return;
    const auto add = [&](size_t at) {
      add_value(at, at, xml_content(text(), *source),
                [](const std::string& value) { return xml_encoded(value, false); });
    };
    const bool is_empty_tag = translation->tag.ends_with("/>");
    if (is_template_ && xml_attribute(*translation, "type").empty()) {
      const size_t name_end = translation->begin + std::string_view("<translation").size();
      replace(name_end, name_end, " type=\"unfinished\"");
    }
    const size_t end = translation->content_end;
    if (is_empty_tag)
      replace(end - 2, end, ">");
    else
      replace(translation->content, end, "");
    if (xml_attribute(message, "numerus") == "yes")
      add_numerus_forms(*translation, end, add);
    else
      add(end);
    if (is_empty_tag) replace(end, end, "</translation>");
  }

  // Whether there is no translation yet, nor one that is no longer used.
  bool is_open(const XmlElement& translation) const {
    const std::string type = xml_attribute(translation, "type");
    if (!type.empty() && type != "unfinished") return false;
    return is_template_ ||
           xml_content(text(), translation).text.find_first_not_of(" \t\r\n") == std::string::npos;
  }

  template <typename Add>
  void add_numerus_forms(const XmlElement& translation, size_t end, const Add& add) {
    const XmlElement* const first = child_of(translation, "numerusform");
    const auto space = [&](size_t from, size_t to) { return text().substr(from, to - from); };
    const std::string before = first == nullptr ? "" : space(translation.content, first->begin);
    const size_t last = text().rfind('>', end - 1) + 1;
    const std::string after = first == nullptr ? "" : space(last, end);
    for (size_t i = 0; i < forms_; ++i) {
      replace(end, end, before + "<numerusform>");
      add(end);
      replace(end, end, "</numerusform>");
    }
    replace(end, end, after);
  }

  size_t forms_;
  bool is_template_ = false;
};

}  // namespace

std::unique_ptr<Document> open_ts(std::string_view bytes, const DocumentOptions& options,
                                  const DocumentLimits& limits) {
  return std::make_unique<TsDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
