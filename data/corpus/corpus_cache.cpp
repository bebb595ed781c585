#include "data/corpus/corpus_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
constexpr size_t kBufferBytes = 1 << 20;

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

// From 0 on and ascending. A number that a bad disk has changed would be read out of the mapping.
bool are_bounds(const uint64_t* bounds, int64_t parts) {
  return bounds[0] == 0 && std::is_sorted(bounds, bounds + parts + 1);
}

// What no id is.
constexpr uint64_t kEndOfSequence = 1ULL << 32;
constexpr uint64_t kEndOfGroup = 2ULL << 32;

[[noreturn]] void fail(const fs::path& cache, const char* what) {
  throw Error(cache.string() + ": the corpus cache cannot " + what + ": " + std::strerror(errno));
}

}  // namespace

// A new file that is written from its start to its end. Errors name the cache that it is part of.
class CacheWriter::OutputFile {
 public:
  OutputFile(const fs::path& path, const fs::path& cache) : cache_(cache) {
    fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd_ < 0) fail(cache_, "be created");
    ::flock(fd_, LOCK_EX);
    buffer_.reserve(kBufferBytes);
  }
  ~OutputFile() { ::close(fd_); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // A file whose name goes at once, and whose content goes with the program.
  static std::unique_ptr<OutputFile> nameless(const fs::path& path, const fs::path& cache) {
    auto file = std::make_unique<OutputFile>(path, cache);
    ::unlink(path.c_str());
    return file;
  }

  int fd() const { return fd_; }

  void write(const void* bytes, size_t count) {
    const char* from = static_cast<const char*>(bytes);
    if (buffer_.size() + count > kBufferBytes) flush();
    buffer_.insert(buffer_.end(), from, from + count);
  }
  void write(uint64_t number) { write(&number, sizeof number); }

  void flush() {
    for (size_t done = 0; done < buffer_.size();) {
      const ssize_t written = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(cache_, "be written");
      done += static_cast<size_t>(written);
    }
    buffer_.clear();
  }

  void write_content_of(OutputFile& other) {
    other.flush();
    std::vector<char> block(kBufferBytes);
    off_t at = 0;
    for (ssize_t got; (got = ::pread(other.fd_, block.data(), block.size(), at)) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(cache_, "be written");
      write(block.data(), static_cast<size_t>(got));
      at += got;
    }
  }

 private:
  const fs::path& cache_;
  int fd_;
  std::vector<char> buffer_;  // written when it is full
};

CacheWriter::CacheWriter(fs::path path, const std::string& fingerprint)
    : path_(std::move(path)),
      temporary_(temporary_name(path_)),
      fingerprint_bytes_(fingerprint.size()),
      tokens_at_(round_up(sizeof(Header) + fingerprint.size(), kPage)) {
  std::error_code ignored;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), ignored);
  const auto nameless = [&](const char* part) {
    const std::string name = path_.string() + part;
    remove_leftovers(name);
    return OutputFile::nameless(temporary_name(name), path_);
  };
  remove_leftovers(path_);
  sequence_bounds_ = nameless(".sequences");
  group_bounds_ = nameless(".groups");
  sequence_bounds_->write(0);
  group_bounds_->write(0);
  file_ = std::make_unique<OutputFile>(temporary_, path_);
  const std::vector<char> room_for_header(sizeof(Header));  // its numbers are known at the end
  file_->write(room_for_header.data(), room_for_header.size());
  file_->write(fingerprint.data(), fingerprint.size());
  const std::vector<char> padding(tokens_at_ - sizeof(Header) - fingerprint.size());
  file_->write(padding.data(), padding.size());
}

CacheWriter::~CacheWriter() {
  if (file_) ::unlink(temporary_.c_str());
}

void CacheWriter::append(std::span<const int32_t> sequence) {
  file_->write(sequence.data(), sequence.size_bytes());
  for (const int32_t id : sequence)
    content_hash_ = random_key(content_hash_, static_cast<uint32_t>(id));
  content_hash_ = random_key(content_hash_, kEndOfSequence);
  tokens_ += sequence.size();
  ++sequences_;
  sequence_bounds_->write(tokens_);
}

void CacheWriter::end_group() {
  ++groups_;
  content_hash_ = random_key(content_hash_, kEndOfGroup);
  group_bounds_->write(sequences_);
}

void CacheWriter::finish(const CacheCounters& counters) {
  const int32_t padding = 0;
  if (tokens_ % 2 == 1) file_->write(&padding, sizeof padding);  // bounds are aligned to 8 bytes
  file_->write_content_of(*sequence_bounds_);
  file_->write_content_of(*group_bounds_);
  file_->flush();

  Header header;
  header.fingerprint_bytes = fingerprint_bytes_;
  header.tokens_at = tokens_at_;
  header.tokens = tokens_;
  header.sequences = sequences_;
  header.groups = groups_;
  header.counters = counters;
  header.content_hash = content_hash_;
  if (::pwrite(file_->fd(), &header, sizeof header, 0) != sizeof header) fail(path_, "be written");
  if (::fsync(file_->fd()) != 0) fail(path_, "be synced to disk");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "be renamed into place");
  file_.reset();
}

std::unique_ptr<MappedCache> MappedCache::open(const fs::path& path,
                                               const std::string& fingerprint) {
  std::unique_ptr<MappedCache> cache(new MappedCache(path));
  return cache->map(fingerprint) ? std::move(cache) : nullptr;
}

bool MappedCache::map(const std::string& fingerprint) {
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) return false;
  bytes_ = static_cast<size_t>(status.st_size);
  if (bytes_ < sizeof(Header)) return false;
  void* mapping = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd_, 0);
  if (mapping == MAP_FAILED) return false;
  mapping_ = mapping;

  const char* bytes = static_cast<const char*>(mapping_);
  Header header;
  std::memcpy(&header, bytes, sizeof header);
  if (!is_valid(header, bytes_) || header.fingerprint_bytes != fingerprint.size() ||
      std::memcmp(bytes + sizeof header, fingerprint.data(), fingerprint.size()) != 0) {
    return false;
  }
  sequences_ = static_cast<int64_t>(header.sequences);
  groups_ = static_cast<int64_t>(header.groups);
  tokens_at_ = header.tokens_at;
  tokens_ = reinterpret_cast<const int32_t*>(bytes + header.tokens_at);
  sequence_bounds_ = reinterpret_cast<const uint64_t*>(bytes + sequence_bounds_at(header));
  group_bounds_ = reinterpret_cast<const uint64_t*>(bytes + group_bounds_at(header));
  counters_ = header.counters;
  content_hash_ = header.content_hash;
  // Sequences are read in random order, where reading ahead reads in vain.
  ::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
  return are_bounds(sequence_bounds_, sequences_) &&
         sequence_bounds_[sequences_] == header.tokens && are_bounds(group_bounds_, groups_) &&
         group_bounds_[groups_] <= header.sequences;
}

MappedCache::~MappedCache() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

void MappedCache::read(int64_t begin, int64_t end, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  ids.resize(before + static_cast<size_t>(end - begin));
  char* to = reinterpret_cast<char*>(ids.data() + before);
  const size_t count = (ids.size() - before) * sizeof(int32_t);
  const uint64_t from = tokens_at_ + static_cast<uint64_t>(begin) * sizeof(int32_t);
  for (size_t done = 0; done < count;) {
    const ssize_t got = ::pread(fd_, to + done, count - done, static_cast<off_t>(from + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(path_.string() + ": the corpus cache cannot be read: " +
                  (got < 0 ? std::strerror(errno) : "the file has been cut short"));
    }
    done += static_cast<size_t>(got);
  }
}

}  // namespace dietmt::data
