// The encoding that an HTML or XML document declares.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::service {

/// The tag; a <meta> or <?xml?> that declares an encoding is changed to declare UTF-8.
std::string declaring_utf8(std::string_view tag);

}  // namespace dietmt::service
