// The packages in a data directory of Argos Translate or LibreTranslate.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dietmt::fetching {

struct ArgosPackage {
  std::filesystem::path path;  // an .argosmodel file or its unpacked directory
  std::string source;          // languages as the server writes them: pt_BR, zh_Hant
  std::string target;
  std::vector<int64_t> version;
};

/// The translation packages in `directory`/packages, or in `directory` itself; of several for one
/// pair the newest. Warns of what it leaves out. Throws DataError if there is none.
std::vector<ArgosPackage> argos_packages(const std::filesystem::path& directory);

/// The name in the cache (storage/fetched_models.h) of the model that a package becomes:
/// package:KEY, where KEY comes from the package's content. Packages that have not changed since
/// the last call are not read again.
std::string name_of_package(const std::filesystem::path& package);

}  // namespace dietmt::fetching
