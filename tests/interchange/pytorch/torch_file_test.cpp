// Compares with the files of make_torch_cases.py, written by PyTorch.
#include "interchange/pytorch/torch_file.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "common/error.h"
#include "storage/safetensors_file.h"
#include "tests/common/scratch.h"
#include "tests/interchange/torch_bytes.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace torch_bytes;

/// The elements row by row, each of `size` bytes.
std::string elements_of(const TorchTensor& tensor, uint64_t size, size_t dimension = 0,
                        int64_t at = 0) {
  if (dimension == tensor.shape.size())
    return {tensor.data + static_cast<uint64_t>(at) * size, size};
  std::string all;
  for (int64_t i = 0; i < tensor.shape[dimension]; ++i)
    all += elements_of(tensor, size, dimension + 1, at + i * tensor.strides[dimension]);
  return all;
}

class TorchFileTest : public ScratchTest {};

TEST_F(TorchFileTest, FilesOfPyTorchHoldItsTensors) {
  const fs::path cases = DIETMT_TORCH_CASES;
  const storage::SafetensorsFile expected =
      storage::open_safetensors(cases / "expected.safetensors");
  for (const char* file : {"zip.bin", "zip_protocol4.bin", "old.bin"}) {
    SCOPED_TRACE(file);
    const auto tensors = read_torch_file(cases / file);
    EXPECT_EQ(tensors.size(), expected.tensors.size());
    for (const auto& [name, view] : expected.tensors) {
      SCOPED_TRACE(name);
      const auto found = tensors.find(name);
      ASSERT_NE(found, tensors.end());
      EXPECT_EQ(found->second.dtype, view.dtype);
      EXPECT_EQ(found->second.shape, view.shape);
      uint64_t count = 1;
      for (const int64_t size : view.shape) count *= static_cast<uint64_t>(size);
      const uint64_t bytes = count == 0 ? 1 : view.bytes / count;
      EXPECT_EQ(elements_of(found->second, bytes), std::string(view.data, view.bytes));
    }
    EXPECT_EQ(tensors.at("rows").storage, tensors.at("columns").storage);
    EXPECT_EQ(tensors.at("tied").storage, tensors.at("weight").storage);
    EXPECT_EQ(tensors.at("transposed").strides, (std::vector<int64_t>{1, 3}));
  }
}

TEST_F(TorchFileTest, AStorageHasAViewInOldFiles) {
  const std::string view = tuple({text("view"), number(2), number(3)});
  const auto state =
      ordered_dict({{"a", tensor(storage("CharStorage", "0", 6, view), 1, {2}, {1})}});
  EXPECT_EQ(elements_of(parse_torch_file(old_file(state, {{"0", 6, "abcdef"}})).at("a"), 1), "de");
  const std::string beyond = tuple({text("view"), number(4), number(3)});
  EXPECT_THROW(
      parse_torch_file(old_file(
          ordered_dict({{"a", tensor(storage("CharStorage", "0", 6, beyond), 0, {1}, {1})}}),
          {{"0", 6, "abcdef"}})),
      CheckpointError);
}

TEST_F(TorchFileTest, TheLastValueOfANameCounts) {
  const auto state = ordered_dict({{"a", tensor(storage("CharStorage", "0", 1), 0, {1}, {1})},
                                   {"a", tensor(storage("CharStorage", "1", 1), 0, {1}, {1})}});
  EXPECT_EQ(elements_of(parse_torch_file(archive(state, {{"0", "x"}, {"1", "y"}})).at("a"), 1),
            "y");
}

TEST_F(TorchFileTest, ErrorsNameTheFile) {
  const std::string path = write("pytorch_model.bin", "version https://git-lfs");
  try {
    read_torch_file(path);
    FAIL();
  } catch (const CheckpointError& error) {
    EXPECT_EQ(error.what(), path + ": is not a file of torch.save");
  }
}

}  // namespace
}  // namespace dietmt::interchange
