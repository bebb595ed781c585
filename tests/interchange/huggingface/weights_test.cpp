#include "interchange/huggingface/weights.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "encoders/weights/safetensors.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/torch_tensors.h"

namespace dietmt::interchange {
namespace {

using at::Tensor;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class WeightsTest : public ScratchTest {
 protected:
  void expect(const TensorsByName& expected) const {
    const TensorsByName found = load_weights(scratch());
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_EQ(found.at(name).scalar_type(), tensor.scalar_type()) << name;
      EXPECT_TRUE(at::equal(found.at(name), tensor)) << name;
    }
  }
  std::string load_failure() const {
    return failure<Error>([&] { load_weights(scratch()); });
  }
  const TensorsByName tensors_ = {{"a", at::arange(6).to(at::kFloat).view({2, 3})},
                                  {"b", at::arange(4).to(at::kHalf)},
                                  {"c", at::arange(5).to(at::kBFloat16)},
                                  {"d", at::zeros({0, 3})},
                                  {"e", at::arange(3)}};
  const TensorsByName other_ = {{"z", at::ones({2})}};
};

TEST_F(WeightsTest, EachFormat) {
  for (const TorchFormat format : {TorchFormat::kArchive, TorchFormat::kOld}) {
    write("pytorch_model.bin", torch_file(tensors_, format));
    expect(tensors_);
  }
}

TEST_F(WeightsTest, SafetensorsComeFirst) {
  write("pytorch_model.bin", torch_file(other_, TorchFormat::kArchive));
  encoders::save_safetensors(scratch() / "model.safetensors", {tensors_.begin(), tensors_.end()});
  expect(tensors_);
}

TEST_F(WeightsTest, PartsOfEachFormat) {
  const TensorsByName first = {{"a", tensors_.at("a")}, {"b", tensors_.at("b")}};
  const TensorsByName second = {{"c", tensors_.at("c")}};
  TensorsByName all = first;
  all["c"] = second.at("c");
  const json bin = {{"weight_map", {{"a", "1.bin"}, {"b", "1.bin"}, {"c", "2.bin"}}}};
  write("pytorch_model.bin.index.json", bin.dump());
  write("1.bin", torch_file(first, TorchFormat::kArchive));
  write("2.bin", torch_file(second, TorchFormat::kOld));
  expect(all);
  const json safe = {
      {"weight_map", {{"a", "1.safetensors"}, {"b", "1.safetensors"}, {"c", "2.safetensors"}}}};
  write("model.safetensors.index.json", safe.dump());
  encoders::save_safetensors(scratch() / "1.safetensors", {first.begin(), first.end()});
  encoders::save_safetensors(scratch() / "2.safetensors", {second.begin(), second.end()});
  expect(all);
}

TEST_F(WeightsTest, FilesThatAreNoWeightsAreNamed) {
  for (const char* file : {"pytorch_model.bin", "model.safetensors"}) {
    const std::string path =
        write(file, "version https://git-lfs.github.com/spec/v1\noid sha256:0");
    EXPECT_THAT(load_failure(), AllOf(HasSubstr(path), HasSubstr("git lfs pull")));
    write(file, "");
    EXPECT_THAT(load_failure(), HasSubstr(path + ": "));
  }
}

TEST_F(WeightsTest, ErrorsNameFileAndTensor) {
  EXPECT_THAT(load_failure(), AllOf(HasSubstr(scratch().string() + ": has no weights"),
                                    HasSubstr("pytorch_model.bin")));
  const auto with_index = [&](const json& index) {
    write("pytorch_model.bin.index.json", index.dump());
    return load_failure();
  };
  EXPECT_THAT(with_index(json::array()), HasSubstr("index.json: weight_map is missing"));
  EXPECT_THAT(with_index({{"weight_map", 1}}), HasSubstr("weight_map is 1; it must be an object"));
  EXPECT_THAT(with_index({{"weight_map", json::object()}}), HasSubstr("weight_map is empty"));
  for (const json& name : {json("../1.bin"), json("/etc/passwd"), json(""), json(".."), json(3)})
    EXPECT_THAT(with_index({{"weight_map", {{"a", name}}}}),
                AllOf(HasSubstr("pytorch_model.bin.index.json: tensor a: "),
                      HasSubstr("is not the name of a file")));
  EXPECT_THAT(with_index({{"weight_map", {{"a", "1.bin"}}}}),
              HasSubstr("tensor a is in 1.bin, which does not exist"));
  write("1.bin", torch_file(other_, TorchFormat::kArchive));
  EXPECT_THAT(load_failure(), HasSubstr("1.bin: has no tensor a, which "
                                        "pytorch_model.bin.index.json expects there"));
  write("1.bin", torch_file(tensors_, TorchFormat::kOld).substr(0, 300));
  EXPECT_THAT(load_failure(), HasSubstr("1.bin: is damaged"));
}

}  // namespace
}  // namespace dietmt::interchange
