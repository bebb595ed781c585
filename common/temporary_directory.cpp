#include "common/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "common/error.h"

namespace dietmt {
namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory(const fs::path& prefix) : path_(prefix.string() + "XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr)
    throw Error(prefix.string() + "XXXXXX: cannot be created: " + std::strerror(errno));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace dietmt
