#include "interchange/marian/npz_archive.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "common/error.h"
#include "interchange/zip/zip_archive.h"

namespace dietmt::interchange {
namespace {

/// A slice of `bytes`. Throws CheckpointError if it is out of range.
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

/// The numbers in a tuple such as `2, 3` or `6,`.
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
  const ZipArchive archive(bytes);
  uint64_t packed = 0;
  for (const ZipEntry& entry : archive.entries()) {
    try {
      packed += entry.packed;
      if (packed > bytes.size())
        throw CheckpointError("overlaps with another entry of the archive");
      const size_t stem = entry.name.size() - (entry.name.ends_with(".npy") ? 4 : 0);
      take(entry.name.substr(0, stem), read_npy(archive.read(entry)));
    } catch (const CheckpointError& error) {
      throw CheckpointError(entry.name + ": " + error.what());
    }
  }
}

}  // namespace dietmt::interchange
