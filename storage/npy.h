// Arrays in NumPy's file format: written row by row (version 1.0) without being held in memory, and
// read as a whole.
//
//   NpyWriter<float> states("states.npy", {.row = {768}});
//   states.append(values);   // any number of times, whole rows
//   states.commit();         // the file appears: an array [rows, 768]
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/atomic_file.h"

namespace dietmt::storage {

struct NpyShape {
  std::vector<int64_t> row = {};  // of one row; empty: a row is one number
  int64_t layers = 0;  // above 0: this many arrays of equal length, [layers, rows, row...]
};

/// Value: float or int64_t. The file appears at commit(). Until then each further layer is in an
/// unnamed file, which commit() appends to the first layer.
template <typename Value>
class NpyWriter {
 public:
  /// Throws Error naming the path, also if it is not a regular file.
  NpyWriter(const std::filesystem::path& path, NpyShape shape);

  /// Adds rows to the array of `layer`. Throws Error with the path and the system's reason.
  void append(std::span<const Value> values, int64_t layer = 0);

  /// Gives the file its name. Throws Error as append() does, and if the layers differ in length or
  /// the last row is incomplete.
  void commit();

 private:
  int64_t rows() const;

  std::filesystem::path path_;
  NpyShape shape_;
  AtomicFile first_;
  std::vector<std::unique_ptr<UnnamedFile>> further_;  // layers 1, 2, ...
  std::vector<int64_t> values_;                        // written so far, for each layer
};

/// An array [rows, width].
struct NpyRows {
  std::vector<float> values = {};
  int64_t rows = 0;
  int64_t width = 0;
};

/// An array of fp32 with two dimensions, in C order, as NumPy and NpyWriter write it. Throws Error
/// if the file cannot be read, DataError naming the file if it holds anything else.
NpyRows read_npy_rows(const std::filesystem::path& path);

/// The header of a file with an array of this shape: always 128 bytes, so that the shape can be
/// filled in at the end. `type` is NumPy's name, e.g. "<f4". Throws Error if 128 bytes are too few.
std::string npy_header(const std::string& type, const std::vector<int64_t>& shape);

}  // namespace dietmt::storage
