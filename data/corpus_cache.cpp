#include "data/corpus_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <type_traits>

#include "common/error.h"

namespace dietmt::data {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kMagic = 0x31535052'4f435444;  // "DTCORPS1" on a little-endian machine
constexpr uint64_t kVersion = 1;
constexpr uint64_t kPage = 4096;
constexpr size_t kBufferBytes = 1 << 20;

struct Header {
  uint64_t magic = kMagic;
  uint64_t version = kVersion;
  uint64_t fingerprint_bytes = 0;
  uint64_t tokens_at = 0;  // byte offsets
  uint64_t boundaries_at = 0;
  uint64_t pairs = 0;
  CorpusReport report;
};
static_assert(std::is_trivially_copyable_v<Header>);

constexpr uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint64_t file_bytes(const Header& header) {
  return header.boundaries_at + (2 * header.pairs + 1) * sizeof(uint64_t);
}

bool is_valid(const Header& header, uint64_t size) {
  return header.magic == kMagic && header.version == kVersion && file_bytes(header) == size &&
         sizeof(Header) + header.fingerprint_bytes <= header.tokens_at &&
         header.tokens_at <= header.boundaries_at;
}

constexpr const char* kTemporarySuffix = ".tmp";

// Removes what writers that were killed have left. A living writer holds a lock on its file.
void remove_leftovers(const fs::path& path) {
  const std::string prefix = path.filename().string() + kTemporarySuffix;
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with(prefix)) continue;
    const int fd = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(entry.path().c_str());
    ::close(fd);
  }
}

}  // namespace

CacheWriter::CacheWriter(fs::path path, const std::string& fingerprint)
    : path_(std::move(path)),
      temporary_(path_.string() + kTemporarySuffix + std::to_string(::getpid())),
      fingerprint_bytes_(fingerprint.size()),
      tokens_at_(round_up(sizeof(Header) + fingerprint.size(), kPage)) {
  std::error_code ignored;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), ignored);
  remove_leftovers(path_);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("be created");
  ::flock(fd_, LOCK_EX);
  buffer_.reserve(kBufferBytes);
  const std::vector<char> room_for_header(sizeof(Header));  // its numbers are known at the end
  write(room_for_header.data(), room_for_header.size());
  write(fingerprint.data(), fingerprint.size());
  const std::vector<char> padding(tokens_at_ - sizeof(Header) - fingerprint.size());
  write(padding.data(), padding.size());
}

CacheWriter::~CacheWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void CacheWriter::fail(const char* what) const {
  throw Error(path_.string() + ": the corpus cache cannot " + what + ": " + std::strerror(errno));
}

void CacheWriter::write(const void* bytes, size_t count) {
  const char* from = static_cast<const char*>(bytes);
  if (buffer_.size() + count > kBufferBytes) flush();
  buffer_.insert(buffer_.end(), from, from + count);
}

void CacheWriter::flush() {
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t written = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("be written");
    done += static_cast<size_t>(written);
  }
  buffer_.clear();
}

void CacheWriter::append(std::span<const int32_t> source, std::span<const int32_t> target) {
  write(source.data(), source.size_bytes());
  write(target.data(), target.size_bytes());
  lengths_.push_back(static_cast<int32_t>(source.size()));
  lengths_.push_back(static_cast<int32_t>(target.size()));
}

void CacheWriter::finish(const CorpusReport& report) {
  uint64_t tokens = 0;
  for (const int32_t length : lengths_) tokens += static_cast<uint64_t>(length);
  const int32_t padding = 0;
  if (tokens % 2 == 1) write(&padding, sizeof padding);  // boundaries are aligned to 8 bytes
  uint64_t boundary = 0;
  write(&boundary, sizeof boundary);
  for (const int32_t length : lengths_) {
    boundary += static_cast<uint64_t>(length);
    write(&boundary, sizeof boundary);
  }
  flush();

  Header header;
  header.fingerprint_bytes = fingerprint_bytes_;
  header.tokens_at = tokens_at_;
  header.boundaries_at = round_up(tokens_at_ + tokens * sizeof(int32_t), sizeof(uint64_t));
  header.pairs = lengths_.size() / 2;
  header.report = report;
  if (::pwrite(fd_, &header, sizeof header, 0) != sizeof header) fail("be written");
  if (::fsync(fd_) != 0) fail("be synced to disk");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("be renamed into place");
  ::close(fd_);
  fd_ = -1;
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
  pairs_ = static_cast<int64_t>(header.pairs);
  tokens_at_ = header.tokens_at;
  tokens_ = reinterpret_cast<const int32_t*>(bytes + header.tokens_at);
  boundaries_ = reinterpret_cast<const uint64_t*>(bytes + header.boundaries_at);
  report_ = header.report;
  // Pairs are read in random order, where reading ahead reads in vain.
  ::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM);
  return true;
}

MappedCache::~MappedCache() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

void MappedCache::read(int64_t pair, std::vector<int32_t>& ids) const {
  const uint64_t begin = boundaries_[2 * pair];
  ids.resize(boundaries_[2 * pair + 2] - begin);
  const size_t count = ids.size() * sizeof(int32_t);
  for (size_t done = 0; done < count;) {
    const ssize_t got = ::pread(fd_, reinterpret_cast<char*>(ids.data()) + done, count - done,
                                static_cast<off_t>(tokens_at_ + begin * sizeof(int32_t) + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(path_.string() + ": the corpus cache cannot be read: " +
                  (got < 0 ? std::strerror(errno) : "the file has been cut short"));
    }
    done += static_cast<size_t>(got);
  }
}

}  // namespace dietmt::data
