#include "data/corpus/corpus_cache.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "common/error.h"
#include "common/files.h"
#include "common/random.h"

namespace dietmt::data {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kMagic = 0x31535052'4f435444;  // "DTCORPS1" on a little-endian machine
constexpr uint64_t kVersion = 3;
constexpr uint64_t kPage = 4096;

struct Header {
  uint64_t magic = kMagic;
  uint64_t version = kVersion;
  uint64_t fingerprint_bytes = 0;
  uint64_t tokens_at = 0;  // byte offset
  uint64_t tokens = 0;
  uint64_t sequences = 0;
  uint64_t groups = 0;
  CacheCounters counters = {};
  uint64_t content_hash = 0;
};
static_assert(std::is_trivially_copyable_v<Header>);

constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint64_t sequence_bounds_at(const Header& header) {
  return round_up(header.tokens_at + header.tokens * sizeof(int32_t), sizeof(uint64_t));
}

uint64_t group_bounds_at(const Header& header) {
  return sequence_bounds_at(header) + (header.sequences + 1) * sizeof(uint64_t);
}

uint64_t file_bytes(const Header& header) {
  return group_bounds_at(header) + (header.groups + 1) * sizeof(uint64_t);
}

bool is_valid(const Header& header, uint64_t size) {
  return header.magic == kMagic && header.version == kVersion && header.fingerprint_bytes < size &&
         sizeof(Header) + header.fingerprint_bytes <= header.tokens_at &&
         header.tokens_at % kPage == 0 && header.tokens_at <= size && header.tokens <= size &&
         header.sequences <= size && header.groups <= size && file_bytes(header) == size;
}

// Ascending from 0. A value damaged on disk would otherwise be read outside the mapping.
bool are_bounds(const uint64_t* bounds, int64_t parts) {
  return bounds[0] == 0 && std::is_sorted(bounds, bounds + parts + 1);
}

// No id has these values.
constexpr uint64_t kEndOfSequence = 1ULL << 32;
constexpr uint64_t kEndOfGroup = 2ULL << 32;

// The path, whose directory is created if it is missing.
const fs::path& in_its_directory(const fs::path& path) {
  std::error_code ignored;  // reported when the file is opened
  fs::create_directories(parent_directory(path), ignored);
  return path;
}

}  // namespace

CacheWriter::CacheWriter(const fs::path& path, const std::string& fingerprint)
    : fingerprint_bytes_(fingerprint.size()),
      tokens_at_(round_up(sizeof(Header) + fingerprint.size(), kPage)),
      sequence_bounds_(in_its_directory(path)),
      group_bounds_(path),
      file_(path) {
  sequence_bounds_.write_value(uint64_t{0});
  group_bounds_.write_value(uint64_t{0});
  file_.write(std::string(sizeof(Header), '\0'));  // finish() fills it in
  file_.write(fingerprint);
  file_.write(std::string(tokens_at_ - sizeof(Header) - fingerprint.size(), '\0'));
}

void CacheWriter::append(std::span<const int32_t> sequence) {
  file_.write({reinterpret_cast<const char*>(sequence.data()), sequence.size_bytes()});
  for (const int32_t id : sequence)
    content_hash_ = random_key(content_hash_, static_cast<uint32_t>(id));
  content_hash_ = random_key(content_hash_, kEndOfSequence);
  tokens_ += sequence.size();
  ++sequences_;
  sequence_bounds_.write_value(tokens_);
}

void CacheWriter::end_group() {
  ++groups_;
  content_hash_ = random_key(content_hash_, kEndOfGroup);
  group_bounds_.write_value(sequences_);
}

void CacheWriter::finish(const CacheCounters& counters) {
  if (tokens_ % 2 == 1) file_.write_value(int32_t{0});  // bounds are aligned to 8 bytes
  file_.append(sequence_bounds_);
  file_.append(group_bounds_);

  Header header;
  header.fingerprint_bytes = fingerprint_bytes_;
  header.tokens_at = tokens_at_;
  header.tokens = tokens_;
  header.sequences = sequences_;
  header.groups = groups_;
  header.counters = counters;
  header.content_hash = content_hash_;
  file_.overwrite(0, {reinterpret_cast<const char*>(&header), sizeof header});
  file_.commit();
}

std::unique_ptr<MappedCache> MappedCache::open(const fs::path& path,
                                               const std::string& fingerprint) {
  try {
    std::unique_ptr<MappedCache> cache(new MappedCache(path));
    return cache->read_header(fingerprint) ? std::move(cache) : nullptr;
  } catch (const Error&) {  // there is no such file
    return nullptr;
  }
}

bool MappedCache::read_header(const std::string& fingerprint) {
  const std::string_view bytes = file_.bytes();
  Header header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!is_valid(header, bytes.size()) ||
      bytes.substr(sizeof header, header.fingerprint_bytes) != fingerprint)
    return false;
  const char* start = bytes.data();
  sequences_ = static_cast<int64_t>(header.sequences);
  groups_ = static_cast<int64_t>(header.groups);
  tokens_at_ = header.tokens_at;
  tokens_ = reinterpret_cast<const int32_t*>(start + header.tokens_at);
  sequence_bounds_ = reinterpret_cast<const uint64_t*>(start + sequence_bounds_at(header));
  group_bounds_ = reinterpret_cast<const uint64_t*>(start + group_bounds_at(header));
  counters_ = header.counters;
  content_hash_ = header.content_hash;
  file_.expect_random_access();
  return are_bounds(sequence_bounds_, sequences_) &&
         sequence_bounds_[sequences_] == header.tokens && are_bounds(group_bounds_, groups_) &&
         group_bounds_[groups_] <= header.sequences;
}

void MappedCache::read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  ids.resize(before + static_cast<size_t>(end - begin));
  file_.read(tokens_at_ + static_cast<uint64_t>(begin) * sizeof(int32_t),
             reinterpret_cast<char*>(ids.data() + before), (ids.size() - before) * sizeof(int32_t));
}

}  // namespace dietmt::data
