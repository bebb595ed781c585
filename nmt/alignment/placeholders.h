// Placeholders in messages, which a program fills in, and other text that a translation must
// contain as its source does.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "nmt/alignment/kept_kinds.h"

namespace dietmt::nmt {

/// The placeholders of a text, in order, as views into it:
///   %s %1$d %(name)s %{name} %1 %%          C, Python, Ruby, Qt
///   %@ %lld %#@files@ %arg                  Apple
///   {} {0} {0:N2} {name!r:>8} { $name }     Python, Rust, .NET, ICU, Fluent
///   ${name} $name$                          shells, JavaScript, StringTemplate
///   {{ user.name }} {{#if x}} {% if x %} {# note #} <%= name %>   templates
///   {\an8} {\i1}                            override codes of subtitles
///   {1> <1} {b> <b}                         pairs of Phrase
///   :count $1 [X0X] __name__                Laravel, regular expressions, Weblate, Python
///   <b> <br/> <0> </0> &amp; &#39;          tags and references
/// and the plurals and choices of is_choice(), each as a whole. Takes linear time.
std::vector<std::string_view> placeholders_in(std::string_view text);

/// What a text has of these kinds, in order, as views into it: the placeholders and tags above,
/// light_markup_in() it, symbols, and what data/text/addresses.h finds. Nothing of Kept::kUnknown,
/// for which a KeptFinder needs a model.
std::vector<std::string_view> kept_in(std::string_view text, KeptKinds kinds);

/// A part of a text: one of those that are kept, or the text between them.
struct TextPart {
  std::string_view text;
  bool is_kept = false;
};

/// The parts of a text, none of them empty. `kept`: views into it, in order and apart.
std::vector<TextPart> parts_around(std::string_view text, std::span<const std::string_view> kept);

}  // namespace dietmt::nmt
