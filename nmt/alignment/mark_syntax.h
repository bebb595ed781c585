// The syntax of tags and placeholders from placeholders_in(), and the tags of one element.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nmt/alignment/inline_markup.h"

namespace dietmt::nmt {

struct MarkSyntax {
  InlineMark::Kind kind = InlineMark::Kind::kPoint;
  std::string name;            // of an element, the same in both of its tags
  bool needs_partner = false;  // without its other tag it is a point, as {% set x %} and <5>
  bool is_both = false;        // the second of a pair closes it, as in **bold**
};

/// Tags of HTML and XML; numbered ones (<0>); {% if %} and {% endif %}; {{#if}} and {{/if}};
/// <% if %> and <% end %>; {\i1} and {\i0}; {1> and <1}; ** and **; [ and ](address); [b] and [/b].
/// Everything else is a point.
MarkSyntax syntax_of(std::string_view mark);

/// Whether a placeholder stands for text, as {0} and <%= name %> do: anything attached to it is
/// part of the same word. Tabs and the marks of footnotes, [^1], do not.
bool stands_for_text(std::string_view mark);

/// Whether a point is a tag that may stand for text, as <x id="1"/> but not <br>.
bool may_stand_for_text(std::string_view mark);

/// Whether it is a reference to white space, as &nbsp; and &#160;.
bool is_space_reference(std::string_view mark);

/// Whether it is a code for the whole subtitle, as {\an8} and {\pos(10,20)}.
bool is_override_code(std::string_view mark);

/// Sets the partners of tags; each has one part and its kind, in order. Tags inside more than
/// kMaxDepth open ones become points.
void find_partners(std::vector<InlineMark>& marks);

}  // namespace dietmt::nmt
