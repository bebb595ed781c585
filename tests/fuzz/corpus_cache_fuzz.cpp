// Corpus caches. Odd first byte: the file as it is. Even: numbers and content of a file with a
// valid header and checksums. Any file that opens must be readable to the end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/files.h"
#include "data/corpus/corpus_cache.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using dietmt::crc32_of;
using dietmt::data::MappedCache;

constexpr std::string_view kFingerprint = "corpus";
constexpr uint64_t kTokensAt = 4096;

std::string with_header(std::string_view bytes) {
  uint8_t sizes[3] = {};
  const size_t given = std::min(bytes.size(), sizeof sizes);
  std::memcpy(sizes, bytes.data(), given);
  bytes.remove_prefix(given);
  // data/corpus/corpus_cache.cpp: magic, version, bytes of the fingerprint, start, tokens,
  // sequences, groups, eight counters, content hash, checksum of everything except the tokens.
  uint64_t header[17] = {
      0x31535052'4f435444, 4, kFingerprint.size(), kTokensAt, sizes[0], sizes[1], sizes[2]};
  std::string file(reinterpret_cast<const char*>(header), sizeof header);
  file += kFingerprint;
  file.resize(kTokensAt);
  file += bytes;
  const uint64_t tokens = (sizes[0] + uint64_t{1}) / 2 * 8;
  file.resize(kTokensAt + tokens + 8 * (uint64_t{sizes[1]} + sizes[2] + 2));
  const std::string_view whole = file;
  uint32_t checksum = sizes[0] > 0 ? crc32_of(whole.substr(kTokensAt, 4 * sizes[0])) : 0;
  if (sizes[0] > 0) file.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  checksum = crc32_of(std::string_view(file).substr(0, kTokensAt));
  header[16] = crc32_of(std::string_view(file).substr(kTokensAt + tokens), checksum);
  std::memcpy(file.data(), header, sizeof header);
  return file;
}

void use(const MappedCache& cache) {
  for (int64_t group = 0; group < cache.groups(); ++group)
    if (cache.first_sequence(group) > cache.first_sequence(group + 1)) std::abort();
  if (cache.first_sequence(cache.groups()) > cache.sequences()) std::abort();
  for (int64_t i = 0; i < cache.sequences(); ++i) {
    const auto mapped = cache.sequence(i);
    std::vector<int32_t> read;
    cache.read(cache.first_token(i), cache.first_token(i + 1), read);
    if (!std::equal(mapped.begin(), mapped.end(), read.begin(), read.end())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const dietmt::ScratchFile file;
  file.fill(data[0] % 2 == 1 ? std::string(bytes) : with_header(bytes));
  const auto cache = MappedCache::open(file.path(), std::string(kFingerprint));
  if (cache) use(*cache);
  return 0;
}
