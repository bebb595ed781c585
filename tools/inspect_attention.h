// dietmt inspect attention: how a model looks at one sentence.
#pragma once

#include <string>
#include <vector>

namespace dietmt::tools {

int inspect_attention(const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
