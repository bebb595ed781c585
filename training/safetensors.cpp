#include "training/safetensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <tuple>

#include "common/error.h"
#include "common/files.h"
#include "training/safetensors_file.h"

namespace dietmt::training {
namespace fs = std::filesystem;
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors data are little-endian");

using nlohmann::json;

constexpr uint64_t kAlignment = 64;           // of the data, and of tensors of whole such blocks
constexpr uint64_t kMaxHeader = 100'000'000;  // bytes; the limit of the reference implementation

struct Dtype {
  const char* name;
  at::ScalarType type;
};
constexpr std::array kDtypes{
    Dtype{"F64", at::kDouble},    Dtype{"F32", at::kFloat}, Dtype{"F16", at::kHalf},
    Dtype{"BF16", at::kBFloat16}, Dtype{"I64", at::kLong},  Dtype{"I32", at::kInt},
    Dtype{"I8", at::kChar},       Dtype{"U8", at::kByte},   Dtype{"BOOL", at::kBool}};

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw CheckpointError(path.string() + ": " + what);
}
const char* dtype_name(at::ScalarType type) {
  const auto* found = std::ranges::find(kDtypes, type, &Dtype::type);
  return found == kDtypes.end() ? nullptr : found->name;
}

at::ScalarType dtype_of(const std::string& name) {
  for (const Dtype& dtype : kDtypes) {
    if (name == dtype.name) return dtype.type;
  }
  throw std::invalid_argument("the dtype " + name + " is not supported");
}

// The JSON header; what follows it in `bytes` are the data.
json take_header(const fs::path& path, std::string_view& bytes) {
  uint64_t length = 0;
  if (bytes.size() < sizeof length) fail(path, "is too short for a safetensors file");
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes.remove_prefix(sizeof length);
  if (length > kMaxHeader || length > bytes.size()) {
    fail(path, "is not a safetensors file, or is cut off (header of " + std::to_string(length) +
                   " bytes)");
  }
  json header = json::parse(bytes.substr(0, length), nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) fail(path, "has a damaged safetensors header");
  bytes.remove_prefix(length);
  return header;
}

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;
};

// The tensor of one entry of the header, which views `data` and keeps `file`; throws std::exception
// saying what is wrong with the entry.
at::Tensor view_tensor(const json& entry, const std::shared_ptr<const MappedFile>& file,
                       std::string_view data, Range& range) {
  const at::ScalarType type = dtype_of(entry.at("dtype").get<std::string>());
  const auto shape = entry.at("shape").get<std::vector<int64_t>>();
  const auto& offsets = entry.at("data_offsets");
  if (offsets.size() != 2) throw std::invalid_argument("data_offsets needs two numbers");
  range.begin = offsets.at(0).get<uint64_t>();
  range.end = offsets.at(1).get<uint64_t>();
  if (range.begin > range.end || range.end > data.size()) {
    throw std::invalid_argument("its data lie outside the file");
  }
  uint64_t bytes = at::elementSize(type);
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes)) {
      throw std::invalid_argument("its shape is impossible");
    }
  }
  if (bytes != range.end - range.begin) {
    throw std::invalid_argument("its shape does not match its number of bytes");
  }
  const auto options = at::TensorOptions().dtype(type);
  if (bytes == 0) return at::empty(shape, options);
  return at::from_blob(
      const_cast<char*>(data.data() + range.begin), shape, [file](void*) {}, options);
}

}  // namespace

void save_safetensors(const fs::path& path,
                      const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  std::vector<std::pair<std::string, at::Tensor>> ordered = tensors;
  std::ranges::sort(ordered, {}, [](const auto& named) {
    const at::Tensor& tensor = named.second;
    return std::tuple(tensor.nbytes() % kAlignment != 0,
                      -static_cast<int64_t>(tensor.element_size()), named.first);
  });
  json header = json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t end = 0;
  for (const auto& [name, tensor] : ordered) {
    const char* dtype = dtype_name(tensor.scalar_type());
    if (dtype == nullptr) fail(path, "tensor " + name + " has a dtype safetensors cannot hold");
    if (header.contains(name)) fail(path, "tensor " + name + " is given twice");
    const uint64_t begin = std::exchange(end, end + tensor.nbytes());
    header[name] = {
        {"dtype", dtype}, {"shape", tensor.sizes().vec()}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  uint64_t length = text.size();
  length += (kAlignment - (sizeof length + length) % kAlignment) % kAlignment;
  text.resize(length, ' ');

  PendingFile output(path);
  output.write(&length, sizeof length);
  output.write(text.data(), text.size());
  for (const auto& [name, tensor] : ordered) {
    const at::Tensor plain = tensor.detach().cpu().contiguous();
    output.write(plain.const_data_ptr(), plain.nbytes());
  }
  output.finish();
}

std::map<std::string, at::Tensor> map_safetensors(const fs::path& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  std::string_view data = file->bytes();
  const json header = take_header(path, data);
  std::map<std::string, at::Tensor> tensors;
  std::vector<Range> ranges;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    try {
      Range range{.name = name};
      tensors[name] = view_tensor(entry, file, data, range);
      ranges.push_back(range);
    } catch (const std::exception& error) {
      fail(path, "tensor " + name + ": " + error.what());
    }
  }
  std::ranges::sort(ranges, {},
                    [](const Range& range) { return std::pair(range.begin, range.end); });
  uint64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin != covered) {
      fail(path, "tensor " + range.name + ": its data " +
                     (range.begin < covered ? "overlap another tensor's" : "follow a gap"));
    }
    covered = range.end;
  }
  if (covered != data.size()) fail(path, "has bytes that belong to no tensor");
  return tensors;
}

std::map<std::string, at::Tensor> load_safetensors(const fs::path& path) {
  std::map<std::string, at::Tensor> tensors = map_safetensors(path);
  for (auto& [name, tensor] : tensors) tensor = tensor.clone();
  return tensors;
}

std::map<std::string, at::Tensor> load_safetensors_directory(const fs::path& directory) {
  if (fs::exists(directory / kSafetensorsFile))
    return load_safetensors(directory / kSafetensorsFile);
  const fs::path index = directory / kSafetensorsIndex;
  if (!fs::exists(index))
    fail(directory, std::string("has neither ") + kSafetensorsFile + " nor " + kSafetensorsIndex);
  std::set<std::string> parts;
  try {
    const json parsed = json::parse(read_file(index));
    for (const auto& [name, file] : parsed.at("weight_map").items())
      parts.insert(file.get<std::string>());
  } catch (const std::exception& error) {
    fail(index, error.what());
  }
  std::map<std::string, at::Tensor> tensors;
  for (const std::string& part : parts) tensors.merge(load_safetensors(directory / part));
  return tensors;
}

std::map<std::string, std::string> load_safetensors_metadata(const fs::path& path) {
  const MappedFile file(path);
  std::string_view data = file.bytes();
  const json header = take_header(path, data);
  if (!header.contains("__metadata__")) return {};
  try {
    return header.at("__metadata__").get<std::map<std::string, std::string>>();
  } catch (const json::exception& error) {
    fail(path, std::string("__metadata__ is damaged: ") + error.what());
  }
}

}  // namespace dietmt::training
