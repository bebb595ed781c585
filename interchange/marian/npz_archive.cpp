#include "interchange/marian/npz_archive.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

/// A part of `bytes`. Throws CheckpointError where it is not inside.
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

std::string inflated(std::string_view packed, uint64_t size) {
  // What no deflated data can become needs no memory: a match of 258 bytes takes two bits or more.
  if (size > packed.size() * 4 * 258)
    throw CheckpointError("is damaged: it claims to be too large");
  std::string bytes(size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  // Without zlib's own header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw CheckpointError("zlib cannot start");
  const int code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.total_out != size)
    throw CheckpointError("is damaged: its data cannot be unpacked");
  return bytes;
}

/// An entry of the archive's directory.
struct Entry {
  std::string name;
  uint16_t method;
  uint32_t checksum, packed_size, size, offset;
};

// Positions in the records of the format.
constexpr uint32_t kEndSignature = 0x06054b50, kEntrySignature = 0x02014b50,
                   kLocalSignature = 0x04034b50;
constexpr uint64_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;

std::vector<Entry> read_directory(std::string_view archive) {
  uint64_t end = archive.size();
  do {
    if (end == 0) throw CheckpointError("is no ZIP archive");
    --end;
  } while (archive.size() - end < kEndSize || number<uint32_t>(archive, end) != kEndSignature);
  const auto count = number<uint16_t>(archive, end + 10);
  uint64_t at = number<uint32_t>(archive, end + 16);
  std::vector<Entry> entries;
  for (int i = 0; i < count; ++i) {
    if (number<uint32_t>(archive, at) != kEntrySignature)
      throw CheckpointError("is damaged: its directory is not where it should be");
    const auto name_size = number<uint16_t>(archive, at + 28);
    entries.push_back({std::string(part(archive, at + kEntrySize, name_size)),
                       number<uint16_t>(archive, at + 10), number<uint32_t>(archive, at + 16),
                       number<uint32_t>(archive, at + 20), number<uint32_t>(archive, at + 24),
                       number<uint32_t>(archive, at + 42)});
    at += kEntrySize + name_size + number<uint16_t>(archive, at + 30) +
          number<uint16_t>(archive, at + 32);
  }
  return entries;
}

std::string read_entry(std::string_view archive, const Entry& entry) {
  if (entry.size == UINT32_MAX || entry.offset == UINT32_MAX)
    throw CheckpointError("has 4 GiB or more");
  if (number<uint32_t>(archive, entry.offset) != kLocalSignature)
    throw CheckpointError("is damaged: it is not where it should be");
  const uint64_t begin = entry.offset + kLocalSize + number<uint16_t>(archive, entry.offset + 26) +
                         number<uint16_t>(archive, entry.offset + 28);
  const std::string_view packed = part(archive, begin, entry.packed_size);
  if (entry.method != 0 && entry.method != 8)
    throw CheckpointError("is packed by a method that is not known");
  std::string bytes = entry.method == 0 ? std::string(packed) : inflated(packed, entry.size);
  if (crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()) != entry.checksum)
    throw CheckpointError("is damaged: its checksum is wrong");
  return bytes;
}

/// What stands behind `key` in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),
/// }
std::string_view behind(std::string_view key, std::string_view header) {
  const size_t at = header.find(key);
  if (at == header.npos) throw CheckpointError("has a damaged header");
  header.remove_prefix(at + key.size());
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

/// What stands between `open`, with which `text` begins, and the next `close`.
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
  if (!bytes.starts_with("\x93NUMPY")) throw CheckpointError("is no array of NumPy");
  const bool short_length = part(bytes, 6, 1)[0] == 1;
  const uint64_t begin = short_length ? 10 : 12;
  const uint64_t length = short_length ? number<uint16_t>(bytes, 8) : number<uint32_t>(bytes, 8);
  const std::string_view header = part(bytes, begin, length);
  if (header.find("'fortran_order': True") != header.npos)
    throw CheckpointError("is in Fortran's order");
  NpyArray array;
  array.type = between('\'', '\'', behind("'descr':", header));
  array.shape = sizes_in(between('(', ')', behind("'shape':", header)));
  uint64_t size = npy_type_bytes(array.type);
  if (size == 0)
    throw CheckpointError("arrays of type '" + std::string(array.type.substr(0, 20)) +
                          "' are not known");
  bool empty = false;
  for (const int64_t length_of_side : array.shape) {
    empty |= length_of_side == 0;
    if (__builtin_mul_overflow(size, std::max<int64_t>(length_of_side, 1), &size))
      throw CheckpointError("has an impossible shape");
  }
  array.data = part(bytes, begin + length, empty ? 0 : size);
  return array;
}

void read_npz(std::string_view archive,
              const std::function<void(const std::string& name, const NpyArray& array)>& take) {
  for (const Entry& entry : read_directory(archive)) {
    try {
      const std::string bytes = read_entry(archive, entry);
      const size_t stem = entry.name.size() - (entry.name.ends_with(".npy") ? 4 : 0);
      take(entry.name.substr(0, stem), read_npy(bytes));
    } catch (const CheckpointError& error) {
      throw CheckpointError(entry.name + ": " + error.what());
    }
  }
}

}  // namespace dietmt::interchange
