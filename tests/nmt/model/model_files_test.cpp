#include "nmt/model/model_files.h"

#include <gtest/gtest.h>

#include "tests/common/scratch.h"

namespace dietmt::nmt {
namespace {

class ModelFilesTest : public ScratchTest {};

// `train --output runs/med.adapter` makes a directory of that name.
TEST_F(ModelFilesTest, ADirectoryIsNoAdapter) {
  EXPECT_TRUE(is_adapter(write("med.adapter", "")));
  std::filesystem::create_directory(scratch() / "run.adapter");
  EXPECT_FALSE(is_adapter(scratch() / "run.adapter"));
}

}  // namespace
}  // namespace dietmt::nmt
