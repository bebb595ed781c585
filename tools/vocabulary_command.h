#pragma once

#include <string>
#include <vector>

namespace dietmt::tools {

/// A command as in tools/commands.h, only in dietmt-torch.
int run_vocabulary(const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
