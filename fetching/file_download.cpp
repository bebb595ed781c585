#include "fetching/file_download.h"

#include <fmt/format.h>

#include <vector>

#include "common/atomic_file.h"
#include "fetching/sha256.h"

namespace dietmt::fetching {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kRangeNotSatisfiable = 416;

// What has arrived so far, with its checksum.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& path) : file_(path, Unfinished::kKept) {
    std::vector<char> block(1 << 20);
    while (const size_t count =
               file_.read(static_cast<uint64_t>(size_), block.data(), block.size())) {
      hash_.add({block.data(), count});
      size_ += static_cast<int64_t>(count);
    }
    file_.truncate(static_cast<uint64_t>(size_));  // writing continues at the end
  }

  int64_t size() const { return size_; }

  void clear() {
    file_.truncate(0);
    hash_.restart();
    size_ = 0;
  }

  void append(std::string_view bytes) {
    file_.write(bytes);
    file_.flush();  // for the next process, if this one is killed
    hash_.add(bytes);
    size_ += static_cast<int64_t>(bytes.size());
  }

  std::string digest() { return hash_.digest(); }
  void commit() { file_.commit(); }
  void discard() { file_.discard(); }

 private:
  AtomicFile file_;
  Sha256 hash_;
  int64_t size_ = 0;
};

class Download {
 public:
  Download(HttpClient& client, const PublishedFile& file, const fs::path& path,
           std::string validator, const DownloadProgress& progress)
      : client_(client),
        file_(file),
        validator_(std::move(validator)),
        progress_(progress),
        part_(path) {
    if (!may_continue() || part_.size() > most()) part_.clear();
  }

  std::string run() {
    if (part_.size() == 0 || part_.size() != file_.size)
      client_.with_retries([&] { request(); }, [&] { return part_.size(); });
    const std::string found = part_.digest();
    if (!file_.sha256.empty() && found != file_.sha256) {
      part_.discard();
      throw WrongBytes(fmt::format("{}: its SHA-256 is {} instead of {}; the download was removed",
                                   file_.url, found, file_.sha256));
    }
    part_.commit();
    return found;
  }

 private:
  // Without a checksum, two versions of a file could be joined.
  bool may_continue() const { return !validator_.empty() || !file_.sha256.empty(); }

  int64_t most() const { return file_.size >= 0 ? file_.size : kMostUnknownBytes; }

  void request() {
    if (!may_continue()) part_.clear();
    try {
      client_.get(
          file_.url, {part_.size(), validator_}, [&](const HttpAnswer& a) { start(a); },
          [&](std::string_view bytes) { take(bytes); });
    } catch (const HttpError& error) {
      if (error.status() != kRangeNotSatisfiable || part_.size() == 0) throw;
      part_.clear();  // the file is shorter now
      validator_.clear();
      return request();
    }
    if (file_.size >= 0 && part_.size() < file_.size)
      throw HttpError(
          fmt::format("{}: ends after {} of {} bytes", file_.url, part_.size(), file_.size), 0,
          true);
  }

  void start(const HttpAnswer& answer) {
    if (answer.first == 0) part_.clear();
    if (answer.first != part_.size())
      throw Error(fmt::format("{}: the server sends the bytes from {}, not from {} as asked",
                              file_.url, answer.first, part_.size()));
    if (file_.size >= 0 && answer.size >= 0 && answer.size != file_.size)
      throw Error(
          fmt::format("{}: has {} bytes instead of {}: it was replaced, or the registry is "
                      "out of date",
                      file_.url, answer.size, file_.size));
    validator_ = answer.validator;
    progress_.identified(validator_);
  }

  void take(std::string_view bytes) {
    if (part_.size() + static_cast<int64_t>(bytes.size()) > most()) {
      part_.discard();
      throw WrongBytes(
          fmt::format("{}: sends more than {} bytes; the download was removed", file_.url, most()));
    }
    part_.append(bytes);
    progress_.advanced(part_.size());
  }

  HttpClient& client_;
  const PublishedFile& file_;
  std::string validator_;
  const DownloadProgress& progress_;
  PartialFile part_;
};

}  // namespace

std::string download(HttpClient& client, const PublishedFile& file, const fs::path& path,
                     std::string validator, const DownloadProgress& progress) {
  return Download(client, file, path, std::move(validator), progress).run();
}

}  // namespace dietmt::fetching
