#include "common/version.h"

namespace dietmt {

std::string version_line() { return "dietmt " DIETMT_VERSION " (" DIETMT_BUILT_WITH ")"; }

}  // namespace dietmt
