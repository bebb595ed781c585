#include "storage/npy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <utility>

#include "common/error.h"
#include "common/files.h"

namespace dietmt::storage {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "the types of the headers are `<`");

constexpr size_t kHeaderBytes = 128;  // the data begin at a multiple of 64

template <typename Value>
constexpr const char* kTypeName = std::is_same_v<Value, float> ? "<f4" : "<i8";

[[noreturn]] void fail(const fs::path& path) {
  throw Error(path.string() + ": cannot be written: " + std::strerror(errno));
}

int create(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail(path);
  return file;
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
NpyWriter<Value>::NpyWriter(fs::path path, NpyShape shape)
    : NpyWriter() {  // so that the destructor runs when something below throws
  path_ = std::move(path);
  shape_ = std::move(shape);
  std::error_code ignored;
  if (fs::exists(path_, ignored) && !fs::is_regular_file(path_, ignored))
    throw Error(path_.string() + ": cannot be written: it is not a regular file");
  remove_leftovers(path_);
  const fs::path temporary = temporary_name(path_);
  files_.push_back(create(temporary));
  ::flock(files_.front(), LOCK_EX);
  temporary_ = temporary;
  for (int64_t layer = 1; layer < shape_.layers; ++layer) {
    const fs::path nameless = temporary_.string() + "." + std::to_string(layer);
    files_.push_back(create(nameless));
    ::unlink(nameless.c_str());
  }
  values_.resize(files_.size());
  write(files_[0], std::string(kHeaderBytes, ' '));
}

template <typename Value>
NpyWriter<Value>::~NpyWriter() {
  for (const int file : files_) ::close(file);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

template <typename Value>
void NpyWriter<Value>::write(int file, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written >= 0)
      bytes = bytes.subspan(static_cast<size_t>(written));
    else if (errno != EINTR)
      fail(path_);
  }
}

template <typename Value>
void NpyWriter<Value>::append(std::span<const Value> values, int64_t layer) {
  const auto index = static_cast<size_t>(layer);
  write(files_.at(index), {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  values_[index] += std::ssize(values);
}

template <typename Value>
int64_t NpyWriter<Value>::rows() const {
  const int64_t row =
      std::accumulate(shape_.row.begin(), shape_.row.end(), int64_t{1}, std::multiplies<>());
  const bool equal = std::ranges::all_of(values_, [&](int64_t v) { return v == values_[0]; });
  if (!equal || values_[0] % row != 0) throw Error(path_.string() + ": its rows are not complete");
  return values_[0] / row;
}

template <typename Value>
void NpyWriter<Value>::commit() {
  std::vector<int64_t> shape{rows()};
  if (shape_.layers > 0) shape.insert(shape.begin(), shape_.layers);
  shape.insert(shape.end(), shape_.row.begin(), shape_.row.end());

  std::vector<char> block(1 << 20);
  for (size_t layer = 1; layer < files_.size(); ++layer) {
    if (::lseek(files_[layer], 0, SEEK_SET) != 0) fail(path_);
    for (ssize_t count = 0; (count = ::read(files_[layer], block.data(), block.size())) != 0;) {
      if (count < 0 && errno != EINTR) fail(path_);
      if (count > 0) write(files_[0], {block.data(), static_cast<size_t>(count)});
    }
  }
  if (::lseek(files_[0], 0, SEEK_SET) != 0) fail(path_);
  write(files_[0], npy_header(kTypeName<Value>, shape));
  if (::fsync(files_[0]) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_);
  temporary_.clear();
}

template class NpyWriter<float>;
template class NpyWriter<int64_t>;

}  // namespace dietmt::storage
