// Placeholders in messages. A program fills them in, so a translation must contain the same ones.
#pragma once

#include <string_view>
#include <vector>

namespace dietmt::nmt {

/// The placeholders of a text, in order, as views into it:
///   %s %1$d %(name)s %{name} %1 %%          C, Python, Ruby, Qt
///   {} {0} {0:N2} {name!r:>8} { $name }     Python, Rust, .NET, ICU, Fluent
///   ${name} $name$                          shells, JavaScript, StringTemplate
///   {{ user.name }} {{#if x}} {% if x %} {# note #} <%= name %>   templates
///   {\an8} {\i1}                            override codes of subtitles
///   <b> <br/> <0> </0> &amp; &#39;          tags and references
/// and the plurals and choices of is_choice(), each as a whole. Takes linear time.
std::vector<std::string_view> placeholders_in(std::string_view text);

/// Whether a placeholder contains messages, which stay as they are:
/// {n, plural, one {# file} other {# files}}, { $n -> [one] a file *[other] files }.
bool is_choice(std::string_view placeholder);

}  // namespace dietmt::nmt
