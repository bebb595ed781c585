#include "service/documents/pages/book_packaging.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/error.h"
#include "common/trimmed.h"
#include "service/documents/document_bytes.h"
#include "service/documents/language_marks.h"
#include "service/documents/values_document.h"
#include "service/documents/xml_elements.h"
#include "service/http/url.h"

namespace dietmt::service {
namespace {

// A reference inside an archive as the name of a part. `folder`: of the file that refers, with its
// slash at the end.
std::string part_name(const std::string& folder, std::string_view reference) {
  const std::string path =
      percent_decoded(reference.substr(0, reference.find('#')), /*plus_is_space=*/false);
  const std::string whole = path.starts_with('/') ? path.substr(1) : folder + path;
  std::vector<std::string> names;
  for (size_t at = 0; at <= whole.size();) {
    const size_t end = std::min(whole.find('/', at), whole.size());
    const std::string name = whole.substr(at, end - at);
    if (name == ".." && !names.empty())
      names.pop_back();
    else if (!name.empty() && name != "." && name != "..")
      names.push_back(name);
    at = end + 1;
  }
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : "/") + name;
  return joined;
}

std::string folder_of(const std::string& name) { return name.substr(0, name.rfind('/') + 1); }

// Some elements are translated, and languages change.
class PackagingDocument final : public ValuesDocument {
 public:
  PackagingDocument(std::string_view bytes, const DocumentOptions& options,
                    const DocumentLimits& limits,
                    bool is_text(const std::vector<XmlElement>& all, const XmlElement& one))
      : ValuesDocument(bytes), target_(xml_language(options.target)) {
    const std::vector<XmlElement> elements = xml_elements(text(), limits);
    for (const XmlElement& one : elements) {
      set_language_of(one, options.source);
      if (one.name == "spine") set_page_order(elements.front(), one, options.source);
      if (is_text(elements, one)) {
        add_value(one.content, one.content_end, xml_content(text(), one),
                  [cdata = is_cdata(text(), one)](const std::string& translation) {
                    return xml_encoded(translation, cdata);
                  });
      } else if (one.name == "language" && one.tag.starts_with("<dc:")) {
        const std::string old = text().substr(one.content, one.content_end - one.content);
        if (!is_same_language(trimmed(old, " \t\r\n"), target_))
          replace(one.content, one.content_end, target_);
      }
    }
    finish();
  }

 private:
  // The root of a file, and elements in the source language.
  void set_language_of(const XmlElement& element, const std::string& source) {
    const std::string declared = xml_attribute(element, "xml:lang");
    if (declared.empty() || is_same_language(declared, target_)) return;
    if (element.parent >= 0 && !is_same_language(declared, source)) return;
    replace_value(element, "xml:lang", declared, target_);
  }

  // In which direction readers turn the pages, unless both languages are written in the same one:
  // some books run against their text. EPUB 2 does not know it.
  void set_page_order(const XmlElement& package, const XmlElement& spine,
                      const std::string& source) {
    const bool is_rightward = is_right_to_left(target_);
    if (is_rightward == is_right_to_left(source) || xml_attribute(package, "version") == "2.0")
      return;
    constexpr std::string_view kName = "page-progression-direction";
    const std::string order = is_rightward ? "rtl" : "ltr";
    const std::string old = xml_attribute(spine, kName);
    if (old.empty()) {
      if (!is_rightward) return;
      const size_t name_end = spine.begin + spine.tag.find_first_of(" \t\r\n/>");
      replace(name_end, name_end, " " + std::string(kName) + "=\"" + order + "\"");
    } else {
      replace_value(spine, kName, old, order);
    }
  }

  // The value of an attribute, unless it is written with references.
  void replace_value(const XmlElement& element, std::string_view name, const std::string& old,
                     const std::string& value) {
    const auto tag =
        std::string_view(text()).substr(element.begin, element.content - element.begin);
    const size_t at = tag.find(old, tag.find(name) + name.size());
    if (at != tag.npos) replace(element.begin + at, element.begin + at + old.size(), value);
  }

  std::string target_;
};

const XmlElement* parent_in(const std::vector<XmlElement>& all, const XmlElement& one) {
  return one.parent < 0 ? nullptr : &all[static_cast<size_t>(one.parent)];
}

}  // namespace

std::string package_name(std::string_view container, const DocumentLimits& limits) {
  for (const XmlElement& one : xml_elements(container, limits))
    if (one.name == "rootfile") return part_name("", xml_attribute(one, "full-path"));
  throw DataError("the book is damaged: META-INF/container.xml names no package document");
}

BookFiles book_files(const std::string& package_name, std::string_view package,
                     const DocumentLimits& limits) {
  const std::string folder = folder_of(package_name);
  BookFiles files;
  std::map<std::string, std::string> chapters, pictures;  // by id
  std::vector<std::string> ids;
  std::set<std::string> seen;
  const auto add = [&](const std::string& name) {
    if (seen.insert(name).second) files.chapters.push_back(name);
  };
  const std::string text = text_of_bytes(package);
  const std::vector<XmlElement> elements = xml_elements(text, limits);
  for (const XmlElement& one : elements) {
    if (one.name != "item") continue;
    const std::string type = xml_attribute(one, "media-type");
    const std::string name = part_name(folder, xml_attribute(one, "href"));
    if (type == "application/x-dtbncx+xml" && seen.insert(name).second)
      files.contents.push_back(name);
    const std::string id = xml_attribute(one, "id");
    if (type == "image/svg+xml") pictures.emplace(id, name);
    if (type != "application/xhtml+xml") continue;
    ids.push_back(id);
    chapters.emplace(id, name);
  }
  for (const XmlElement& one : elements) {
    if (one.name != "itemref") continue;
    const std::string id = xml_attribute(one, "idref");
    const auto chapter = chapters.find(id), picture = pictures.find(id);
    if (chapter != chapters.end()) add(chapter->second);
    if (picture != pictures.end()) files.pictures.push_back(picture->second);
  }
  for (const std::string& id : ids) add(chapters[id]);
  return files;
}

std::vector<std::string> encrypted_names(std::string_view encryption,
                                         const DocumentLimits& limits) {
  std::vector<std::string> names;
  for (const XmlElement& one : xml_elements(encryption, limits))
    if (one.name == "CipherReference") names.push_back(part_name("", xml_attribute(one, "uri")));
  return names;
}

std::unique_ptr<Document> open_package(std::string_view bytes, const DocumentOptions& options,
                                       const DocumentLimits& limits) {
  return std::make_unique<PackagingDocument>(
      bytes, options, limits, [](const auto& /*all*/, const XmlElement& one) {
        return (one.tag.starts_with("<dc:") &&
                (one.name == "title" || one.name == "description")) ||
               xml_attribute(one, "property") == "schema:accessibilitySummary";
      });
}

std::unique_ptr<Document> open_ncx(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits) {
  return std::make_unique<PackagingDocument>(
      bytes, options, limits, [](const auto& all, const XmlElement& one) {
        const XmlElement* const parent = parent_in(all, one);
        return one.name == "text" && parent != nullptr &&
               (parent->name == "navLabel" || parent->name == "docTitle");
      });
}

}  // namespace dietmt::service
