// Refuses XML that libxml2 would read in quadratic time.
#pragma once

#include <string_view>

namespace dietmt::service {

/// Takes time in proportion to the bytes. Throws DataError, which names the line, for an element
/// with too many attributes, too many or too long namespaces, and declarations in the DOCTYPE,
/// whose entities and default attributes multiply; also for an encoding in which markup is not
/// ASCII, because elements could hide in it. Everything else that is wrong is left to libxml2.
void check_xml(std::string_view bytes);

}  // namespace dietmt::service
