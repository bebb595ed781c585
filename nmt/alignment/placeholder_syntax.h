// The syntax of single placeholders.
#pragma once

#include <cstddef>
#include <string_view>

namespace dietmt::nmt {

// Each function returns the length of a placeholder at the start of `text`, or 0. They read only as
// far as one placeholder may go.

/// From `open` to the next `close`, with something but no braces in between.
size_t enclosed_without_braces(std::string_view text, std::string_view open,
                               std::string_view close);

/// $name$: letters, digits and underscores, so "$5 or 6$" does not match.
size_t dollars_at(std::string_view text);

/// %[(name)|n$][flags][width][.precision][length]conversion, as in C and Python; %%; %{name}; %1;
/// in Apple's messages %[n$]#@name@ and %arg. A space is not a flag here: "100 % done".
size_t percent_at(std::string_view text);

/// <b>, </b>, <a href="x">, <0>.
size_t tag_at(std::string_view text);

/// &amp; and &#39;.
size_t reference_at(std::string_view text);

/// A name in braces, or a name with a format, as in {size:>8}, {0:yyyy-MM-dd HH:mm} and {n, number,
/// integer}; in Fluent a function or a string.
size_t argument_at(std::string_view text);

/// {1> and <1}, {b> and <b}: the pairs of Phrase.
size_t paired_brace_at(std::string_view text);

/// :count, and :smile: as a whole.
size_t colon_name_at(std::string_view text);

/// [X0X], by which Weblate replaces placeholders.
size_t numbered_box_at(std::string_view text);

/// __name__.
size_t dunder_at(std::string_view text);

/// Whether a choice begins here: {n, plural, ...}, { $n -> ...}.
bool selects(std::string_view text);

/// Whether a placeholder contains messages, which stay as they are:
/// {n, plural, one {# file} other {# files}}, { $n -> [one] a file *[other] files }.
bool is_choice(std::string_view placeholder);

}  // namespace dietmt::nmt
