#include "service/documents/zip_package.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <set>

#include "common/error.h"
#include "service/documents/document.h"

namespace dietmt::service {
namespace {

constexpr int64_t kMaxParts = 10'000;

bool leads_out(const std::string& name) {
  return name.empty() || name.front() == '/' || name.find('\\') != name.npos ||
         name.find(':') != name.npos || ("/" + name + "/").find("/../") != name.npos;
}

// A copy of the bytes for libzip to free. zip_close() of libzip before 1.9 also frees its caller's
// buffer if the first half of the archive stays unchanged (nih-at/libzip issue 284).
zip_source_t* source_of(std::string_view bytes) {
  void* const copy = bytes.empty() ? nullptr : std::malloc(bytes.size());
  if (copy == nullptr && !bytes.empty()) throw std::bad_alloc();
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(copy));
  zip_source_t* const source = zip_source_buffer_create(copy, bytes.size(), 1, nullptr);
  if (source == nullptr) throw std::bad_alloc();
  return source;
}

// Whether the part can be copied without unpacking, `block` by block.
bool is_whole(zip_t* archive, uint64_t index, uint64_t packed_size, std::string& block) {
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen_index(archive, index, ZIP_FL_COMPRESSED), zip_fclose);
  if (!file) return false;
  uint64_t size = 0;
  int64_t count = 0;
  while ((count = zip_fread(file.get(), block.data(), block.size())) > 0)
    size += static_cast<uint64_t>(count);
  return count == 0 && size == packed_size;
}

}  // namespace

ZipPackage::ZipPackage() : source_(source_of(""), zip_source_free), archive_(nullptr, zip_discard) {
  open(ZIP_CREATE | ZIP_TRUNCATE);
}

ZipPackage::ZipPackage(std::string_view bytes)
    : source_(source_of(bytes), zip_source_free), archive_(nullptr, zip_discard) {
  if (bytes.empty()) throw DataError("the file is empty");
  open(0);
  const int64_t parts = zip_get_num_entries(archive_.get(), 0);
  if (parts > kMaxParts)
    throw DataError("the archive has more than " + std::to_string(kMaxParts) + " parts");
  uint64_t left = bytes.size();  // overlapping parts would take long to read
  std::string block(1 << 16, '\0');
  for (int64_t i = 0; i < parts; ++i) {
    zip_stat_t about;
    const auto index = static_cast<uint64_t>(i);
    if (zip_stat_index(archive_.get(), index, 0, &about) != 0) damaged();
    names_.emplace_back(about.name);
    if (leads_out(names_.back()))
      throw DataError("the archive has a part with the unsafe name \"" + names_.back() + "\"");
    if (about.encryption_method != ZIP_EM_NONE) throw DataError("the archive is encrypted");
    if (about.comp_size > left || !is_whole(archive_.get(), index, about.comp_size, block))
      damaged();
    left -= about.comp_size;
  }
  if (std::set<std::string>(names_.begin(), names_.end()).size() != names_.size())
    throw DataError("the archive has two parts with the same name");
}

void ZipPackage::open(int flags) {
  zip_source_keep(source_.get());  // one reference for the archive, one for this object
  archive_.reset(zip_open_from_source(source_.get(), flags, nullptr));
  if (archive_) return;
  zip_source_free(source_.get());
  throw DataError("the file is not a complete ZIP archive");
}

std::string ZipPackage::read(const std::string& name, size_t limit) const {
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen(archive_.get(), name.c_str(), 0), zip_fclose);
  if (!file) damaged();
  constexpr size_t kBlock = 1 << 16;
  std::string content;
  while (true) {
    const size_t size = content.size();
    content.resize(size + kBlock);
    const int64_t count = zip_fread(file.get(), content.data() + size, kBlock);
    if (count < 0) damaged();
    content.resize(size + static_cast<size_t>(count));
    if (count == 0) return content;
    if (content.size() > limit)
      throw DocumentTooLargeError("the archive unpacks to more than " + std::to_string(limit) +
                                  " bytes");
  }
}

void ZipPackage::replace(const std::string& name, const std::string& content) {
  zip_stat_t about;
  if (zip_stat(archive_.get(), name.c_str(), 0, &about) != 0) damaged();
  zip_source_t* const part = source_of(content);
  if (zip_file_replace(archive_.get(), about.index, part, 0) != 0) {
    zip_source_free(part);
    damaged();
  }
  if (zip_file_set_mtime(archive_.get(), about.index, about.mtime, 0) != 0) damaged();
}

void ZipPackage::add(const std::string& name, const std::string& content) {
  constexpr time_t kFirstDay = 315'619'200;  // the second of 1980, in every time zone
  zip_source_t* const part = source_of(content);
  const int64_t index = zip_file_add(archive_.get(), name.c_str(), part, 0);
  if (index < 0) {
    zip_source_free(part);
    damaged();
  }
  if (zip_file_set_mtime(archive_.get(), static_cast<uint64_t>(index), kFirstDay, 0) != 0)
    damaged();
}

std::string ZipPackage::packed() {
  if (zip_close(archive_.get()) != 0) damaged();
  (void)archive_.release();
  zip_stat_t about;
  if (zip_source_stat(source_.get(), &about) != 0 || zip_source_open(source_.get()) != 0) damaged();
  std::string bytes(about.size, '\0');
  const int64_t count = zip_source_read(source_.get(), bytes.data(), bytes.size());
  zip_source_close(source_.get());
  if (count != static_cast<int64_t>(bytes.size())) damaged();
  return bytes;
}

void ZipPackage::damaged() const { throw DataError("the ZIP archive is damaged"); }

}  // namespace dietmt::service
