// The messages of a gettext catalogue and the lines that they are on. libgettextpo is under the
// GPL, which this program is not, so the few rules of the format are implemented here.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

/// A keyword with its strings, such as msgstr[1] "a" "b". Lines count from 0.
struct PoField {
  size_t first_line = 0;
  size_t last_line = 0;
  std::string text;
};

struct PoMessage {
  std::map<std::string, PoField> fields;  // by keyword; msgid and a msgstr are always there
  size_t first_line = 0;                  // with a keyword
  std::vector<size_t> flag_lines;         // comments such as "#, fuzzy, c-format"

  bool has(const std::string& keyword) const { return fields.contains(keyword); }
  const std::string& text_of(const std::string& keyword) const { return fields.at(keyword).text; }
  bool is_header() const { return text_of("msgid").empty() && !has("msgctxt"); }
};

/// Lines with several keywords become several lines first. Throws DataError naming the line in the
/// file.
std::vector<PoMessage> read_po(std::vector<std::string>& lines);

/// The flags in a comment.
std::vector<std::string> po_flags(std::string_view line);

/// As a quoted string.
std::string in_po_quotes(std::string_view text);

}  // namespace dietmt::service
