// Text that belongs to a placeholder for text: whatever is attached to it ({0}KB, --{0}, €{0},
// https://{0}/x, mailto:{0}@x.org) and, across a space, what makes it an amount ({0} %, $ {0}).
#pragma once

#include <cstdint>
#include <string_view>

namespace dietmt::nmt {

/// How many bytes at the end of `left`, the text before a placeholder, belong to it. `after`: the
/// text attached to its end.
int32_t bytes_joined_before(std::string_view left, std::string_view after);

/// How many bytes at the start of `right`, the text after the placeholder, belong to it.
int32_t bytes_joined_after(std::string_view right);

}  // namespace dietmt::nmt
