#include "interchange/pytorch/torch_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/files.h"
#include "interchange/pytorch/pickle.h"
#include "interchange/pytorch/plain_value.h"
#include "interchange/zip/zip_archive.h"

namespace dietmt::interchange {
namespace {

using Kind = PickleValue::Kind;
using Storages = std::map<std::string_view, std::shared_ptr<const std::string>>;

constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);  // of old files
constexpr int64_t kOldProtocol = 1001;

[[noreturn]] void fail(const std::string& what) { throw CheckpointError(what); }

uint64_t bytes_of(const PickledStorage& storage, std::string_view key) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(storage.element_bytes, static_cast<uint64_t>(storage.elements),
                             &bytes))
    fail("storage " + printable(key) + " has an impossible size");
  return bytes;
}

void check_name(std::string_view name) {
  constexpr size_t kLongest = 1000;
  const auto controls = [](char letter) { return static_cast<uint8_t>(letter) < ' '; };
  if (name.size() > kLongest || std::ranges::any_of(name, controls))
    fail("has a tensor with the impossible name " + printable(name));
}

struct Place {
  std::string_view key;          // in the file's value
  std::string_view prefix = {};  // of its tensors' names
};

struct Layout {
  ForeignClasses foreign = ForeignClasses::kNone;
  std::vector<Place> places = {};  // none: the file's value
  const char* program = "";
};

Layout layout_of(TorchContent content) {
  switch (content) {
    case TorchContent::kLightning:
      return {ForeignClasses::kAll, {{"state_dict"}}, "PyTorch Lightning"};
    case TorchContent::kFairseq:
      return {ForeignClasses::kCheckpoints, {{"model"}}, "fairseq"};
    case TorchContent::kOpennmt:
      return {ForeignClasses::kCheckpoints, {{"model"}, {"generator", "generator."}}, "OpenNMT-py"};
    case TorchContent::kJoeynmt:
      return {ForeignClasses::kCheckpoints, {{"model_state"}}, "JoeyNMT"};
    case TorchContent::kTensors:
      break;
  }
  return {};
}

/// The value of a text key; None if a dictionary has no such key.
PickleValue value_of(std::span<const PickleValue> items, std::string_view key) {
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].kind == Kind::kText && items[i].text == key) return items[i + 1];
  return {};
}

using NamedTensors = std::vector<std::pair<std::string, PickleValue>>;

void add_tensors(std::span<const PickleValue> items, std::string_view prefix, NamedTensors& all) {
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind != Kind::kText || items[i + 1].kind != Kind::kTensor) continue;
    check_name(items[i].text);
    all.emplace_back(std::string(prefix) + std::string(items[i].text), items[i + 1]);
  }
}

NamedTensors named_tensors(const Pickle& state, const Layout& layout) {
  if (state.root().kind != Kind::kDict) fail("holds something other than a dictionary of tensors");
  const std::span<const PickleValue> items = state.items(state.root());
  NamedTensors all;
  if (layout.places.empty()) add_tensors(items, "", all);
  for (const Place& place : layout.places) {
    const PickleValue found = value_of(items, place.key);
    if (found.kind != Kind::kDict)
      fail("has no '" + std::string(place.key) + "' with tensors, so it is not a checkpoint of " +
           layout.program);
    add_tensors(state.items(found), place.prefix, all);
  }
  return all;
}

/// Keys of these tensors' storages.
std::set<std::string_view> storages_of(const Pickle& state, const NamedTensors& named) {
  std::set<std::string_view> keys;
  for (const auto& [name, tensor] : named) keys.insert(state.tensors().at(tensor).storage);
  return keys;
}

std::map<std::string, TorchTensor> tensors_of(const Pickle& state, const NamedTensors& named,
                                              const Storages& storages) {
  std::map<std::string, TorchTensor> tensors;
  for (const auto& [name, value] : named) {
    const PickledTensor& tensor = state.tensors().at(value);
    const PickledStorage& type = state.tensors().storages().at(tensor.storage);
    const auto storage = storages.find(tensor.storage);
    if (storage == storages.end())
      fail("tensor " + printable(name) + ": its storage " + printable(tensor.storage) +
           " is missing");
    const bool empty = std::ranges::count(tensor.shape, 0) > 0;
    const auto start = empty ? 0 : static_cast<uint64_t>(tensor.offset) * type.element_bytes;
    tensors[name] = {type.dtype, tensor.shape, tensor.strides, storage->second->data() + start,
                     storage->second};
  }
  if (tensors.empty()) fail("holds no tensors by name");
  return tensors;
}

/// The folder of an archive that holds data.pkl, with its slash.
std::string folder_of(const ZipArchive& archive) {
  constexpr std::string_view kPickle = "data.pkl";
  for (const ZipEntry& entry : archive.entries()) {
    if (!entry.name.ends_with(kPickle)) continue;
    const std::string folder = entry.name.substr(0, entry.name.size() - kPickle.size());
    if (folder.empty() || folder.find('/') == folder.size() - 1) return folder;
  }
  fail("is a ZIP archive without data.pkl, so torch.save did not write it");
}

std::string read_stored(const ZipArchive& archive, const ZipEntry& entry) {
  if (!entry.stored) fail("its part " + printable(entry.name) + " is compressed");
  try {
    return archive.read(entry);
  } catch (const CheckpointError& error) {
    fail("its part " + printable(entry.name) + " " + error.what());
  }
}

/// The pickle of an archive.
std::string archived_pickle(const ZipArchive& archive, const std::string& folder) {
  const auto& entries = archive.entries();
  return read_stored(archive, *std::ranges::find(entries, folder + "data.pkl", &ZipEntry::name));
}

std::map<std::string, TorchTensor> read_archive(std::string_view bytes, TorchContent content) {
  const ZipArchive archive(bytes);
  const std::string folder = folder_of(archive);
  std::map<std::string_view, const ZipEntry*> entries;
  for (const ZipEntry& entry : archive.entries()) entries.emplace(entry.name, &entry);
  const auto find = [&](const std::string& name) {
    const auto found = entries.find(folder + name);
    return found == entries.end() ? nullptr : found->second;
  };
  if (const ZipEntry* order = find("byteorder"); order != nullptr)
    if (read_stored(archive, *order) != "little") fail("has another byte order than this machine");
  const std::string pickled = archived_pickle(archive, folder);
  const Layout layout = layout_of(content);
  const Pickle state(pickled, layout.foreign);
  const NamedTensors named = named_tensors(state, layout);
  const std::set<std::string_view> wanted = storages_of(state, named);
  Storages storages;
  uint64_t total = 0;  // overlapping parts of an archive could have any sum
  for (const auto& [key, storage] : state.tensors().storages()) {
    if (!wanted.contains(key)) continue;
    const ZipEntry* entry = find("data/" + std::string(key));
    if (entry == nullptr) continue;
    const uint64_t size = bytes_of(storage, key);
    if (entry->size != size)
      fail("storage " + printable(key) + " has " + std::to_string(entry->size) + " bytes, not " +
           std::to_string(size));
    total += std::min<uint64_t>(size, bytes.size() + 1);
    if (total > bytes.size()) fail("has storages that add up to more bytes than the file");
    storages[key] = std::make_shared<const std::string>(read_stored(archive, *entry));
  }
  return tensors_of(state, named, storages);
}

std::string_view take(std::string_view& bytes, uint64_t count) {
  if (count > bytes.size()) fail("is damaged: it ends too early");
  const std::string_view taken = bytes.substr(0, count);
  bytes.remove_prefix(count);
  return taken;
}

Pickle take_pickle(std::string_view& bytes, ForeignClasses foreign = ForeignClasses::kNone) {
  Pickle pickle(bytes, foreign);
  bytes.remove_prefix(pickle.size());
  return pickle;
}

void check_byte_order(const Pickle& machine) {
  const std::span<const PickleValue> items = machine.items(machine.root());
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].text == "little_endian" && items[i + 1].number == 0)
      fail("has another byte order than this machine");
}

/// Takes what precedes the state in an old file.
void take_header(std::string_view& bytes) {
  if (const Pickle magic = take_pickle(bytes);
      magic.root().kind != Kind::kLong || magic.root().text != kMagic)
    fail("is a pickle, but not one of torch.save");
  if (const Pickle protocol = take_pickle(bytes); protocol.root().number != kOldProtocol)
    fail("has an unknown version of torch.save's format");
  check_byte_order(take_pickle(bytes));
}

/// After the state come the keys of the storages, then each storage: its number of elements in 8
/// bytes, and the elements.
std::map<std::string, TorchTensor> read_old_file(std::string_view bytes, TorchContent content) {
  take_header(bytes);
  const Layout layout = layout_of(content);
  const Pickle state = take_pickle(bytes, layout.foreign);
  const NamedTensors named = named_tensors(state, layout);
  const std::set<std::string_view> wanted = storages_of(state, named);
  const Pickle keys = take_pickle(bytes);
  Storages storages;
  for (const PickleValue& key : keys.items(keys.root())) {
    const auto known = state.tensors().storages().find(key.text);
    if (known == state.tensors().storages().end())
      fail("is damaged: no tensor has storage " + printable(key.text));
    const std::string_view count = take(bytes, sizeof(uint64_t));
    const auto elements = static_cast<uint64_t>(known->second.elements);
    for (size_t i = 0; i < count.size(); ++i)
      if (static_cast<uint8_t>(count[i]) != static_cast<uint8_t>(elements >> (8 * i)))
        fail("is damaged: storage " + printable(key.text) + " has the wrong number of elements");
    const std::string_view content_of_key = take(bytes, bytes_of(known->second, key.text));
    if (wanted.contains(known->first))
      storages[known->first] = std::make_shared<const std::string>(content_of_key);
  }
  return tensors_of(state, named, storages);
}

nlohmann::json values_of(const Pickle& state, const std::vector<std::string>& keys) {
  if (state.root().kind != Kind::kDict) fail("holds something other than a checkpoint");
  const std::span<const PickleValue> items = state.items(state.root());
  nlohmann::json values = nlohmann::json::object();
  for (const std::string& key : keys)
    if (const PickleValue found = value_of(items, key); found.kind != Kind::kNone)
      values[key] = plain_value(state, found);
  return values;
}

template <typename Parse>
auto parse_file(const std::filesystem::path& path, const Parse& parse) {
  const MappedFile file(path);
  try {
    return parse(file.bytes());
  } catch (const CheckpointError& error) {
    throw CheckpointError(path.string() + ": " + error.what());
  }
}

}  // namespace

std::map<std::string, TorchTensor> parse_torch_file(std::string_view bytes, TorchContent content) {
  if (bytes.starts_with("PK")) return read_archive(bytes, content);
  if (bytes.starts_with("\x80")) return read_old_file(bytes, content);
  fail("is not a file of torch.save");
}

nlohmann::json parse_torch_values(std::string_view bytes, const std::vector<std::string>& keys) {
  if (bytes.starts_with("PK")) {
    const ZipArchive archive(bytes);
    const std::string pickled = archived_pickle(archive, folder_of(archive));
    return values_of(Pickle(pickled, ForeignClasses::kCheckpoints), keys);
  }
  if (!bytes.starts_with("\x80")) fail("is not a file of torch.save");
  take_header(bytes);
  return values_of(Pickle(bytes, ForeignClasses::kCheckpoints), keys);
}

std::map<std::string, TorchTensor> read_torch_file(const std::filesystem::path& path,
                                                   TorchContent content) {
  return parse_file(path, [&](std::string_view bytes) { return parse_torch_file(bytes, content); });
}

nlohmann::json read_torch_values(const std::filesystem::path& path,
                                 const std::vector<std::string>& keys) {
  return parse_file(path, [&](std::string_view bytes) { return parse_torch_values(bytes, keys); });
}

}  // namespace dietmt::interchange
