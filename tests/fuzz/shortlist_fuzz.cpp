// Shortlist files. Odd first byte: the file as it is. Even: numbers and content of a file with a
// valid size and checksum, as a broken program could write it.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "data/shortlist/shortlist.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using dietmt::data::Shortlist;

// As in data/shortlist/shortlist.cpp.
struct Header {
  uint64_t magic = 0x54534C54'524F4853;
  uint32_t version = 1;
  uint32_t checksum = 0;
  uint64_t source_fingerprint = 0;
  uint64_t target_fingerprint = 0;
  uint32_t source_vocabulary = 0;
  uint32_t target_vocabulary = 0;
  uint32_t always = 0;
  uint32_t entries = 0;
};

std::string with_checksum(std::string_view bytes) {
  uint8_t sizes[4] = {};
  const size_t given = std::min(bytes.size(), sizeof sizes);
  std::memcpy(sizes, bytes.data(), given);
  bytes.remove_prefix(given);
  Header header;
  header.source_vocabulary = sizes[0];
  header.target_vocabulary = sizes[1];
  header.always = sizes[2];
  header.entries = sizes[3];
  std::string content(bytes);
  content.resize(4 * (size_t{sizes[2]} + sizes[0] + 1 + 2 * size_t{sizes[3]}));
  const auto of_header = crc32_z(0, reinterpret_cast<const Bytef*>(&header), sizeof header);
  header.checksum = static_cast<uint32_t>(
      crc32_z(of_header, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + content;
}

void use(const Shortlist& shortlist) {
  std::vector<int32_t> source = {-1, INT32_MAX};
  for (int32_t id = 0; id < shortlist.source_vocabulary(); ++id) {
    source.push_back(id);
    if (shortlist.ids(id).size() != shortlist.probabilities(id).size()) std::abort();
  }
  std::vector<int32_t> ids;
  shortlist.candidates(source, ids);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= shortlist.target_vocabulary()) std::abort();
    if (i > 0 && ids[i - 1] >= ids[i]) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const dietmt::ScratchFile file;
  file.fill(data[0] % 2 == 1 ? std::string(bytes) : with_checksum(bytes));
  try {
    use(Shortlist(file.path(), dietmt::data::VocabularyFingerprints{}));
  } catch (const dietmt::DataError&) {
  }
  return 0;
}
