// A command with an option of each type.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/options.h"
#include "tests/common/scratch.h"

namespace dietmt {

using Words = std::vector<std::string>;

struct Fields {
  std::string text = "default text";
  int64_t count = 5;
  double rate = 0.1;
  bool flag = false;
  Words files;
  std::vector<int64_t> gpus;
  std::vector<double> shares;
  std::optional<int64_t> limit;
  std::optional<std::string> tag;
};

class OptionsTest : public ScratchTest {
 protected:
  static OptionTable table_of(Fields& fields) {
    OptionTable table("demo", "--text TEXT", "Shows options.");
    table.group("First")
        .add("text", &fields.text, "TEXT", "some text")
        .add("count", &fields.count, "N", "a number")
        .add("rate", &fields.rate, "X", "a rate");
    table.group("Second")
        .add("flag", &fields.flag, "", "a switch")
        .add("files", &fields.files, "FILE...", "some files")
        .add("gpus", &fields.gpus, "N...", "some numbers")
        .add("shares", &fields.shares, "X...", "some more numbers")
        .add("limit", &fields.limit, "N", "a limit, or none")
        .add("tag", &fields.tag, "TAG", "a tag, or none");
    return table;
  }

  static Fields parsed(const Words& arguments) {
    Fields fields;
    EXPECT_EQ(table_of(fields).parse(arguments), OptionTable::Outcome::kRun);
    return fields;
  }

  static std::string error_of(const Words& arguments) {
    Fields fields;
    try {
      table_of(fields).parse(arguments);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }

  static std::string printed(const Words& arguments) {
    Fields fields;
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(table_of(fields).parse(arguments), OptionTable::Outcome::kDone);
    return ::testing::internal::GetCapturedStdout();
  }
};

}  // namespace dietmt
