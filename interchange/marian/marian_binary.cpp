#include "interchange/marian/marian_binary.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstring>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

constexpr uint64_t kVersion = 1;
constexpr uint64_t kFloat32 = 0x404;
constexpr uint64_t kIntgemm8 = 0x4101;
constexpr uint64_t kInt8 = 0x101;

struct TensorHeader {
  uint64_t name_bytes, type, dimensions, data_bytes;
};

/// Consumes the file in order.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw CheckpointError("is damaged: it ends too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <typename T>
  std::vector<T> numbers(uint64_t count) {
    if (count > rest_.size() / sizeof(T)) take(rest_.size() + 1);
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
    return values;
  }

 private:
  std::string_view rest_;
};

BinaryTensor::Type type_of(uint64_t type) {
  if (type == kFloat32) return BinaryTensor::Type::kFloat;
  if (type == kIntgemm8) return BinaryTensor::Type::kIntegers;
  if (type == kInt8) return BinaryTensor::Type::kBytes;
  throw CheckpointError(fmt::format(
      "has type {:#x}; known: float32 ({:#x}), intgemm8 ({:#x}), bytes ({:#x}). Convert the model "
      "with marian-conv --gemm-type float32 or intgemm8",
      type, kFloat32, kIntgemm8, kInt8));
}

uint64_t least_bytes(const BinaryTensor& tensor) {
  const auto numbers = static_cast<uint64_t>(tensor.numbers());
  if (tensor.type == BinaryTensor::Type::kFloat) return numbers * sizeof(float);
  return numbers + (tensor.type == BinaryTensor::Type::kIntegers ? sizeof(float) : 0);
}

void check(const BinaryTensor& tensor) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t numbers = 1;
  for (const int64_t size : tensor.shape) {
    if (size < 0 || (size > 0 && numbers > kMost / size))
      throw CheckpointError("has a wrong shape");
    numbers *= size;
  }
  if (tensor.data.size() < least_bytes(tensor)) throw CheckpointError("has too little data");
}

std::map<std::string, BinaryTensor> read_tensors(std::string_view bytes) {
  Cursor cursor(bytes);
  const auto start = cursor.numbers<uint64_t>(2);
  if (start[0] != kVersion)
    throw CheckpointError(fmt::format("is not a binary model of Marian: version {}, expected {}",
                                      start[0], kVersion));
  const auto headers = cursor.numbers<TensorHeader>(start[1]);
  std::vector<std::string> names;
  for (const TensorHeader& header : headers) {
    const std::string_view name = cursor.take(header.name_bytes);
    names.emplace_back(name.substr(0, name.find('\0')));
  }
  std::vector<BinaryTensor> all;
  for (const TensorHeader& header : headers) {
    const auto shape = cursor.numbers<int32_t>(header.dimensions);
    all.push_back({.shape = {shape.begin(), shape.end()}});
  }
  cursor.take(cursor.numbers<uint64_t>(1).front());  // padding
  std::map<std::string, BinaryTensor> tensors;
  for (size_t i = 0; i < all.size(); ++i) {
    try {
      all[i].data = cursor.take(headers[i].data_bytes);
      all[i].type = type_of(headers[i].type);
      check(all[i]);
    } catch (const CheckpointError& error) {
      throw CheckpointError("tensor '" + names[i] + "' " + error.what());
    }
    tensors[names[i]] = std::move(all[i]);
  }
  return tensors;
}

}  // namespace

int64_t BinaryTensor::numbers() const {
  int64_t product = 1;
  for (const int64_t size : shape) product *= size;
  return product;
}

std::vector<float> BinaryTensor::floats() const {
  std::vector<float> values(static_cast<size_t>(numbers()));
  if (type == Type::kFloat) {
    std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
  } else {
    const float scale = 1.0F / multiplier();
    std::ranges::transform(integers(), values.begin(),
                           [scale](int8_t integer) { return static_cast<float>(integer) * scale; });
  }
  return values;
}

std::span<const int8_t> BinaryTensor::integers() const {
  return {reinterpret_cast<const int8_t*>(data.data()), static_cast<size_t>(numbers())};
}

float BinaryTensor::multiplier() const {
  float value = 0.0F;
  std::memcpy(&value, data.data() + numbers(), sizeof value);
  return value;
}

MarianBinary::MarianBinary(const std::filesystem::path& path) : path_(path) {
  try {
    file_ = std::make_unique<const MappedFile>(path);
  } catch (const Error& error) {
    throw CheckpointError(error.what());
  }
  try {
    tensors_ = read_tensors(file_->bytes());
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

namespace {

constexpr uint64_t kDataAlignment = 256;

template <typename T>
void append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void pad_to_alignment(std::string& bytes) {
  bytes.resize((bytes.size() + kDataAlignment - 1) / kDataAlignment * kDataAlignment);
}

}  // namespace

void write_marian_binary(const std::filesystem::path& path, const std::string& options,
                         const std::map<std::string, BinaryTensor>& tensors) {
  std::string headers, names, shapes, data;
  const auto add = [&](const std::string& name, uint64_t type, const std::vector<int32_t>& shape,
                       std::string_view values) {
    const size_t begin = data.size();
    data += values;
    pad_to_alignment(data);
    const TensorHeader header{name.size() + 1, type, shape.size(), data.size() - begin};
    append<TensorHeader>(headers, {&header, 1});
    names += name + '\0';
    append<int32_t>(shapes, shape);
  };
  for (const auto& [name, tensor] : tensors)
    add(name, kFloat32, {tensor.shape.begin(), tensor.shape.end()}, tensor.data);
  const std::string text = options + '\0';
  add("special:model.yml", kInt8, {static_cast<int32_t>(text.size())}, text);

  std::string file;
  const uint64_t start[] = {kVersion, tensors.size() + 1};
  append<uint64_t>(file, start);
  file += headers + names + shapes;
  const size_t unpadded = file.size() + sizeof(uint64_t);
  const uint64_t padding = (kDataAlignment - unpadded % kDataAlignment) % kDataAlignment;
  append<uint64_t>(file, {&padding, 1});
  file.resize(file.size() + padding);
  write_file_atomically(path, file + data);
}

bool MarianBinary::has_integers() const {
  return std::ranges::any_of(tensors_, [](const auto& tensor) {
    return tensor.second.type == BinaryTensor::Type::kIntegers;
  });
}

}  // namespace dietmt::interchange
