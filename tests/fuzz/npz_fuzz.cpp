// A Marian model: an archive of NumPy arrays or, if the input begins like one, a single array.
// Everything read must be inside the input.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/error.h"
#include "interchange/marian/npz_archive.h"

namespace {

using dietmt::interchange::NpyArray;

void check(const NpyArray& array) {
  uint64_t bytes = dietmt::interchange::npy_type_bytes(array.type);
  for (const int64_t size : array.shape) bytes *= static_cast<uint64_t>(size);
  if (bytes != array.data.size()) std::abort();
  uint64_t sum = 0;
  for (const char byte : array.data) sum += static_cast<unsigned char>(byte);
  if (sum > 255 * bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    if (bytes.starts_with("\x93NUMPY"))
      check(dietmt::interchange::read_npy(bytes));
    else
      dietmt::interchange::read_npz(
          bytes, [](const std::string&, const NpyArray& array) { check(array); });
  } catch (const dietmt::CheckpointError&) {
  }
  return 0;
}
