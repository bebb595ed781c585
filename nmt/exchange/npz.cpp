#include "nmt/exchange/npz.h"

#include <ATen/ATen.h>
#include <zlib.h>

#include <cstring>
#include <regex>

#include "common/error.h"
#include "training/safetensors_file.h"

namespace dietmt::nmt {
namespace {

struct ArrayType {
  const char* name;
  at::ScalarType type;
};
constexpr ArrayType kArrayTypes[] = {{"<f4", at::kFloat}, {"<f2", at::kHalf}, {"<f8", at::kDouble},
                                     {"|i1", at::kChar},  {"<i1", at::kChar}, {"|u1", at::kByte},
                                     {"|b1", at::kBool}};

at::ScalarType array_type(const std::string& name) {
  for (const ArrayType& row : kArrayTypes)
    if (name == row.name) return row.type;
  throw CheckpointError("arrays of type '" + name + "' are not known");
}

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

}  // namespace

at::Tensor parse_npy(std::string_view bytes) {
  if (!bytes.starts_with("\x93NUMPY")) throw CheckpointError("is no array of NumPy");
  const bool short_length = part(bytes, 6, 1)[0] == 1;
  const uint64_t begin = short_length ? 10 : 12;
  const uint64_t length = short_length ? number<uint16_t>(bytes, 8) : number<uint32_t>(bytes, 8);
  const std::string header(part(bytes, begin, length));
  std::smatch type, shape;
  if (!std::regex_search(header, type, std::regex("'descr': *'([^']*)'")) ||
      !std::regex_search(header, shape, std::regex(R"('shape': *\(([0-9, ]*)\))")))
    throw CheckpointError("has a damaged header");
  if (header.find("'fortran_order': True") != std::string::npos)
    throw CheckpointError("is in Fortran's order");
  std::vector<int64_t> sizes;
  const std::string numbers = shape[1].str();
  const std::regex digits("[0-9]{1,18}");
  uint64_t count = at::elementSize(array_type(type[1].str()));
  for (std::sregex_iterator next(numbers.begin(), numbers.end(), digits), end; next != end;
       ++next) {
    sizes.push_back(std::stoll(next->str()));
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(sizes.back()), &count))
      throw CheckpointError("has an impossible shape");
  }
  const std::string_view data = part(bytes, begin + length, count);
  at::Tensor array = at::empty(sizes, at::TensorOptions().dtype(array_type(type[1].str())));
  if (count > 0) std::memcpy(array.mutable_data_ptr(), data.data(), count);
  return array;
}

std::map<std::string, at::Tensor> load_npz(const std::filesystem::path& path) {
  const training::MappedFile file(path);
  std::map<std::string, at::Tensor> arrays;
  std::string name;
  try {
    for (const Entry& entry : read_directory(file.bytes())) {
      name = entry.name + ": ";
      const size_t stem = entry.name.size() - (entry.name.ends_with(".npy") ? 4 : 0);
      arrays[entry.name.substr(0, stem)] = parse_npy(read_entry(file.bytes(), entry));
    }
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + name + error.what());
  }
  return arrays;
}

}  // namespace dietmt::nmt
