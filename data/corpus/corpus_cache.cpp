#include "data/corpus/corpus_cache.h"

#include <spdlog/spdlog.h>

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
constexpr uint64_t kVersion = 4;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kBlockBytes = 4096;  // what the kernel reads for one sentence anyway
constexpr int64_t kBlockTokens = kBlockBytes / sizeof(int32_t);

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
  uint64_t checksum = 0;  // index_checksum() of a file where this is 0
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

uint64_t checksums_at(const Header& header) {
  return group_bounds_at(header) + (header.groups + 1) * sizeof(uint64_t);
}

uint64_t blocks(uint64_t tokens) { return round_up(tokens, kBlockTokens) / kBlockTokens; }

uint64_t file_bytes(const Header& header) {
  return checksums_at(header) + blocks(header.tokens) * sizeof(uint32_t);
}

// The checksum of everything except the token ids. `extend(checksum, begin, end)` adds bytes of the
// file.
template <typename Extend>
uint32_t index_checksum(Header header, const Extend& extend) {
  header.checksum = 0;
  uint32_t checksum = crc32_of({reinterpret_cast<const char*>(&header), sizeof header});
  checksum = extend(checksum, sizeof header, header.tokens_at);
  return extend(checksum, sequence_bounds_at(header), file_bytes(header));
}

uint32_t extend_by_file(uint32_t checksum, AtomicFile& file, uint64_t begin, uint64_t end) {
  std::vector<char> bytes(1 << 20);
  while (begin < end) {
    const size_t size =
        file.read(begin, bytes.data(), std::min<uint64_t>(bytes.size(), end - begin));
    if (size == 0) break;
    checksum = crc32_of({bytes.data(), size}, checksum);
    begin += size;
  }
  return checksum;
}

bool is_valid(const Header& header, uint64_t size) {
  return header.magic == kMagic && header.version == kVersion && header.fingerprint_bytes < size &&
         sizeof(Header) + header.fingerprint_bytes <= header.tokens_at &&
         header.tokens_at % kPage == 0 && header.tokens_at <= size && header.tokens <= size &&
         header.sequences <= size && header.groups <= size && file_bytes(header) == size;
}

// Bounds ascend from 0. Without this check, a damaged value would cause reads outside the mapping.
bool are_bounds(const uint64_t* bounds, int64_t parts) {
  return bounds[0] == 0 && std::is_sorted(bounds, bounds + parts + 1);
}

// No token id has these values.
constexpr uint64_t kEndOfSequence = 1ULL << 32;
constexpr uint64_t kEndOfGroup = 2ULL << 32;

// Creates the directory of `path` if it is missing; returns `path`.
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
      checksums_(path),
      file_(path) {
  sequence_bounds_.write_value(uint64_t{0});
  group_bounds_.write_value(uint64_t{0});
  file_.write(std::string(sizeof(Header), '\0'));  // finish() fills it in
  file_.write(fingerprint);
  file_.write(std::string(tokens_at_ - sizeof(Header) - fingerprint.size(), '\0'));
}

void CacheWriter::append(std::span<const int32_t> sequence) {
  const std::string_view bytes(reinterpret_cast<const char*>(sequence.data()),
                               sequence.size_bytes());
  file_.write(bytes);
  add_to_checksums(bytes);
  for (const int32_t id : sequence)
    content_hash_ = random_key(content_hash_, static_cast<uint32_t>(id));
  content_hash_ = random_key(content_hash_, kEndOfSequence);
  tokens_ += sequence.size();
  ++sequences_;
  sequence_bounds_.write_value(tokens_);
}

void CacheWriter::add_to_checksums(std::string_view ids) {
  while (!ids.empty()) {
    const std::string_view part = ids.substr(0, kBlockBytes - block_bytes_);
    block_checksum_ = crc32_of(part, block_checksum_);
    block_bytes_ += part.size();
    ids.remove_prefix(part.size());
    if (block_bytes_ == kBlockBytes) end_block();
  }
}

void CacheWriter::end_block() {
  checksums_.write_value(block_checksum_);
  block_checksum_ = 0;
  block_bytes_ = 0;
}

void CacheWriter::end_group() {
  ++groups_;
  content_hash_ = random_key(content_hash_, kEndOfGroup);
  group_bounds_.write_value(sequences_);
}

void CacheWriter::finish(const CacheCounters& counters) {
  if (block_bytes_ > 0) end_block();
  if (tokens_ % 2 == 1) file_.write_value(int32_t{0});  // bounds are aligned to 8 bytes
  file_.append(sequence_bounds_);
  file_.append(group_bounds_);
  file_.append(checksums_);

  Header header;
  header.fingerprint_bytes = fingerprint_bytes_;
  header.tokens_at = tokens_at_;
  header.tokens = tokens_;
  header.sequences = sequences_;
  header.groups = groups_;
  header.counters = counters;
  header.content_hash = content_hash_;
  header.checksum = index_checksum(header, [&](uint32_t checksum, uint64_t begin, uint64_t end) {
    return extend_by_file(checksum, file_, begin, end);
  });
  file_.overwrite(0, {reinterpret_cast<const char*>(&header), sizeof header});
  file_.commit();
}

Error other_text(const std::filesystem::path& cache_file) {
  return Error(cache_file.string() +
               " does not exist: the first process trains on text with other paths, options or "
               "tags");
}

std::unique_ptr<MappedCache> MappedCache::open(const fs::path& path,
                                               const std::optional<std::string>& fingerprint) {
  try {
    std::unique_ptr<MappedCache> cache(new MappedCache(path));
    return cache->read_header(fingerprint) ? std::move(cache) : nullptr;
  } catch (const Error&) {  // the file does not exist
    return nullptr;
  }
}

bool MappedCache::read_header(const std::optional<std::string>& fingerprint) {
  const std::string_view bytes = file_.bytes();
  Header header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (!is_valid(header, bytes.size())) return false;
  if (fingerprint && bytes.substr(sizeof header, header.fingerprint_bytes) != *fingerprint)
    return false;
  const auto extend = [&](uint32_t checksum, uint64_t begin, uint64_t end) {
    return crc32_of(bytes.substr(begin, end - begin), checksum);
  };
  if (index_checksum(header, extend) != header.checksum) {
    spdlog::warn("{}: the corpus cache is damaged; encoding the text again", path_.string());
    return false;
  }
  const char* start = bytes.data();
  sequences_ = static_cast<int64_t>(header.sequences);
  groups_ = static_cast<int64_t>(header.groups);
  tokens_at_ = header.tokens_at;
  tokens_ = reinterpret_cast<const int32_t*>(start + header.tokens_at);
  sequence_bounds_ = reinterpret_cast<const uint64_t*>(start + sequence_bounds_at(header));
  group_bounds_ = reinterpret_cast<const uint64_t*>(start + group_bounds_at(header));
  checksums_ = reinterpret_cast<const uint32_t*>(start + checksums_at(header));
  token_count_ = static_cast<int64_t>(header.tokens);
  checked_ = std::make_unique<std::atomic<bool>[]>(blocks(header.tokens));
  counters_ = header.counters;
  content_hash_ = header.content_hash;
  file_.expect_random_access();
  return are_bounds(sequence_bounds_, sequences_) &&
         sequence_bounds_[sequences_] == header.tokens && are_bounds(group_bounds_, groups_) &&
         group_bounds_[groups_] <= header.sequences;
}

int64_t MappedCache::group_of(int64_t sequence) const {
  const uint64_t* next =
      std::upper_bound(group_bounds_ + 1, group_bounds_ + groups_, static_cast<uint64_t>(sequence));
  return next - group_bounds_ - 1;
}

void MappedCache::check(int64_t begin, int64_t end) const {
  for (int64_t block = begin / kBlockTokens; block * kBlockTokens < end; ++block)
    if (!checked_[static_cast<size_t>(block)].load(std::memory_order_relaxed)) check_block(block);
}

void MappedCache::check_block(int64_t block) const {
  const auto first = static_cast<uint64_t>(block) * kBlockBytes;
  const uint64_t at = tokens_at_ + first;
  char bytes[kBlockBytes];
  const size_t size =
      std::min(kBlockBytes, static_cast<uint64_t>(token_count_) * sizeof(int32_t) - first);
  file_.read(at, bytes, size);
  if (crc32_of({bytes, size}) != checksums_[block]) {
    throw Error(path_.string() + ": block " + std::to_string(block) + " (bytes " +
                std::to_string(at) + " to " + std::to_string(at + size - 1) +
                ") is damaged; delete the file, and the next run encodes the text again");
  }
  checked_[static_cast<size_t>(block)].store(true, std::memory_order_relaxed);
}

void MappedCache::read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const {
  check(begin, end);
  const size_t before = ids.size();
  ids.resize(before + static_cast<size_t>(end - begin));
  file_.read(tokens_at_ + static_cast<uint64_t>(begin) * sizeof(int32_t),
             reinterpret_cast<char*>(ids.data() + before), (ids.size() - before) * sizeof(int32_t));
}

}  // namespace dietmt::data
