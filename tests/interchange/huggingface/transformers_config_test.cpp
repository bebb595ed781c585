// config.json from other writers: without a type, or not as transformers writes it.
#include "interchange/huggingface/transformers_config.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/marianmt.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class ForeignConfigTest : public ScratchTest {
 protected:
  void copy(const fs::path& from) const {
    fs::copy(from, scratch(), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    original_ = json::parse(read_file(scratch() / "config.json"));
  }
  std::string with(const std::string& text) const {
    write("config.json", text);
    return failure<Error>([&] { import(); });
  }
  std::string with(const std::function<void(json&)>& change) const {
    json changed = original_;
    change(changed);
    return with(changed.dump());
  }
  virtual void import() const = 0;
  mutable json original_;
};

class MarianConfigTest : public ForeignConfigTest {
 protected:
  MarianConfigTest() { copy(case_directory("shared")); }
  void import() const override { import_marianmt(scratch()); }
};
class BertConfigTest : public ForeignConfigTest {
 protected:
  BertConfigTest() { copy(fs::path(DIETMT_BERT_CASES) / "absolute"); }
  void import() const override { import_huggingface(scratch()); }
};

TEST_F(MarianConfigTest, AMissingTypeIsInferred) {
  EXPECT_EQ(with([](json& config) { config.erase("model_type"); }), "succeeded");
  EXPECT_EQ(with([](json& config) { config.erase("model_type"), config.erase("architectures"); }),
            "succeeded");
  const auto of_class = [&](const json& classes) {
    return with([&](json& config) {
      config.erase("model_type");
      config["architectures"] = classes;
    });
  };
  EXPECT_EQ(of_class({"MarianMTModel"}), "succeeded");
  EXPECT_EQ(of_class(nullptr), "succeeded");
  EXPECT_THAT(of_class({"BertModel"}), HasSubstr("those of 'bert'; only 'marian' is known"));
  EXPECT_THAT(of_class({"BartModel"}),
              AllOf(HasSubstr("config.json: model_type is missing"), HasSubstr("'marian'")));
}

TEST_F(BertConfigTest, AMissingTypeIsInferred) {
  EXPECT_EQ(with([](json& config) { config.erase("model_type"), config.erase("architectures"); }),
            "succeeded");
  EXPECT_THAT(with([](json& config) {
                config.erase("model_type");
                config["architectures"] = {"BartModel"};
              }),
              HasSubstr("config.json: model_type is missing"));
  EXPECT_THAT(with(R"({"d_model": 8, "encoder_layers": 1, "decoder_layers": 1})"),
              HasSubstr("those of 'marian'; known: 'bert'"));
}

TEST_F(MarianConfigTest, ErrorsNameFileAndKey) {
  for (const char* text : {"[]", "3", "\"marian\"", "null", "", "{", "{}"}) {
    EXPECT_THAT(with(std::string(text)),
                AllOf(HasSubstr("config.json: "), Not(HasSubstr("json.exception"))));
  }
  for (const auto& [key, value] : original_.items()) {
    for (const json& wrong : {json::array(), json("x"), json(-1), json(1e300), json::object()}) {
      SCOPED_TRACE(key + " " + wrong.dump());
      const std::string failed = with([&, name = key](json& config) { config[name] = wrong; });
      if (failed == "succeeded") continue;
      EXPECT_THAT(failed, AllOf(HasSubstr(scratch().string()), Not(HasSubstr("json.exception")),
                                Not(HasSubstr("type must be"))));
    }
    const std::string failed = with([name = key](json& config) { config.erase(name); });
    if (failed != "succeeded") {
      EXPECT_THAT(failed, AllOf(HasSubstr("config.json: "), AnyOf(HasSubstr(key + " is missing"),
                                                                  HasSubstr(key + " is false"))));
    }
  }
  EXPECT_THAT(with([](json& config) { config["encoder_layers"] = "six"; }),
              HasSubstr("config.json: encoder_layers is \"six\"; it must be a whole number"));
}

TEST_F(BertConfigTest, ErrorsNameFileAndKey) {
  for (const char* text : {"[]", "3", "\"bert\"", "null", "", "{", "{}"}) {
    EXPECT_THAT(with(std::string(text)),
                AllOf(HasSubstr("config.json: "), Not(HasSubstr("json.exception"))));
  }
  for (const auto& [key, value] : original_.items()) {
    for (const json& wrong : {json::array(), json("x"), json(-1), json::object()}) {
      SCOPED_TRACE(key + " " + wrong.dump());
      const std::string failed = with([&, name = key](json& config) { config[name] = wrong; });
      if (failed == "succeeded") continue;
      EXPECT_THAT(failed, AllOf(HasSubstr(scratch().string()), Not(HasSubstr("json.exception")),
                                Not(HasSubstr("type must be"))));
    }
  }
}

TEST_F(MarianConfigTest, SizesHaveTheNamesOfTheFile) {
  EXPECT_THAT(with([](json& config) { config["d_model"] = 0; }),
              HasSubstr("config.json: d_model is 0; it must be from 1"));
  EXPECT_THAT(with([](json& config) {
                config["encoder_attention_heads"] = config["decoder_attention_heads"] = 3;
              }),
              HasSubstr("d_model 8 is not divisible by encoder_attention_heads 3"));
  EXPECT_THAT(with([](json& config) {
                config["d_model"] = 65536;
                config["encoder_layers"] = 1024;
              }),
              AllOf(HasSubstr("config.json: "), HasSubstr("d_model 65536")));
}

TEST_F(BertConfigTest, SizesHaveTheNamesOfTheFile) {
  const std::string failed = with([](json& config) { config["hidden_dropout_prob"] = 2; });
  EXPECT_THAT(failed, HasSubstr("config.json: hidden_dropout_prob is 2; it must be"));
  EXPECT_THAT(failed, Not(HasSubstr("embedding_dropout")));
}

TEST_F(MarianConfigTest, SpecialPiecesAreNamed) {
  write("generation_config.json", "{}");
  EXPECT_THAT(with([](json& config) { config.erase("eos_token_id"); }),
              HasSubstr("config.json: eos_token_id is missing"));
  EXPECT_THAT(with([](json& config) { config["decoder_start_token_id"] = "pad"; }),
              HasSubstr("decoder_start_token_id is \"pad\"; it must be a whole number"));
  write("generation_config.json", "[]");
  EXPECT_THAT(with([](json&) {}), HasSubstr("generation_config.json: must hold an object"));
}

}  // namespace
}  // namespace dietmt::interchange
