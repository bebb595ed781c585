// torch.save files built from pickle opcodes, so that a test can write what torch would not.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/files.h"

namespace dietmt::interchange::torch_bytes {

inline std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

// Each of these leaves one value on the pickle's stack.
inline std::string number(int64_t value) {
  return "\x8a\x08" + little(static_cast<uint64_t>(value), 8);
}
inline std::string text(const std::string& value) { return "X" + little(value.size(), 4) + value; }
inline std::string known(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::string>& values) {
  std::string all = "(";
  for (const std::string& value : values) all += value;
  return all + "t";
}
inline std::string numbers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(number(value));
  return tuple(items);
}
inline std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  return function + tuple(arguments) + "R";
}
inline std::string ordered_dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = call(known("collections", "OrderedDict"), {}) + "(";
  for (const auto& [key, value] : items) all += text(key) + value;
  return all + "u";
}
/// `type`: "FloatStorage".
inline std::string storage(const std::string& type, const std::string& key, int64_t elements,
                           const std::string& view = "N") {
  return tuple({text("storage"), known("torch", type), text(key), text("cpu"), number(elements),
                view}) +
         "Q";
}
inline std::string tensor(const std::string& storage, int64_t offset,
                          const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  return call(
      known("torch._utils", "_rebuild_tensor_v2"),
      {storage, number(offset), numbers(shape), numbers(strides), "\x89", ordered_dict({})});
}

inline std::string pickle(const std::string& value) { return "\x80\x02" + value + "."; }

/// An archive of stored files.
inline std::string zip(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string all, directory;
  for (const auto& [name, content] : files) {
    const std::string about = std::string("\x14\0\0\0\0\0\0\0\0\0", 10) +
                              little(crc32_of(content), 4) + little(content.size(), 4) +
                              little(content.size(), 4) + little(name.size(), 2) + little(0, 2);
    directory += std::string("PK\1\2\x14\0", 6) + about + std::string(10, '\0') +
                 little(all.size(), 4) + name;
    all += "PK\3\4" + about + name + content;
  }
  return all + directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) +
         little(files.size(), 2) + little(directory.size(), 4) + little(all.size(), 4) +
         little(0, 2);
}

/// As torch.save writes since version 1.6; `storages` by key.
inline std::string archive(const std::string& state,
                           const std::vector<std::pair<std::string, std::string>>& storages) {
  std::vector<std::pair<std::string, std::string>> files = {{"model/data.pkl", pickle(state)},
                                                            {"model/byteorder", "little"}};
  for (const auto& [key, content] : storages) files.emplace_back("model/data/" + key, content);
  files.emplace_back("model/version", "3\n");
  return zip(files);
}

struct OldStorage {
  std::string key;
  uint64_t elements = 0;
  std::string content;
};

/// As older versions write.
inline std::string old_file(const std::string& state, const std::vector<OldStorage>& storages,
                            const std::string& little_endian = "\x88") {
  std::string keys = "](", data;
  for (const OldStorage& storage : storages) {
    keys += text(storage.key);
    data += little(storage.elements, 8) + storage.content;
  }
  return pickle("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + pickle(number(1001)) +
         pickle("}(" + text("protocol_version") + number(1001) + text("little_endian") +
                little_endian + "u") +
         pickle(state) + pickle(keys + "e") + data;
}

}  // namespace dietmt::interchange::torch_bytes
