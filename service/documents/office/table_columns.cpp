#include "service/documents/office/table_columns.h"

#include <algorithm>

#include "service/documents/html_tags.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// With line breaks as in cells.
std::string cell_text(std::string name) {
  std::string text;
  for (size_t at = 0; at < name.size(); ++at) {
    constexpr std::string_view kBreak = "_x000a_";
    if (html_lower_case(name.substr(at, kBreak.size())) == kBreak) {
      text += '\n';
      at += kBreak.size() - 1;
    } else {
      text += name[at];
    }
  }
  return text;
}

}  // namespace

void TableColumns::add_table(xmlNode* root) {
  walk(root, [&](xmlNode* node) {
    const std::string_view element = element_name(node);
    if (element == "tableColumn") {
      const std::string name = attribute(node, "name"), text = cell_text(name);
      names_.insert({html_lower_case(name), html_lower_case(text)});
      if (text != name) mentioned_.insert({html_lower_case(name), html_lower_case(text)});
    }
    if (element.ends_with("Formula")) add_formulas(content_of(node));
    return true;
  });
}

void TableColumns::add_formulas(std::string_view xml) {
  size_t begin = xml.npos;
  for (size_t at = xml.find_first_of("[]"); at != xml.npos; at = xml.find_first_of("[]", at + 1)) {
    if (xml[at] == '[') {
      begin = at + 1;
    } else if (begin != xml.npos) {
      std::string name(xml.substr(begin, at - begin));
      if (name.starts_with('@')) name.erase(0, 1);
      // An apostrophe escapes the next character, and XML writes some as references.
      const bool is_plain = name.find_first_of("'&") == name.npos;
      if (is_plain) mentioned_.insert(html_lower_case(name));
      has_escapes_ = has_escapes_ || !is_plain;
      begin = xml.npos;
    }
  }
}

void TableColumns::add_cells(xmlNode* root) {
  walk(root, [&](xmlNode* node) {
    if (element_name(node) != "si") return true;
    if (child_named(node, "r") != nullptr) mentioned_.insert(html_lower_case(content_of(node)));
    return false;
  });
}

bool TableColumns::keeps(const std::string& text) const {
  if (names_.empty()) return false;
  const std::string name = html_lower_case(text);
  return names_.contains(name) && (has_escapes_ || mentioned_.contains(name));
}

bool TableColumns::differ(const std::vector<std::string>& translated) const {
  std::set<std::string> seen;
  return std::ranges::all_of(translated, [&](const std::string& name) {
    return !name.empty() && !(names_.contains(html_lower_case(name)) && keeps(name)) &&
           seen.insert(html_lower_case(name)).second;
  });
}

}  // namespace dietmt::service
