// The bytes of NumPy's .npy and .npz files: a ZIP archive of .npy arrays, stored or deflated
// (PKWARE's APPNOTE, sections 4.3 and 4.4; numpy.lib.format). Archives of 4 GiB or more (ZIP64) are
// refused. npz.h makes tensors of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::interchange {

/// Views of the bytes that it was read from.
struct NpyArray {
  std::string_view type;  // NumPy's name, one of npy_type_bytes()
  std::vector<int64_t> shape;
  std::string_view data;  // row by row
};

/// Bytes of an element of this type; 0 for a type that is not known.
uint64_t npy_type_bytes(std::string_view type);

/// The array in the bytes of a .npy file. Throws CheckpointError saying what is wrong.
NpyArray read_npy(std::string_view bytes);

/// Calls `take` with the name, without ".npy", and the array of each entry of an archive, in their
/// order. Throws CheckpointError naming the entry and saying what is wrong.
void read_npz(std::string_view archive,
              const std::function<void(const std::string& name, const NpyArray& array)>& take);

}  // namespace dietmt::interchange
