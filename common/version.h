// What --version prints.
#pragma once

#include <string>

namespace dietmt {

/// "dietmt VERSION (LibTorch VERSION)", or "(without LibTorch)".
std::string version_line();

}  // namespace dietmt
