// Files that torch.save never writes: damaged ones, and ones that would run code, or take any
// amount of memory, in a reader that trusts them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "interchange/pytorch/pickle.h"
#include "interchange/pytorch/torch_file.h"
#include "tests/interchange/torch_bytes.h"

namespace dietmt::interchange {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace torch_bytes;

std::string failure_of(const std::string& file) {
  try {
    parse_torch_file(file);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "succeeded";
}

std::string floats(const std::string& key = "0") { return storage("FloatStorage", key, 4); }
const std::string kSixteen(16, 'x');

std::string with_tensor(const std::string& made) { return ordered_dict({{"weight", made}}); }

std::string small_archive() {
  return archive(with_tensor(tensor(floats(), 0, {2, 2}, {2, 1})), {{"0", kSixteen}});
}
std::string small_old_file() {
  return old_file(with_tensor(tensor(floats(), 0, {2, 2}, {2, 1})), {{"0", 4, kSixteen}});
}

TEST(HostileTorchFiles, TheSmallFilesAreWhole) {
  EXPECT_EQ(failure_of(small_archive()), "succeeded");
  EXPECT_EQ(failure_of(small_old_file()), "succeeded");
}

TEST(HostileTorchFiles, OtherClassesAreNamedAndNotMade) {
  const std::string attack = call(known("os", "system"), {text("touch attacked")});
  for (const std::string& file : {archive(attack, {}), old_file(attack, {}),
                                  archive(with_tensor(attack), {}), pickle(attack)})
    EXPECT_THAT(failure_of(file), HasSubstr("holds the class os.system: only tensors are read"));
  EXPECT_THAT(failure_of(archive(text("builtins") + text("eval") + "\x93", {})),
              HasSubstr("builtins.eval"));
  EXPECT_THAT(failure_of(archive(known("torch", "load"), {})), HasSubstr("torch.load"));
  EXPECT_THAT(failure_of(archive(known("torch.storage", "_load_from_bytes"), {})),
              HasSubstr("torch.storage._load_from_bytes"));
  EXPECT_THAT(failure_of(archive(storage("ComplexFloatStorage", "0", 1), {})),
              HasSubstr("torch.ComplexFloatStorage, a type that dietmt does not read"));
  EXPECT_THAT(failure_of(archive(known("a\x1b[2J", std::string(500, 'b')), {})),
              HasSubstr("class a?[2J.b"));
}

// A Lightning checkpoint, whose callbacks and settings may have any class.
TEST(HostileTorchFiles, LightningsOtherValuesAreSkipped) {
  const std::string state = with_tensor(tensor(floats(), 0, {2, 2}, {2, 1}));
  const std::string made = known("callbacks", "Stopping") + ")\x81";  // a new object
  const auto entry = [](const std::string& key, const std::string& value) {
    return text(key) + value;
  };
  const std::string checkpoint =
      "}(" + entry("callbacks", made + "}" + text("best") + number(3) + "sb") +
      entry("settings",
            known("parsing", "AttributeDict") + ")\x81(" + text("a") + number(1) + "u") +
      entry("class", known("os", "system")) +
      entry("attack", call(known("os", "system"), {text("touch attacked")})) +
      entry("optimizer", with_tensor(tensor(floats("1"), 0, {4}, {1}))) +
      entry("state_dict", state) + "u";
  const std::string file = archive(checkpoint, {{"0", kSixteen}, {"1", "short"}});
  const auto tensors = parse_torch_file(file, TorchContent::kLightning);
  ASSERT_EQ(tensors.size(), 1U);
  EXPECT_EQ(tensors.at("weight").shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(tensors.at("weight").data[0], 'x');

  const auto lightning_failure = [](const std::string& bytes) {
    try {
      parse_torch_file(bytes, TorchContent::kLightning);
    } catch (const CheckpointError& error) {
      return std::string(error.what());
    }
    return std::string("succeeded");
  };
  EXPECT_THAT(failure_of(file), HasSubstr("holds the class callbacks.Stopping"));
  EXPECT_THAT(lightning_failure(small_archive()), HasSubstr("has no 'state_dict'"));
  EXPECT_THAT(
      lightning_failure(archive("}" + entry("state_dict", known("os", "system")) + "s", {})),
      HasSubstr("has no 'state_dict'"));
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_NE(lightning_failure(file.substr(0, size)), "succeeded") << size;
}

std::string options_failure(const std::string& file) {
  try {
    parse_torch_values(file, {"cfg", "args"});
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "succeeded";
}

// A record of `package`.`name` with these attributes, as pickles make one.
std::string record(const std::string& package, const std::string& name,
                   const std::string& attributes) {
  return known(package, name) + ")\x81}(" + attributes + "ub";
}

TEST(HostileTorchFiles, FairseqsOptionsArePlainValues) {
  const std::string half("G\x3f\xe0\0\0\0\0\0\0", 9);
  const std::string node = record("omegaconf.nodes", "AnyNode", text("_val") + number(7));
  const std::string group = record("omegaconf.dictconfig", "DictConfig",
                                   text("_content") + "}(" + text("a") + node + "u");
  const std::string options = record(
      "argparse", "Namespace",
      text("half") + half + text("yes") + "\x88" + text("none") + "N" + text("group") + group);
  for (const std::string& checkpoint :
       {"}(" + text("cfg") + "N" + text("args") + options + "u", "}" + text("cfg") + options + "s"})
    for (const std::string& file : {archive(checkpoint, {}), old_file(checkpoint, {})})
      EXPECT_EQ(
          parse_torch_values(file, {"cfg", "args"}).front(),
          nlohmann::json({{"half", 0.5}, {"yes", true}, {"none", nullptr}, {"group", {{"a", 7}}}}));
  EXPECT_EQ(parse_torch_values(archive("}", {}), {"cfg"}), nlohmann::json::object());
  EXPECT_THAT(options_failure(archive("]", {})), HasSubstr("other than a checkpoint"));
  EXPECT_THAT(options_failure(archive("}" + text("cfg") + known("fairseqs", "a") + "s", {})),
              HasSubstr("holds the class fairseqs.a"));
  EXPECT_THAT(options_failure(archive("}" + text("cfg") + known("argparse", "Action") + "s", {})),
              HasSubstr("holds the class argparse.Action"));
}

// Options that contain themselves, or that share parts so that they would fill any memory.
TEST(HostileTorchFiles, FairseqsOptionsThatGrowEndEarly) {
  const auto with = [](const std::string& options) {
    return options_failure(archive("}" + text("args") + options + "s", {}));
  };
  EXPECT_THAT(with("]q\1h\1a"), HasSubstr("nested too deeply"));
  std::string doubling = "]";
  for (int i = 0; i < 18; ++i)
    doubling +=
        "q\1"
        "0(h\1h\1t";
  EXPECT_THAT(with(doubling), HasSubstr("more options"));
  std::string long_texts = text(std::string(1'000'000, 'x')) +
                           "q\1"
                           "0(";
  for (int i = 0; i < 20; ++i) long_texts += "h\1";
  EXPECT_THAT(with(long_texts + "t"), HasSubstr("more options"));
}

TEST(HostileTorchFiles, CutOffAnywhere) {
  for (const std::string& whole : {small_archive(), small_old_file()})
    for (size_t size = 0; size < whole.size(); ++size)
      EXPECT_NE(failure_of(whole.substr(0, size)), "succeeded") << size;
}

TEST(HostileTorchFiles, AChangedByteIsAnErrorOrATensor) {
  for (const std::string& whole : {small_archive(), small_old_file()}) {
    for (size_t at = 0; at < whole.size(); ++at) {
      for (const int bit : {0x01, 0x10, 0x80, 0xff}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ bit);
        EXPECT_THAT(failure_of(changed), Not(HasSubstr("basic_string"))) << at;
      }
    }
  }
}

TEST(HostileTorchFiles, TensorsStayInTheirStorage) {
  const auto tensor_failure = [](const std::vector<int64_t>& shape,
                                 const std::vector<int64_t>& strides, int64_t offset) {
    return failure_of(
        archive(with_tensor(tensor(floats(), offset, shape, strides)), {{"0", kSixteen}}));
  };
  constexpr int64_t kHuge = INT64_MAX;
  EXPECT_EQ(tensor_failure({2}, {3}, 0), "succeeded");
  EXPECT_EQ(tensor_failure({}, {}, 3), "succeeded");
  EXPECT_EQ(tensor_failure({0, 9}, {9, 1}, 0), "succeeded");
  for (const std::string& failed :
       {tensor_failure({2}, {4}, 0), tensor_failure({4}, {1}, 1), tensor_failure({}, {}, 4),
        tensor_failure({5}, {0}, 0), tensor_failure({kHuge, kHuge}, {0, 0}, 0),
        tensor_failure({2}, {kHuge}, kHuge), tensor_failure({3}, {kHuge}, 0),
        tensor_failure({2, 2}, {1}, 0)})
    EXPECT_THAT(failed, HasSubstr("does not lie in its storage 0"));
  EXPECT_THAT(tensor_failure({-1}, {1}, 0), HasSubstr("impossible shape"));
  EXPECT_THAT(tensor_failure({2}, {-1}, 1), HasSubstr("impossible shape"));
  EXPECT_THAT(tensor_failure({2}, {1}, -1), HasSubstr("damaged"));
  const std::vector<int64_t> many(100, 1);
  EXPECT_THAT(tensor_failure(many, many, 0), HasSubstr("too many dimensions"));
}

TEST(HostileTorchFiles, SizesOfStoragesAreThoseOfTheFile) {
  const auto state =
      with_tensor(tensor(storage("FloatStorage", "0", INT64_C(1) << 40), 0, {1}, {1}));
  EXPECT_THAT(failure_of(archive(state, {{"0", kSixteen}})), HasSubstr("has 16 bytes, not"));
  EXPECT_THAT(failure_of(old_file(state, {{"0", UINT64_C(1) << 40, kSixteen}})),
              HasSubstr("ends too early"));
  EXPECT_THAT(failure_of(old_file(state, {{"0", 4, kSixteen}})),
              HasSubstr("wrong number of elements"));
  const auto huge = with_tensor(tensor(storage("FloatStorage", "0", INT64_MAX), 0, {1}, {1}));
  EXPECT_THAT(failure_of(archive(huge, {{"0", kSixteen}})), HasSubstr("impossible size"));
  EXPECT_THAT(failure_of(archive(with_tensor(tensor(floats("7"), 0, {1}, {1})), {})),
              HasSubstr("tensor weight: its storage 7 is missing"));
  EXPECT_THAT(failure_of(old_file(ordered_dict({}), {{"7", 4, kSixteen}})),
              HasSubstr("no tensor has storage 7"));
  const auto twice = ordered_dict({{"a", tensor(floats(), 0, {1}, {1})},
                                   {"b", tensor(storage("HalfStorage", "0", 4), 0, {1}, {1})}});
  EXPECT_THAT(failure_of(archive(twice, {{"0", kSixteen}})), HasSubstr("two types or sizes"));
}

// Entries of one archive that share their bytes, each as long as the file.
TEST(HostileTorchFiles, OverlappingEntriesTakeNoMoreMemoryThanTheFile) {
  constexpr int64_t kStorages = 100;
  const std::string content(100'000, 'x');
  std::vector<std::pair<std::string, std::string>> tensors;
  for (int64_t i = 0; i < kStorages; ++i) {
    const auto key = std::to_string(i);
    tensors.emplace_back("t" + key,
                         tensor(storage("ByteStorage", key, std::ssize(content)), 0, {1}, {1}));
  }
  std::string file = archive(ordered_dict(tensors), {{"0", content}});
  const size_t end = file.rfind("PK\5\6"), entry = file.rfind("PK\1\2", file.rfind("model/data/0"));
  const size_t entry_end = file.find("PK\1\2", entry + 4);
  std::string more;
  for (int64_t i = 1; i < kStorages; ++i) {
    std::string copy = file.substr(entry, entry_end - entry);
    copy.replace(copy.size() - 1, 1, std::to_string(i));
    copy.replace(28, 2, little(static_cast<uint64_t>(10 + std::ssize(std::to_string(i))) + 1, 2));
    more += copy;
  }
  const uint64_t begin = file.find("PK\1\2");
  const uint64_t entries = 4 + kStorages - 1;
  file.replace(end, file.npos,
               more + "PK\5\6" + little(0, 4) + little(entries, 2) + little(entries, 2) +
                   little(end + more.size() - begin, 4) + little(begin, 4) + little(0, 2));
  EXPECT_THAT(failure_of(file), HasSubstr("more bytes than the file"));
}

TEST(HostileTorchFiles, CompressedEntriesAreRefused) {
  std::string file = small_archive();
  file[file.find("PK\1\2") + 10] = 8;
  EXPECT_THAT(failure_of(file), HasSubstr("model/data.pkl is compressed"));
}

TEST(HostileTorchFiles, PicklesThatGrowEndEarly) {
  EXPECT_THAT(failure_of(archive(std::string(5'000'000, '}'), {})), HasSubstr("more steps"));
  EXPECT_THAT(failure_of(archive(std::string(5'000'000, '('), {})), HasSubstr("more steps"));
  // A list that contains itself, and one that contains another twice, a hundred levels deep.
  EXPECT_THAT(failure_of(archive("]q\1h\1ah\1a", {})), HasSubstr("something other"));
  std::string doubling = "]";
  for (int i = 0; i < 100; ++i) doubling += "q\1)h\1h\1\x86";
  EXPECT_THAT(failure_of(archive(doubling, {})), HasSubstr("something other"));
  EXPECT_THAT(failure_of(archive("}q\1(" + text("a") + "h\1u", {})), HasSubstr("no tensors"));
}

TEST(HostileTorchFiles, PicklesOfNothingAreErrors) {
  for (const std::string& state :
       {std::string(""),
        std::string("0"),
        std::string("t"),
        std::string("\x85"),
        std::string("a"),
        std::string("N}s"),
        std::string("NNs"),
        std::string("R"),
        std::string("NNR"),
        known("collections", "OrderedDict") + "NR",
        known("torch", "FloatStorage") + ")R",
        known("torch._utils", "_rebuild_tensor_v2") + ")R",
        std::string("NQ"),
        std::string(")Q"),
        std::string("Nb"),
        std::string("NNb"),
        std::string("h\1"),
        std::string("\x8b\xff\xff\xff\xff"),
        std::string("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"),
        std::string("(N}Nt0u"),
        std::string("NN\x93"),
        std::string("\x81"),
        std::string("P1\n"),
        std::string("("),
        tuple({text("storage"), known("collections", "OrderedDict"), text("0"), text("cpu"),
               number(1)}) +
            "Q",
        call(known("torch._utils", "_rebuild_tensor_v2"), {"N", number(0), ")", ")"}),
        call(known("torch._utils", "_rebuild_parameter"), {"N"}),
        std::string("(K\1}u"),
        std::string("}(Nu")})
    EXPECT_NE(failure_of(archive(state, {})), "succeeded") << testing::PrintToString(state);
}

TEST(HostileTorchFiles, NamesAreFitForMessages) {
  for (const std::string& name : {std::string(2000, 'a'), std::string("a\x1b[2J")})
    EXPECT_THAT(failure_of(archive(ordered_dict({{name, tensor(floats(), 0, {1}, {1})}}),
                                   {{"0", kSixteen}})),
                HasSubstr("impossible name a"));
}

TEST(HostileTorchFiles, OtherFilesAreNamed) {
  EXPECT_THAT(failure_of(zip({{"a.txt", "b"}})), HasSubstr("without data.pkl"));
  EXPECT_THAT(failure_of(pickle(number(5))), HasSubstr("not one of torch.save"));
  EXPECT_THAT(failure_of(zip({{"a/data.pkl", pickle(ordered_dict({}))}, {"a/byteorder", "big"}})),
              HasSubstr("byte order"));
  EXPECT_THAT(failure_of(old_file(ordered_dict({}), {}, "\x89")), HasSubstr("byte order"));
  EXPECT_THAT(failure_of(archive(ordered_dict({{"epoch", number(3)}}), {})),
              HasSubstr("holds no tensors"));
  EXPECT_THAT(failure_of(std::string("\x80\x63N.", 4)), HasSubstr("unknown protocol"));
}

}  // namespace
}  // namespace dietmt::interchange
