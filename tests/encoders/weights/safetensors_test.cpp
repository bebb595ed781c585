#include "encoders/weights/safetensors.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cstring>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::encoders {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// A file with this header and data.
std::string file_bytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

std::string load_error(const std::string& bytes) {
  const TestDirectory directory;
  write_text(directory / "bad.safetensors", bytes);
  const std::string message =
      message_of<CheckpointError>([&] { load_safetensors(directory / "bad.safetensors"); });
  EXPECT_THAT(message, HasSubstr("bad.safetensors"));
  return message;
}

TEST(Safetensors, ReturnsEveryDtypeAndShape) {
  const TestDirectory directory;
  std::vector<std::pair<std::string, at::Tensor>> saved;
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                                    at::kInt, at::kChar, at::kByte, at::kBool}) {
    saved.emplace_back(at::toString(type), at::arange(7).remainder(2).to(type));
  }
  saved.emplace_back("scalar", at::tensor(3.5));
  saved.emplace_back("empty", at::empty({0, 4}));
  saved.emplace_back("transposed", at::arange(6.0).view({2, 3}).t());
  saved.emplace_back("name \"quoted\" \xc3\xa4", at::ones({2, 1, 3}));
  save_safetensors(directory / "a", saved, {{"format", "pt"}});
  const auto loaded = load_safetensors(directory / "a");
  ASSERT_EQ(loaded.size(), saved.size());
  for (const auto& [name, tensor] : saved) {
    EXPECT_EQ(loaded.at(name).scalar_type(), tensor.scalar_type()) << name;
    EXPECT_EQ(loaded.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(at::equal(loaded.at(name), tensor)) << name;
  }
  EXPECT_EQ(storage::load_safetensors_metadata(directory / "a").at("format"), "pt");
}

TEST(Safetensors, NumbersOffTheirBoundariesAreCopied) {
  const TestDirectory directory;
  const float number = 2.5F;
  std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string data(5, 'x');
  std::memcpy(data.data() + 1, &number, sizeof number);
  write_text(directory / "a", file_bytes(header, data));
  const at::Tensor tensor = map_safetensors(directory / "a").at("b");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % sizeof number, 0);
  EXPECT_EQ(tensor.item<float>(), number);
}

TEST(Safetensors, BytesDependOnlyOnContent) {
  const TestDirectory directory;
  const at::Tensor a = at::arange(3.0F), b = at::arange(5);
  save_safetensors(directory / "1", {{"a", a}, {"b", b}});
  save_safetensors(directory / "2", {{"b", b.clone()}, {"a", a.clone()}});
  EXPECT_EQ(read_file(directory / "1"), read_file(directory / "2"));
}

TEST(Safetensors, DataAreAligned) {
  const TestDirectory directory;
  save_safetensors(directory / "a",
                   {{"a", at::ones({3}, at::kByte)}, {"b", at::full({1}, 0.25, at::kDouble)}});
  const std::string bytes = read_file(directory / "a");
  const double quarter = 0.25;
  const std::string pattern(reinterpret_cast<const char*>(&quarter), sizeof quarter);
  EXPECT_EQ(bytes.size() % 8, 3U);  // the bytes come last
  EXPECT_EQ(bytes.find(pattern) % 8, 0U);
}

TEST(Safetensors, MappedTensorsAreTheFile) {
  const TestDirectory directory;
  const at::Tensor whole = at::arange(32, at::kChar), rest = at::arange(5.0F);
  save_safetensors(directory / "a", {{"whole", at::cat({whole, whole})}, {"rest", rest}});
  auto mapped = map_safetensors(directory / "a");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped.at("whole").const_data_ptr()) % 64, 0U);
  const at::Tensor kept = mapped.at("rest");
  mapped.clear();
  fs::remove(directory / "a");
  EXPECT_TRUE(at::equal(kept, rest));
}

TEST(Safetensors, RejectsDamagedFiles) {
  EXPECT_THAT(load_error(""), HasSubstr("too short"));
  EXPECT_THAT(load_error("1234567"), HasSubstr("too short"));
  EXPECT_THAT(load_error(std::string(8, '\xff')), HasSubstr("cut off"));
  EXPECT_THAT(load_error(file_bytes("{", "")), HasSubstr("damaged safetensors header"));
  EXPECT_THAT(load_error(file_bytes("[]", "")), HasSubstr("damaged safetensors header"));
  const std::string deep =
      R"({"a": )" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_THAT(load_error(file_bytes(deep, "")), HasSubstr("is nested more than 500 levels deep"));
  EXPECT_THAT(load_error(file_bytes("{}", "x")), HasSubstr("belong to no tensor"));
}

TEST(Safetensors, RejectsDamagedEntries) {
  const auto entry = [](const std::string& fields) {
    return load_error(file_bytes("{\"w\":{" + fields + "}}", std::string(8, '\0')));
  };
  const std::string offsets = ",\"data_offsets\":[0,8]";
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[2]"), HasSubstr("tensor w"));
  EXPECT_THAT(entry("\"dtype\":\"Q4\",\"shape\":[2]" + offsets), HasSubstr("dtype Q4"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[3]" + offsets), HasSubstr("does not match"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[-2]" + offsets), HasSubstr("impossible"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4]" + offsets),
              HasSubstr("impossible"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]"),
              HasSubstr("outside the file"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"),
              HasSubstr("outside the file"));
  EXPECT_THAT(entry("\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[-4,-4]"),
              HasSubstr("outside the file"));
}

TEST(Safetensors, RejectsOverlapsAndGaps) {
  const auto two = [](const std::string& first, const std::string& second) {
    return load_error(
        file_bytes("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + first +
                       "},\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + second + "}}",
                   std::string(9, '\0')));
  };
  EXPECT_THAT(two("[0,4]", "[2,6]"), HasSubstr("overlap"));
  EXPECT_THAT(two("[0,4]", "[5,9]"), HasSubstr("gap"));
  EXPECT_THAT(two("[0,4]", "[4,8]"), HasSubstr("belong to no tensor"));
}

TEST(Safetensors, EveryCutIsNoticed) {
  const TestDirectory directory;
  save_safetensors(directory / "a", {{"a", at::ones({3})}, {"b", at::ones({2}, at::kByte)}});
  const std::string bytes = read_file(directory / "a");
  for (size_t size = 0; size < bytes.size(); ++size) {
    write_text(directory / "cut", bytes.substr(0, size));
    EXPECT_THROW(load_safetensors(directory / "cut"), CheckpointError) << size;
  }
}

TEST(Safetensors, RefusesWhatTheFormatCannotHold) {
  const TestDirectory directory;
  const at::Tensor complex = at::ones({2}, at::kComplexFloat);
  EXPECT_THROW(save_safetensors(directory / "a", {{"c", complex}}), CheckpointError);
  EXPECT_THROW(save_safetensors(directory / "a", {{"w", at::ones(1)}, {"w", at::ones(1)}}),
               CheckpointError);
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(Safetensors, FullDiskLeavesTheOldFile) {
  const TestDirectory directory;
  const fs::path path = directory / "model.safetensors";
  save_safetensors(path, {{"w", at::ones({4})}});
  {
    const FileSizeLimit limit(10'000);
    EXPECT_THAT(message_of<CheckpointError>([&] {
                  save_safetensors(path, {{"w", at::zeros({20'000})}});
                }),
                HasSubstr("model.safetensors: cannot be written: File too large"));
  }
  EXPECT_TRUE(at::equal(load_safetensors(path).at("w"), at::ones({4})));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), {}), 1);
}

}  // namespace
}  // namespace dietmt::encoders
