// The file format of ParallelCorpus and TextCorpus: sequences of token ids, written in one pass and
// mapped read-only.
//
//   header | fingerprint | token ids (int32) | sequence bounds (uint64, [sequences + 1])
//          | group bounds (uint64, [groups + 1]) | checksums (uint32, one for 4096 bytes of ids)
//
// Sequence s owns tokens bounds[s] .. bounds[s+1]-1; a group owns sequences in the same way. The
// fingerprint is text that names everything the content depends on; a file with a different
// fingerprint is not opened. The content hash identifies the sequences themselves. Everything
// except the ids is checked when the file is opened; a block of ids is checked when it is first
// read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/atomic_file.h"
#include "common/error.h"
#include "common/files.h"

namespace dietmt::data {

/// Which cache a process uses.
enum class CacheUse {
  kUpToDate,       // made from the current text; encodes the text if there is none
  kOfFirstProcess  // the one written by the first of several training processes
};

/// The error of a process that finds no cache written by the first process.
Error other_text(const std::filesystem::path& cache_file);

/// The counters of a corpus report, stored in the cache.
using CacheCounters = std::array<int64_t, 8>;

/// Writes a cache in constant memory; finish() gives it its name. Throws Error with the path and
/// the system's reason, e.g. a full disk.
class CacheWriter {
 public:
  CacheWriter(const std::filesystem::path& path, const std::string& fingerprint);

  void append(std::span<const int32_t> sequence);
  /// Makes a group of the sequences since the last group. Groups are optional.
  void end_group();
  void finish(const CacheCounters& counters);

 private:
  void add_to_checksums(std::string_view ids);
  void end_block();

  uint64_t fingerprint_bytes_;
  uint64_t tokens_at_;  // byte offset of the first token
  uint64_t tokens_ = 0;
  uint64_t sequences_ = 0;
  uint64_t groups_ = 0;
  uint64_t content_hash_ = 0;
  size_t block_bytes_ = 0;  // of the last block
  uint32_t block_checksum_ = 0;
  // finish() appends these to the tokens.
  UnnamedFile sequence_bounds_;
  UnnamedFile group_bounds_;
  UnnamedFile checksums_;
  AtomicFile file_;
};

/// A cache mapped into memory.
class MappedCache {
 public:
  /// Null if the file does not exist or has a different fingerprint (nullopt accepts any), version
  /// or size; also, after a warning, if anything except the token ids is damaged.
  static std::unique_ptr<MappedCache> open(const std::filesystem::path& path,
                                           const std::optional<std::string>& fingerprint);

  int64_t sequences() const { return sequences_; }
  int64_t groups() const { return groups_; }
  /// The first token of a sequence or the first sequence of a group; for the index after the last
  /// one, the total.
  int64_t first_token(int64_t sequence) const {
    return static_cast<int64_t>(sequence_bounds_[sequence]);
  }
  int64_t first_sequence(int64_t group) const { return static_cast<int64_t>(group_bounds_[group]); }
  /// The group of a sequence; every sequence must be in a group.
  int64_t group_of(int64_t sequence) const;

  /// Throws Error if its block is damaged.
  std::span<const int32_t> sequence(int64_t index) const {
    check(first_token(index), first_token(index + 1));
    return {tokens_ + sequence_bounds_[index], tokens_ + sequence_bounds_[index + 1]};
  }
  int64_t length(int64_t sequence) const {
    return first_token(sequence + 1) - first_token(sequence);
  }
  const CacheCounters& counters() const { return counters_; }
  /// Equal for the same sequences and groups in the same order, wherever they came from.
  uint64_t content_hash() const { return content_hash_; }

  /// Appends tokens begin .. end-1 to `ids`. Reads them from the file, so that mapped pages do not
  /// become resident. Throws Error naming the block if they are damaged or cannot be read.
  void read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const;

 private:
  explicit MappedCache(const std::filesystem::path& path) : path_(path), file_(path) {}

  // False if the file is not a cache with this fingerprint.
  bool read_header(const std::optional<std::string>& fingerprint);

  // Checks the blocks of these tokens that no thread has read before.
  void check(int64_t begin, int64_t end) const;
  void check_block(int64_t block) const;

  std::filesystem::path path_;
  MappedFile file_;
  int64_t sequences_ = 0;
  int64_t groups_ = 0;
  uint64_t tokens_at_ = 0;  // byte offset of the first token
  const int32_t* tokens_ = nullptr;
  const uint64_t* sequence_bounds_ = nullptr;
  const uint64_t* group_bounds_ = nullptr;
  const uint32_t* checksums_ = nullptr;
  int64_t token_count_ = 0;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // per block
  CacheCounters counters_ = {};
  uint64_t content_hash_ = 0;
};

}  // namespace dietmt::data
