// Arrays in NumPy's file format, version 1.0, written row by row without being held in memory.
//
//   NpyWriter<float> states("states.npy", {.row = {768}});
//   states.append(values);   // any number of times, whole rows
//   states.commit();         // the file appears: an array [rows, 768]
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dietmt::storage {

struct NpyShape {
  std::vector<int64_t> row = {};  // of one row; empty: a row is one number
  int64_t layers = 0;             // above 0: so many arrays of equal length, [layers, rows, row...]
};

/// Value: float or int64_t. The file is whole or absent: it is written beside its final name and
/// renamed. The array of each further layer is kept in a file without a name until commit(), which
/// copies them behind the first one.
template <typename Value>
class NpyWriter {
 public:
  /// Throws Error naming the path, also if there is something there that is not a regular file.
  NpyWriter(std::filesystem::path path, NpyShape shape);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  /// Adds rows to the array of `layer`. Throws Error naming the path and the system's reason.
  void append(std::span<const Value> values, int64_t layer = 0);

  /// Gives the file its name. Throws Error as append() does, and if the layers are not equally long
  /// or end inside a row.
  void commit();

 private:
  NpyWriter() = default;
  int64_t rows() const;
  void write(int file, std::span<const char> bytes);

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty after commit()
  NpyShape shape_;
  std::vector<int> files_;       // one a layer
  std::vector<int64_t> values_;  // written so far, for each layer
};

/// The first bytes of a file with an array of this shape: always 128, so that the shape can be
/// filled in when it is known. `type` is NumPy's name, e.g. "<f4". Throws Error if they do not
/// suffice.
std::string npy_header(const std::string& type, const std::vector<int64_t>& shape);

}  // namespace dietmt::storage
