// Signs in messages that a program reads, or that lay them out, and that models lose: tabs,
// backslashes, brackets, and the directives of strftime.
#pragma once

#include <string_view>
#include <vector>

#include "service/documents/format_directives.h"

namespace dietmt::service {

/// What a translation of a message must have as its source does, in order, as views into it: its
/// directives_in(), and between them
///   \t < > { } |                tabs and brackets
///   \( \x \                     backslashes with the sign after them
///   ###                         at the beginning of a line
///   ca@valencia                 a word with a modifier
///   B< E<lt>                    POD
///   '{' '}'                     quoted braces
///   --name --name=VALUE         options of commands
///   %Y %-d                      dates, unless `syntax` gives % another meaning
/// Takes linear time.
std::vector<std::string_view> kept_parts_in(std::string_view text, const FormatSyntax* syntax);

/// Whether the text is a format of dates or times such as %d.%m.%Y or dd/MM/yyyy.
bool is_date_format(std::string_view text);

}  // namespace dietmt::service
