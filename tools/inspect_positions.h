// dietmt inspect positions: the encodings there are, and what those of a model do.
#pragma once

#include <string>
#include <vector>

namespace dietmt::tools {

int inspect_positions(const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
