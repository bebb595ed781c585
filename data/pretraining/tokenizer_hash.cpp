#include "data/pretraining/tokenizer_hash.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "common/error.h"
#include "common/files.h"
#include "data/corpus/corpus_encoding.h"

namespace dietmt::data {
namespace fs = std::filesystem;
namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((fs::temp_directory_path() / "dietmt-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw Error(path_ + ": this directory cannot be made: " + std::strerror(errno));
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

uint64_t hash_of(const BertTokenizer& tokenizer) {
  const TemporaryDirectory directory;
  tokenizer.save(directory.path());
  std::map<std::string, std::string> files;  // in order of their names
  for (const fs::directory_entry& entry : fs::directory_iterator(directory.path()))
    files[entry.path().filename().string()] = read_file(entry.path());
  std::string bytes;
  for (const auto& [name, content] : files)
    bytes += name + ' ' + std::to_string(content.size()) + '\n' + content;
  return hash_of(bytes);
}

}  // namespace dietmt::data
