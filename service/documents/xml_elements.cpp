#include "service/documents/xml_elements.h"

#include <algorithm>
#include <utility>

#include "common/interruption.h"
#include "service/documents/html_tags.h"
#include "service/documents/markup.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kCdata = "<![CDATA[";
constexpr std::string_view kCdataEnd = "]]>";

std::string_view name_without_prefix(std::string_view tag) {
  const std::string_view name = tag.substr(1, tag.find_first_of(" \t\r\n/>", 1) - 1);
  return name.substr(name.find(':') + 1);
}

// The end of the tag, comment, instruction or CDATA section at `begin`.
size_t xml_markup_end(std::string_view xml, size_t begin) {
  const std::string_view rest = xml.substr(begin);
  const auto after = [&](std::string_view end) {
    return std::min(xml.find(end, begin), xml.size() - end.size()) + end.size();
  };
  if (rest.starts_with("<!--")) return after("-->");
  if (rest.starts_with(kCdata)) return after(kCdataEnd);
  if (rest.starts_with("<?")) return after("?>");
  return tag_end(xml, begin);
}

}  // namespace

std::vector<XmlElement> xml_elements(std::string_view xml, const DocumentLimits& limits) {
  const XmlTree checked(xml, limits);
  std::vector<XmlElement> elements;
  std::vector<size_t> open;
  for (size_t at = xml.find('<'); at < xml.size();) {
    check_interruption();
    const size_t end = xml_markup_end(xml, at);
    const std::string_view tag = xml.substr(at, end - at);
    if (tag.starts_with("</") && !open.empty()) {
      elements[open.back()].content_end = at;
      elements[open.back()].end = end;
      elements[open.back()].next = elements.size();
      open.pop_back();
    } else if (!tag.starts_with("<!") && !tag.starts_with("<?")) {
      const int64_t parent = open.empty() ? -1 : static_cast<int64_t>(open.back());
      elements.push_back(
          {name_without_prefix(tag), tag, at, end, end, end, parent, elements.size() + 1});
      if (!tag.ends_with("/>")) open.push_back(elements.size() - 1);
    }
    at = xml.find('<', end);
  }
  return elements;
}

std::string xml_attribute(const XmlElement& element, std::string_view name) {
  size_t at = element.tag.find_first_of(" \t\r\n/>");
  while (true) {
    const auto [found, value] = next_attribute(element.tag, at);
    if (found.empty() || found == name) return resolve_references(value);
  }
}

nmt::MarkedText xml_content(std::string_view xml, const XmlElement& element,
                            bool is_code(const XmlElement&)) {
  nmt::MarkedText content;
  std::string code;  // an element being read as one mark
  size_t depth = 0;  // inside it
  const auto add_text = [&](std::string_view raw, const std::string& text) {
    (depth > 0 ? code : content.text) += depth > 0 ? std::string(raw) : text;
  };
  size_t at = element.content;
  while (at < element.content_end) {
    const size_t text_end = std::min(xml.find('<', at), element.content_end);
    const std::string_view raw = xml.substr(at, text_end - at);
    add_text(raw, resolve_references(raw));
    if (text_end == element.content_end) break;
    at = xml_markup_end(xml, text_end);
    const std::string_view tag = xml.substr(text_end, at - text_end);
    if (tag.starts_with(kCdata)) {
      const std::string_view inside = tag.substr(kCdata.size());
      add_text(tag, std::string(inside.substr(0, inside.size() - kCdataEnd.size())));
      continue;
    }
    const bool is_start = tag.find_first_of("/!?") != 1;
    if (depth == 0 && !(is_start && is_code != nullptr &&
                        is_code({.name = name_without_prefix(tag), .tag = tag}))) {
      add_mark(std::string(tag), content);
      continue;
    }
    code += tag;
    if (is_start && !tag.ends_with("/>")) ++depth;
    if (tag.starts_with("</")) --depth;
    if (depth == 0) add_mark(std::exchange(code, {}), content);
  }
  return content;
}

std::string xml_encoded(const std::string& text, bool is_cdata) {
  if (!is_cdata) return escape_markup(text);
  std::string content = text;
  for (size_t at = content.find(kCdataEnd); at != content.npos; at = content.find(kCdataEnd, at))
    content.replace(at, kCdataEnd.size(), "]]]]><![CDATA[>"), at += 15;
  return std::string(kCdata) + content + std::string(kCdataEnd);
}

bool is_cdata(std::string_view xml, const XmlElement& element) {
  const std::string_view content =
      xml.substr(element.content, element.content_end - element.content);
  return content.starts_with(kCdata) && content.find(kCdataEnd) == content.size() - 3;
}

}  // namespace dietmt::service
