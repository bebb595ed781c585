// Tensors of NumPy's .npz files (npz_archive.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace dietmt::interchange {

/// All arrays by name, without ".npy". Floating-point arrays keep their type; others have 8 bits.
/// Throws CheckpointError naming the file and the entry if the archive is damaged, or an array has
/// another type or is in Fortran order.
std::map<std::string, at::Tensor> load_npz(const std::filesystem::path& path);

}  // namespace dietmt::interchange
