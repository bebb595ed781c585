// Files of weights are read in time proportional to their size, whatever they hold.
#include <gtest/gtest.h>
#include <zip.h>

#include <functional>
#include <string>
#include <vector>

#include "interchange/marian/marian_binary.h"
#include "interchange/marian/npz_archive.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/scratch.h"
#include "tests/interchange/marian/marian_file.h"

namespace dietmt::interchange {
namespace {

class MarianCostTest : public ScratchTest {
 protected:
  // Files by their sizes, since MarianBinary maps them.
  double growth_of_binaries(size_t size, const std::function<MarianFile(size_t)>& make) {
    return cost_growth(
        size, [&](size_t count) { return write(std::to_string(count), make(count).bytes()); },
        [](const std::string& path) { EXPECT_FALSE(MarianBinary(path).tensors().empty()); });
  }

  // An archive of stored arrays with these names.
  std::string archive(const std::vector<std::string>& names, const std::string& array) {
    const std::string path = scratch() / (std::to_string(names.size()) + ".npz");
    zip_t* made = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    for (const std::string& name : names) {
      const zip_int64_t entry = zip_file_add(
          made, name.c_str(), zip_source_buffer(made, array.data(), array.size(), 0), 0);
      zip_set_file_compression(made, static_cast<zip_uint64_t>(entry), ZIP_CM_STORE, 0);
    }
    EXPECT_EQ(zip_close(made), 0);
    return read_file(path);
  }
};

TEST_F(MarianCostTest, Binaries) {
  const auto many_tensors = [](size_t count) {
    MarianFile file;
    for (size_t i = 0; i < count; ++i) file.add_floats("t" + std::to_string(i), {1}, {1.0F});
    return file;
  };
  EXPECT_LE(growth_of_binaries(20'000, many_tensors), kLinearGrowth);
  const auto same_names = [](size_t count) {
    MarianFile file;
    for (size_t i = 0; i < count; ++i) file.add_floats(std::string(200, 'x'), {1}, {1.0F});
    return file;
  };
  EXPECT_LE(growth_of_binaries(20'000, same_names), kLinearGrowth);
  const auto many_dimensions = [](size_t count) {
    MarianFile file;
    file.add_floats("t", std::vector<int32_t>(count, 1), {1.0F});
    return file;
  };
  EXPECT_LE(growth_of_binaries(2'000'000, many_dimensions), kLinearGrowth);
  const auto long_name = [](size_t count) {
    MarianFile file;
    file.add_floats(std::string(count, 'n'), {1}, {1.0F});
    return file;
  };
  EXPECT_LE(growth_of_binaries(20'000'000, long_name), kLinearGrowth);
}

// One number in an array of `dimensions`, with NumPy's header for long shapes.
std::string npy(size_t dimensions) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < dimensions; ++i) header += "1,";
  header += "), }";
  const auto length = static_cast<uint32_t>(header.size());
  return std::string("\x93NUMPY\2\0", 8) +
         std::string(reinterpret_cast<const char*>(&length), sizeof length) + header +
         std::string(sizeof(float), '\0');
}

void read(const std::string& npz) {
  size_t arrays = 0;
  read_npz(npz, [&](const std::string&, const NpyArray&) { ++arrays; });
  EXPECT_GT(arrays, 0U);
}

TEST_F(MarianCostTest, ArchivesOfManyArrays) {
  const auto many = [&](size_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back("t" + std::to_string(i) + ".npy");
    return archive(names, npy(1));
  };
  EXPECT_LE(cost_growth(10'000, many, read), kLinearGrowth);
}

TEST_F(MarianCostTest, ArchivesWithLongHeaders) {
  const auto many_dimensions = [&](size_t count) { return archive({"t.npy"}, npy(count)); };
  EXPECT_LE(cost_growth(400'000, many_dimensions, read), kLinearGrowth);
}

}  // namespace
}  // namespace dietmt::interchange
