#include "storage/safetensors_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "common/json_fields.h"

namespace dietmt::storage {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data are little-endian");

using nlohmann::json;

constexpr uint64_t kAlignment = 64;           // of the data, and of tensors of whole such blocks
constexpr uint64_t kMaxHeader = 100'000'000;  // bytes; the limit of the reference implementation

struct Dtype {
  const char* name;
  uint64_t bytes;
};
constexpr std::array kDtypes{Dtype{"F64", 8},  Dtype{"F32", 4}, Dtype{"F16", 2},
                             Dtype{"BF16", 2}, Dtype{"I64", 8}, Dtype{"I32", 4},
                             Dtype{"I8", 1},   Dtype{"U8", 1},  Dtype{"BOOL", 1}};

[[noreturn]] void damaged(const fs::path& path, const std::string& what) {
  throw CheckpointError(path.string() + ": " + what);
}

// Any failure of `action` means that the checkpoint cannot be read or written.
template <typename Action>
auto as_checkpoint(const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw CheckpointError(error.what());
  }
}

std::shared_ptr<const MappedFile> map(const fs::path& path) {
  return as_checkpoint([&] { return std::make_shared<const MappedFile>(path); });
}

uint64_t element_bytes(const std::string& name) {
  const auto* found =
      std::ranges::find_if(kDtypes, [&](const Dtype& dtype) { return name == dtype.name; });
  if (found == kDtypes.end())
    throw std::invalid_argument("the dtype " + name + " is not supported");
  return found->bytes;
}

uint64_t data_bytes(const TensorSource& tensor) {
  uint64_t bytes = element_bytes(tensor.dtype);
  for (const int64_t size : tensor.shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

// The JSON header. Leaves the data in `bytes`.
json take_header(const fs::path& path, std::string_view& bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) damaged(path, "is too short for a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > kMaxHeader || length > bytes.size()) {
    damaged(path, "is not a safetensors file, or is cut off (header of " + std::to_string(length) +
                      " bytes)");
  }
  json header;
  try {
    header = parse_json(bytes.substr(0, length));
  } catch (const CheckpointError& error) {
    damaged(path, std::string("has a damaged safetensors header, which ") + error.what());
  }
  if (!header.is_object()) damaged(path, "has a damaged safetensors header");
  bytes.remove_prefix(length);
  return header;
}

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;
};

// The tensor of one entry of the header, a part of `data`. Throws std::exception with the reason if
// the entry is wrong.
TensorView view_tensor(const json& entry, std::string_view data, Range& range) {
  TensorView view{entry.at("dtype").get<std::string>(), {}};
  for (const json& size : entry.at("shape")) view.shape.push_back(whole_number(size));
  view.bytes = element_bytes(view.dtype);
  const auto& offsets = entry.at("data_offsets");
  if (offsets.size() != 2) throw std::invalid_argument("data_offsets needs two numbers");
  const int64_t begin = whole_number(offsets.at(0));
  const int64_t end = whole_number(offsets.at(1));
  if (begin < 0 || begin > end || end > std::ssize(data))
    throw std::invalid_argument("its data are outside the file");
  range.begin = static_cast<uint64_t>(begin);
  range.end = static_cast<uint64_t>(end);
  for (const int64_t size : view.shape) {
    if (size < 0 || __builtin_mul_overflow(view.bytes, static_cast<uint64_t>(size), &view.bytes)) {
      throw std::invalid_argument("its shape is impossible");
    }
  }
  if (view.bytes != range.end - range.begin) {
    throw std::invalid_argument("its shape does not match its number of bytes");
  }
  view.data = data.data() + range.begin;
  return view;
}

void require_whole(const fs::path& path, std::vector<Range> ranges, uint64_t size) {
  std::ranges::sort(ranges, {},
                    [](const Range& range) { return std::pair(range.begin, range.end); });
  uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered) {
      damaged(path, "tensor " + range.name + ": its data " +
                        (range.begin < covered ? "overlap another tensor's" : "follow a gap"));
    }
    covered = range.end;
  }
  if (covered != size) damaged(path, "has bytes that belong to no tensor");
}

}  // namespace

SafetensorsFile open_safetensors(const fs::path& path) {
  const std::shared_ptr<const MappedFile> file = map(path);
  std::string_view data = file->bytes();
  const json header = take_header(path, data);
  SafetensorsFile view{{}, file};
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    try {
      Range range{.name = name};
      view.tensors[name] = view_tensor(entry, data, range);
      ranges.push_back(range);
    } catch (const std::exception& error) {
      damaged(path, "tensor " + name + ": " + error.what());
    }
  }
  require_whole(path, std::move(ranges), data.size());
  require_intact(path);
  return view;
}

std::map<std::string, std::string> load_safetensors_metadata(const fs::path& path) {
  const std::shared_ptr<const MappedFile> file = map(path);
  std::string_view data = file->bytes();
  const json header = take_header(path, data);
  if (!header.contains("__metadata__")) return {};
  try {
    return header.at("__metadata__").get<std::map<std::string, std::string>>();
  } catch (const json::exception& error) {
    damaged(path, std::string("__metadata__ is damaged: ") + error.what());
  }
}

TensorSource tensor_in_memory(std::string name, std::string dtype, std::vector<int64_t> shape,
                              const void* data, size_t bytes) {
  return {std::move(name), std::move(dtype), std::move(shape), [data, bytes](AtomicFile& file) {
            file.write({static_cast<const char*>(data), bytes});
          }};
}

void write_safetensors(const fs::path& path, std::vector<TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::ranges::sort(tensors, {}, [](const TensorSource& tensor) {
    const uint64_t size = element_bytes(tensor.dtype);
    return std::tuple(data_bytes(tensor) % kAlignment != 0, -static_cast<int64_t>(size),
                      tensor.name);
  });
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t end = 0;
  for (const TensorSource& tensor : tensors) {
    if (header.contains(tensor.name)) damaged(path, "tensor " + tensor.name + " is given twice");
    const uint64_t begin = std::exchange(end, end + data_bytes(tensor));
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  uint64_t length = text.size();
  length += (kAlignment - (sizeof length + length) % kAlignment) % kAlignment;
  text.resize(length, ' ');

  as_checkpoint([&] {
    AtomicFile file(path);
    file.write_value(length);
    file.write(text);
    for (const TensorSource& tensor : tensors) tensor.write(file);
    file.commit();
  });
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

}  // namespace dietmt::storage
