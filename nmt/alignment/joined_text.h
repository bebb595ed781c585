// What belongs to a placeholder that stands for text: what is written together with it ({0}KB,
// --{0}, €{0}, https://{0}/x, mailto:{0}@x.org) and, behind a space, what makes it an amount
// ({0} %, $ {0}).
#pragma once

#include <cstdint>
#include <string_view>

namespace dietmt::nmt {

/// The bytes at the end of the text before a placeholder that belong to it. `after`: what is joined
/// behind it.
int32_t bytes_joined_before(std::string_view left, std::string_view after);

/// Those at the beginning of the text behind it.
int32_t bytes_joined_after(std::string_view right);

}  // namespace dietmt::nmt
