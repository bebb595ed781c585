// .NET resources: <data> without a type or with that of strings, as ResXResourceReader reads them.
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/xml_strings.h"

namespace dietmt::service {
namespace {

class ResxDocument final : public XmlStrings {
 public:
  ResxDocument(std::string_view bytes, const DocumentOptions& options, const DocumentLimits& limits)
      : XmlStrings(bytes, options, limits, "root", "a file of .NET resources") {
    for (const XmlElement& data : elements()) {
      const XmlElement* const value = data.name == "data" ? child_of(data, "value") : nullptr;
      if (value == nullptr || !translates(data)) continue;
      add_value(value->content, value->content_end, xml_content(text(), *value),
                [cdata = is_cdata(text(), *value)](const std::string& translation) {
                  return xml_encoded(translation, cdata);
                });
    }
    finish();
  }

 private:
  // Other types are pictures and numbers; the designer's names start with >>.
  bool translates(const XmlElement& data) const {
    const XmlElement* const comment = child_of(data, "comment");
    const bool is_locked =
        comment != nullptr &&
        text().substr(comment->content, comment->content_end - comment->content).find("{Locked}") !=
            std::string::npos;
    const std::string type = xml_attribute(data, "type");
    return !is_locked && (type.empty() || type.starts_with("System.String,")) &&
           xml_attribute(data, "mimetype").empty() &&
           !xml_attribute(data, "name").starts_with(">>");
  }
};

}  // namespace

std::unique_ptr<Document> open_resx(std::string_view bytes, const DocumentOptions& options,
                                    const DocumentLimits& limits) {
  return std::make_unique<ResxDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
