// Refuses XML that libxml2 would take quadratic time to read.
#pragma once

#include <string_view>

namespace dietmt::service {

/// Takes linear time. Throws DataError naming the line for an element with too many attributes, too
/// many or too long namespaces, too many different names, declarations in the DOCTYPE (entities and
/// default attributes multiply), and encodings in which markup is not ASCII, since elements could
/// hide there. All other errors are left to libxml2.
void check_xml(std::string_view bytes);

}  // namespace dietmt::service
