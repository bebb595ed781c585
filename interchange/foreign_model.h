// What a model of another program is, told by its files.
#pragma once

#include <filesystem>
#include <string>

namespace dietmt::interchange {

/// Why `command`, "import" or "bert import", cannot read `from`: it names what is there, and the
/// command that reads it or the way around. Empty if `command` reads it or its files tell nothing.
std::string import_problem(const std::filesystem::path& from, const std::string& command);

}  // namespace dietmt::interchange
