#include "interchange/marian/npz_archive.h"

#include <zip.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

/// A part of `bytes`. Throws CheckpointError if it is out of range.
std::string_view part(std::string_view bytes, uint64_t at, uint64_t size) {
  if (at > bytes.size() || size > bytes.size() - at)
    throw CheckpointError("is damaged: it ends too early");
  return bytes.substr(at, size);
}

template <typename Number>
Number number(std::string_view bytes, uint64_t at) {
  Number value;
  std::memcpy(&value, part(bytes, at, sizeof value).data(), sizeof value);
  return value;
}

using ZipError = std::unique_ptr<zip_error_t, decltype(&zip_error_fini)>;
using Archive = std::unique_ptr<zip_t, decltype(&zip_discard)>;
using ArchiveFile = std::unique_ptr<zip_file_t, decltype(&zip_fclose)>;

Archive open_archive(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  const ZipError owner(&error, &zip_error_fini);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive != nullptr && !bytes.empty()) return {archive, &zip_discard};
  if (archive != nullptr)
    zip_discard(archive);
  else
    zip_source_free(source);
  throw CheckpointError(std::string("is not a ZIP archive: ") + zip_error_strerror(&error));
}

// No data can be deflated further: a match of 258 bytes takes at least two bits.
constexpr uint64_t kMostInflation = 4 * 258;

void check_sizes(const zip_stat_t& entry, uint64_t archive_bytes) {
  if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE)
    throw CheckpointError("has an unknown compression method");
  const uint64_t most =
      entry.comp_method == ZIP_CM_STORE ? entry.comp_size : entry.comp_size * kMostInflation;
  if (entry.comp_size > archive_bytes || entry.size > most)
    throw CheckpointError("is damaged: its size is too large");
}

std::string read_entry(zip_t* archive, const zip_stat_t& entry) {
  const ArchiveFile file(zip_fopen_index(archive, entry.index, 0), &zip_fclose);
  if (!file) throw CheckpointError("is damaged: " + std::string(zip_strerror(archive)));
  std::string bytes(entry.size, '\0');
  const zip_int64_t count = zip_fread(file.get(), bytes.data(), bytes.size());
  char further = 0;  // libzip compares checksums at the end of the entry
  if (count != std::ssize(bytes) || zip_fread(file.get(), &further, 1) != 0)
    throw CheckpointError("is damaged: " + std::string(zip_file_strerror(file.get())));
  return bytes;
}

/// The text after `key` in a header such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
std::string_view behind(std::string_view key, std::string_view header) {
  const size_t at = header.find(key);
  if (at == header.npos) throw CheckpointError("has a damaged header");
  header.remove_prefix(at + key.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

/// The text between `open`, which starts `text`, and the next `close`.
std::string_view between(char open, char close, std::string_view text) {
  const size_t end = text.find(close, 1);
  if (!text.starts_with(open) || end == text.npos) throw CheckpointError("has a damaged header");
  return text.substr(1, end - 1);
}

/// The numbers of a tuple such as `2, 3` or `6,`.
std::vector<int64_t> sizes_in(std::string_view tuple) {
  std::vector<int64_t> sizes;
  while (true) {
    tuple.remove_prefix(std::min(tuple.find_first_not_of(", "), tuple.size()));
    if (tuple.empty()) return sizes;
    int64_t size = 0;
    const auto [end, problem] = std::from_chars(tuple.data(), tuple.data() + tuple.size(), size);
    if (problem != std::errc() || size < 0) throw CheckpointError("has an impossible shape");
    sizes.push_back(size);
    tuple.remove_prefix(static_cast<size_t>(end - tuple.data()));
  }
}

}  // namespace

uint64_t npy_type_bytes(std::string_view type) {
  for (const char* known : {"<f2", "<f4", "<f8", "|i1", "<i1", "|u1", "|b1"})
    if (type == known) return static_cast<uint64_t>(type.back() - '0');
  return 0;
}

NpyArray read_npy(std::string_view bytes) {
  if (!bytes.starts_with("\x93NUMPY")) throw CheckpointError("is not a NumPy array");
  const bool short_length = part(bytes, 6, 1)[0] == 1;
  const uint64_t begin = short_length ? 10 : 12;
  const uint64_t length = short_length ? number<uint16_t>(bytes, 8) : number<uint32_t>(bytes, 8);
  const std::string_view header = part(bytes, begin, length);
  if (header.find("'fortran_order': True") != header.npos)
    throw CheckpointError("is in Fortran order");
  NpyArray array;
  array.type = between('\'', '\'', behind("'descr':", header));
  array.shape = sizes_in(between('(', ')', behind("'shape':", header)));
  uint64_t size = npy_type_bytes(array.type);
  if (size == 0)
    throw CheckpointError("has the unknown type '" + std::string(array.type.substr(0, 20)) + "'");
  bool empty = false;
  for (const int64_t length_of_side : array.shape) {
    empty |= length_of_side == 0;
    if (__builtin_mul_overflow(size, std::max<int64_t>(length_of_side, 1), &size))
      throw CheckpointError("has an impossible shape");
  }
  array.data = part(bytes, begin + length, empty ? 0 : size);
  return array;
}

void read_npz(std::string_view bytes,
              const std::function<void(const std::string& name, const NpyArray& array)>& take) {
  const Archive archive = open_archive(bytes);
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive.get(), 0); ++i) {
    zip_stat_t entry;
    zip_stat_init(&entry);
    if (zip_stat_index(archive.get(), static_cast<zip_uint64_t>(i), 0, &entry) != 0)
      throw CheckpointError("is damaged: " + std::string(zip_strerror(archive.get())));
    const std::string name = entry.name;
    try {
      check_sizes(entry, bytes.size());
      const size_t stem = name.size() - (name.ends_with(".npy") ? 4 : 0);
      take(name.substr(0, stem), read_npy(read_entry(archive.get(), entry)));
    } catch (const CheckpointError& error) {
      throw CheckpointError(name + ": " + error.what());
    }
  }
}

}  // namespace dietmt::interchange
