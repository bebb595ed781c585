// The directives of a gettext message, in the syntax that its flag names: c-format, python-format,
// scheme-format and others.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::service {

enum class FormatKind {
  kPercent,  // %s, %-5.2f, %(name)s, %<name>d, %{name}
  kNumber,   // %1, %L1, %n
  kBraces,   // {}, {0}, {name:>5}, {0,number,#.#}
  kTilde,    // ~a, ~5,2f
  kDollar,   // $name, ${name}
};

struct FormatSyntax {
  std::string_view flag;
  FormatKind kind = FormatKind::kPercent;
  std::string_view flags = {};        // kPercent: characters before the width
  std::string_view conversions = {};  // kPercent
  std::string_view names = {};        // kPercent: the brackets that open a name
  bool has_numbers = false;           // kPercent: %2$s is the second argument
};

/// The syntax of a flag such as "c-format"; null for other flags.
const FormatSyntax* format_syntax(std::string_view flag);

/// The placeholders of a message in order, as views into it: the directives of the syntax, and
/// between them tags, references and other placeholders (nmt/alignment/placeholders.h). Without a
/// syntax, only the latter.
std::vector<std::string_view> directives_in(std::string_view text, const FormatSyntax* syntax);

/// Whether a directive takes the next argument, so that its place among others like it matters:
/// %s and {}, but not %1$s, %(name)s or {0}.
bool takes_next_argument(std::string_view directive);

/// The directive with the number of its argument, from 1: %2$s. nullopt if that cannot be written.
std::optional<std::string> with_number(std::string_view directive, size_t number,
                                       const FormatSyntax* syntax);

}  // namespace dietmt::service
