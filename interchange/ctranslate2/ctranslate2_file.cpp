#include "interchange/ctranslate2/ctranslate2_file.h"

#include <ATen/ATen.h>

#include <bit>
#include <utility>
#include <vector>

#include "common/atomic_file.h"
#include "common/error.h"

namespace dietmt::interchange {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr uint32_t kBinaryVersion = 6;
constexpr const char* kModelKind = "TransformerSpec";
constexpr uint32_t kRevision = 7;

/// The format's number for a type.
uint8_t type_id(const CTranslate2File::Value& value) {
  if (std::holds_alternative<int8_t>(value)) return 1;
  if (std::holds_alternative<int16_t>(value)) return 2;
  return std::holds_alternative<int32_t>(value) ? 3 : 0;
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : file_(path) {}

  template <typename Number>
  void number(Number value) {
    file_.write_value(value);
  }

  void text(const std::string& text) {
    number(static_cast<uint16_t>(text.size() + 1));
    file_.write({text.c_str(), text.size() + 1});
  }

  void variable(const std::string& name, const CTranslate2File::Value& value) {
    text(name);
    const auto* tensor = std::get_if<at::Tensor>(&value);
    const at::Tensor plain =
        tensor ? tensor->detach().to(at::kCPU, at::kFloat).contiguous() : at::Tensor();
    number(static_cast<uint8_t>(tensor ? plain.dim() : 0));
    if (tensor)
      for (const int64_t size : plain.sizes()) number(static_cast<uint32_t>(size));
    number(type_id(value));
    if (tensor) {
      if (plain.nbytes() > UINT32_MAX)
        throw ConfigError("CTranslate2's format cannot hold " + name + ": it has 4 GiB or more");
      number(static_cast<uint32_t>(plain.nbytes()));
      file_.write({static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
      return;
    }
    std::visit(
        [&](const auto& scalar) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(scalar)>, at::Tensor>) {
            number(static_cast<uint32_t>(sizeof scalar));
            number(scalar);
          }
        },
        value);
  }

  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

}  // namespace

void CTranslate2File::write(const std::filesystem::path& path) const {
  std::map<std::pair<const void*, int64_t>, std::string> first;  // name by address and size
  std::vector<std::pair<std::string, std::string>> aliases;
  std::vector<std::string> names;
  for (const auto& [name, value] : variables_) {
    if (const auto* tensor = std::get_if<at::Tensor>(&value)) {
      const auto [same, is_first] =
          first.try_emplace({tensor->const_data_ptr(), tensor->numel()}, name);
      if (!is_first) {
        aliases.emplace_back(name, same->second);
        continue;
      }
    }
    names.push_back(name);
  }
  Writer writer(path);
  writer.number(kBinaryVersion);
  writer.text(kModelKind);
  writer.number(kRevision);
  writer.number(static_cast<uint32_t>(names.size()));
  for (const std::string& name : names) writer.variable(name, variables_.at(name));
  writer.number(static_cast<uint32_t>(aliases.size()));
  for (const auto& [name, original] : aliases) {
    writer.text(name);
    writer.text(original);
  }
  writer.commit();
}

}  // namespace dietmt::interchange
