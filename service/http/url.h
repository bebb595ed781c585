// Percent-encoding of paths, queries and forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/http/message.h"

namespace dietmt::service {

/// Leaves invalid percent-encodings unchanged.
std::string percent_decoded(std::string_view text, bool plus_is_space);

/// name=value&name=value, as in a query or a URL-encoded form.
Pairs parse_form(std::string_view text);

/// A request target in absolute form (http://host/path?query), as sent through a proxy.
struct AbsoluteTarget {
  std::string authority;
  std::string origin_form;  // path and query
};

/// Nullopt for a target in another form.
std::optional<AbsoluteTarget> absolute_target(std::string_view target);

/// The fields of a target's query.
Pairs query_of(std::string_view target);

}  // namespace dietmt::service
