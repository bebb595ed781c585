#include "tools/unused_options.h"

#include <spdlog/spdlog.h>

namespace dietmt::tools {

void refuse_unused(const OptionTable& table, std::initializer_list<const char*> names,
                   const std::string& needed, std::vector<std::string>& problems) {
  for (const char* name : names)
    if (table.changed(name)) problems.push_back(std::string("--") + name + " needs " + needed);
}

void warn_of_unused(const OptionTable& table, std::initializer_list<const char*> names,
                    const std::string& given) {
  for (const char* name : names)
    if (table.changed(name)) spdlog::warn("--{} has no effect with {}", name, given);
}

}  // namespace dietmt::tools
