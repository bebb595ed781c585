// Marian's binary models and shortlists. Odd first byte: a shortlist with a valid checksum; even: a
// model.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "common/error.h"
#include "interchange/marian/marian_binary.h"
#include "interchange/marian/marian_shortlist.h"
#include "tests/fuzz/scratch_file.h"

namespace {

// As in interchange/marian/marian_shortlist.cpp.
std::string with_checksum(std::string_view bytes) {
  constexpr uint64_t kMagic = 0xF11A48D5013417F5;
  uint64_t seed = 0;
  for (size_t at = 0; at + sizeof seed <= bytes.size(); at += sizeof seed) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    seed ^= word + 0x9e3779b9 + (seed << 6) + (seed >> 2);
  }
  std::string file(reinterpret_cast<const char*>(&kMagic), sizeof kMagic);
  return file.append(reinterpret_cast<const char*>(&seed), sizeof seed).append(bytes);
}

void use(const dietmt::interchange::MarianBinary& model) {
  for (const auto& [name, tensor] : model.tensors()) {
    volatile size_t sum = name.size();
    if (tensor.type == dietmt::interchange::BinaryTensor::Type::kBytes)
      sum = sum + tensor.data.size();
    else
      for (const float value : tensor.floats()) sum = sum + static_cast<size_t>(value > 0.0F);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  static const dietmt::ScratchFile file;
  const bool is_shortlist = data[0] % 2 == 1;
  file.fill(is_shortlist ? with_checksum(bytes) : std::string(bytes));
  try {
    if (is_shortlist)
      dietmt::interchange::read_marian_shortlist(file.path(),
                                                 {.source = 20, .target = 30, .shared = true});
    else
      use(dietmt::interchange::MarianBinary(file.path()));
  } catch (const dietmt::Error&) {
  }
  return 0;
}
