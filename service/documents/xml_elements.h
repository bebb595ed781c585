// Where the elements of XML are in its text, so that it can be changed without writing it anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

struct XmlElement {
  std::string_view name;   // without its prefix
  std::string_view tag;    // the start tag
  size_t begin = 0;        // bytes of the text
  size_t content = 0;      // where the content begins
  size_t content_end = 0;  // equal to `content` for <a/>
  size_t end = 0;
  int64_t parent = -1;  // its index
  size_t next = 0;      // the index of the first element after this one and those inside it
};

/// The elements in order. Throws as XmlTree does.
std::vector<XmlElement> xml_elements(std::string_view xml, const DocumentLimits& limits);

/// The value of an attribute, "" if it is missing. `name`: with its prefix, in lower case.
std::string xml_attribute(const XmlElement& element, std::string_view name);

/// The content of an element: comments, instructions and tags are marks. Elements for which
/// `is_code` holds are one mark.
nmt::MarkedText xml_content(std::string_view xml, const XmlElement& element,
                            bool is_code(const XmlElement&) = nullptr);

/// Writes text like the content of an element: as CDATA if that was nothing else.
std::string xml_encoded(const std::string& text, bool is_cdata);
bool is_cdata(std::string_view xml, const XmlElement& element);

}  // namespace dietmt::service
