#include "tools/unused_options.h"

namespace dietmt::tools {

void refuse_unused(const OptionTable& table, std::initializer_list<const char*> names,
                   const std::string& needed, std::vector<std::string>& problems) {
  for (const char* name : names)
    if (table.changed(name)) problems.push_back(std::string("--") + name + " needs " + needed);
}

}  // namespace dietmt::tools
