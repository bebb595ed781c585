#include "storage/npy.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

#include "common/error.h"

namespace dietmt::storage {
namespace {

static_assert(std::endian::native == std::endian::little, "the types of the headers are `<`");

constexpr size_t kHeaderBytes = 128;  // the data begin at a multiple of 64

template <typename Value>
constexpr const char* kTypeName = std::is_same_v<Value, float> ? "<f4" : "<i8";

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

template class NpyWriter<float>;
template class NpyWriter<int64_t>;

}  // namespace dietmt::storage
