// The file behind ParallelCorpus: token ids of all pairs, written in one pass and mapped read-only.
//
//   header | fingerprint | token ids (int32) | boundaries (uint64, [2 pairs + 1])
//
// Pair p owns the ids boundaries[2p] .. boundaries[2p+1]-1 (source) and from there to
// boundaries[2p+2]-1 (target). The fingerprint is text that names everything the content depends
// on; a file with another fingerprint is not opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/parallel_corpus.h"

namespace dietmt::data {

/// Writes a cache beside its final name; finish() makes it appear there. Throws Error with the
/// path and the system's reason (a full disk, ...).
class CacheWriter {
 public:
  CacheWriter(std::filesystem::path path, const std::string& fingerprint);
  ~CacheWriter();
  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  void append(std::span<const int32_t> source, std::span<const int32_t> target);
  void finish(const CorpusReport& report);

 private:
  void write(const void* bytes, size_t count);
  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  uint64_t fingerprint_bytes_;
  uint64_t tokens_at_;  // byte offset of the first token
  int fd_ = -1;
  std::vector<char> buffer_;      // written when it is full
  std::vector<int32_t> lengths_;  // source and target by turns, [2 pairs]
};

/// A cache mapped into memory.
class MappedCache {
 public:
  /// Null if there is no file, or one with another fingerprint, version or size.
  static std::unique_ptr<MappedCache> open(const std::filesystem::path& path,
                                           const std::string& fingerprint);
  ~MappedCache();
  MappedCache(const MappedCache&) = delete;
  MappedCache& operator=(const MappedCache&) = delete;

  int64_t pairs() const { return pairs_; }
  /// Side 2p is the source, side 2p+1 the target of pair p.
  std::span<const int32_t> side(int64_t index) const {
    return {tokens_ + boundaries_[index], tokens_ + boundaries_[index + 1]};
  }
  int64_t length(int64_t index) const {
    return static_cast<int64_t>(boundaries_[index + 1] - boundaries_[index]);
  }
  const CorpusReport& report() const { return report_; }

  /// See ParallelCorpus::read.
  void read(int64_t pair, std::vector<int32_t>& ids) const;

 private:
  explicit MappedCache(std::filesystem::path path) : path_(std::move(path)) {}

  // False if the file is not a cache of this fingerprint.
  bool map(const std::string& fingerprint);

  std::filesystem::path path_;
  int fd_ = -1;
  void* mapping_ = nullptr;
  size_t bytes_ = 0;
  int64_t pairs_ = 0;
  uint64_t tokens_at_ = 0;  // byte offset of the first token
  const int32_t* tokens_ = nullptr;
  const uint64_t* boundaries_ = nullptr;
  CorpusReport report_;
};

}  // namespace dietmt::data
