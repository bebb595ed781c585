#include "interchange/zip/zip_archive.h"

#include <zip.h>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

using ZipError = std::unique_ptr<zip_error_t, decltype(&zip_error_fini)>;
using ArchiveFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

zip_t* open_archive(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  const ZipError owner(&error, &zip_error_fini);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive != nullptr && !bytes.empty()) return archive;
  if (archive != nullptr)
    zip_discard(archive);
  else
    zip_source_free(source);
  throw CheckpointError(std::string("is not a ZIP archive: ") + zip_error_strerror(&error));
}

// Deflate's best ratio: a match of 258 bytes takes at least two bits.
constexpr uint64_t kMostInflation = 4 * 258;

void check_sizes(const ZipEntry& entry, uint64_t archive_bytes) {
  if (!entry.stored && !entry.deflated) throw CheckpointError("has an unknown compression method");
  const uint64_t most = entry.stored ? entry.packed : entry.packed * kMostInflation;
  if (entry.packed > archive_bytes || entry.size > most)
    throw CheckpointError("is damaged: its size is too large");
}

}  // namespace

ZipArchive::ZipArchive(std::string_view bytes)
    : bytes_(bytes), archive_(open_archive(bytes), &zip_discard) {
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive_.get(), 0); ++i) {
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0)
      throw CheckpointError("is damaged: " + std::string(zip_strerror(archive_.get())));
    entries_.push_back({.name = entry.name,
                        .index = entry.index,
                        .size = entry.size,
                        .packed = entry.comp_size,
                        .stored = entry.comp_method == ZIP_CM_STORE,
                        .deflated = entry.comp_method == ZIP_CM_DEFLATE});
  }
}

std::string ZipArchive::read(const ZipEntry& entry) const {
  check_sizes(entry, bytes_.size());
  const ArchiveFile file(zip_fopen_index(archive_.get(), entry.index, 0), &zip_fclose);
  if (!file) throw CheckpointError("is damaged: " + std::string(zip_strerror(archive_.get())));
  std::string bytes(entry.size, '\0');
  const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
  char further = 0;  // libzip verifies checksums at the end of the entry
  if (count != std::ssize(bytes) || zip_fread(file.get(), &further, 1) != 0)
    throw CheckpointError("is damaged: " + std::string(zip_file_strerror(file.get())));
  return bytes;
}

}  // namespace dietmt::interchange
