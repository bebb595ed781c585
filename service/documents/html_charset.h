// The encoding that a document of HTML or XHTML declares.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::service {

/// The tag, but a <meta> or <?xml?> that declares an encoding declares UTF-8.
std::string declaring_utf8(std::string_view tag);

}  // namespace dietmt::service
