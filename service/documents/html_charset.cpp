#include "service/documents/html_charset.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

// The encoding in "text/html; charset=iso-8859-1".
std::string_view charset_in(std::string_view content) {
  constexpr std::string_view kName = "charset=";
  const size_t name = html_lower_case(content).find(kName);
  if (name == content.npos) return {};
  content.remove_prefix(name + kName.size());
  content.remove_prefix(std::min(content.find_first_not_of(" '\""), content.size()));
  return content.substr(0, content.find_first_of("; '\""));
}

// The encoding declared by the tag, as a part of it; "" if it declares none.
std::string_view declared_encoding(std::string_view tag) {
  constexpr std::string_view kXml = "<?xml";
  const bool is_xml = tag.starts_with(kXml);
  if (!is_xml && tag_name(tag) != "meta") return {};
  std::string_view content, charset;
  bool is_type = false;  // `content` is the value of an HTTP header
  size_t at = kXml.size();
  for (auto [name, value] = next_attribute(tag, at); !name.empty();
       std::tie(name, value) = next_attribute(tag, at)) {
    if (name == (is_xml ? "encoding" : "charset")) charset = value;
    if (name == "content") content = value;
    if (name == "http-equiv") is_type = html_lower_case(value) == "content-type";
  }
  return is_type && charset.empty() ? charset_in(content) : charset;
}

}  // namespace

std::string declaring_utf8(std::string_view tag) {
  std::string changed(tag);
  const std::string_view encoding = declared_encoding(tag);
  if (!encoding.empty() && html_lower_case(encoding) != "utf-8")
    changed.replace(static_cast<size_t>(encoding.data() - tag.data()), encoding.size(), "UTF-8");
  return changed;
}

}  // namespace dietmt::service
