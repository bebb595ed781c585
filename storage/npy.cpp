#include "storage/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "the types of the headers are `<`");

constexpr size_t kHeaderBytes = 128;  // the data begin at a multiple of 64

template <typename Value>
constexpr const char* kTypeName = std::is_same_v<Value, float> ? "<f4" : "<i8";

// "'shape': (3, 20)" of a header.
bool parse_shape(std::string_view header, NpyRows& array) {
  constexpr std::string_view kKey = "'shape': (";
  const size_t key = header.find(kKey);
  if (key == std::string_view::npos) return false;
  const char* end = header.data() + header.size();
  const auto rows = std::from_chars(header.data() + key + kKey.size(), end, array.rows);
  if (rows.ec != std::errc() || !std::string_view(rows.ptr, end).starts_with(", ")) return false;
  const auto width = std::from_chars(rows.ptr + 2, end, array.width);
  return width.ec == std::errc() && width.ptr != end && *width.ptr == ')' && array.rows >= 0 &&
         array.width >= 0;
}

}  // namespace

std::string npy_header(const std::string& type, const std::vector<int64_t>& shape) {
  std::string header("\x93NUMPY\x01\x00\x76\x00", 10);  // 0x76 bytes follow
  header += "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : shape) header += std::to_string(size) + ", ";
  // A tuple of one keeps its comma.
  if (!shape.empty()) header.resize(header.size() - (shape.size() == 1 ? 1 : 2));
  header += "), }";
  if (header.size() >= kHeaderBytes) throw Error("an array has too many dimensions for its header");
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

template <typename Value>
NpyWriter<Value>::NpyWriter(const std::filesystem::path& path, NpyShape shape)
    : path_(path), shape_(std::move(shape)), first_(path), values_(1) {
  for (int64_t layer = 1; layer < shape_.layers; ++layer) {
    further_.push_back(std::make_unique<UnnamedFile>(path));
    values_.push_back(0);
  }
  first_.write(std::string(kHeaderBytes, ' '));
}

template <typename Value>
void NpyWriter<Value>::append(std::span<const Value> values, int64_t layer) {
  const auto index = static_cast<size_t>(layer);
  OutputFile& file = index == 0 ? static_cast<OutputFile&>(first_) : *further_.at(index - 1);
  file.write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  file.flush();
  values_[index] += std::ssize(values);
}

template <typename Value>
int64_t NpyWriter<Value>::rows() const {
  const int64_t row =
      std::accumulate(shape_.row.begin(), shape_.row.end(), int64_t{1}, std::multiplies<>());
  const bool equal = std::ranges::all_of(values_, [&](int64_t v) { return v == values_[0]; });
  if (!equal || values_[0] % row != 0)
    throw Error(path_.string() + ": its last row is incomplete or its layers differ in length");
  return values_[0] / row;
}

template <typename Value>
void NpyWriter<Value>::commit() {
  std::vector<int64_t> shape{rows()};
  if (shape_.layers > 0) shape.insert(shape.begin(), shape_.layers);
  shape.insert(shape.end(), shape_.row.begin(), shape_.row.end());

  for (const auto& layer : further_) first_.append(*layer);
  first_.overwrite(0, npy_header(kTypeName<Value>, shape));
  first_.commit();
}

NpyRows read_npy_rows(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const auto refuse = [&](const std::string& problem) {
    throw DataError(path.string() + ": " + problem +
                    "; expected a NumPy array of fp32 with two dimensions");
  };
  const auto byte = [&](size_t i) {
    return static_cast<size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) refuse("is not a .npy file");
  const bool is_first = byte(6) == 1;  // later versions have a longer length
  const size_t begin = is_first ? 10 : 12;
  const size_t length =
      byte(8) + (byte(9) << 8U) + (is_first ? 0 : (byte(10) << 16U) + (byte(11) << 24U));
  if (length > bytes.size() - begin) refuse("its header is cut off");
  const std::string header = bytes.substr(begin, length);
  if (header.find("'<f4'") == std::string::npos) refuse("has another type");
  if (header.find("'fortran_order': False") == std::string::npos) refuse("is in Fortran order");
  NpyRows array;
  if (!parse_shape(header, array)) refuse("has another number of dimensions");
  const size_t data = bytes.size() - begin - length;
  const auto rows = static_cast<size_t>(array.rows), width = static_cast<size_t>(array.width);
  const bool fits = rows == 0 ? data == 0
                              : width > 0 && width <= data && data % (width * sizeof(float)) == 0 &&
                                    data / (width * sizeof(float)) == rows;
  if (!fits) refuse("has another size than its header says");
  array.values.resize(data / sizeof(float));
  std::memcpy(array.values.data(), bytes.data() + begin + length,
              array.values.size() * sizeof(float));
  return array;
}

template class NpyWriter<float>;
template class NpyWriter<int64_t>;

}  // namespace dietmt::storage
