#include "service/jobs/line_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "common/error.h"

namespace dietmt::service {
namespace {

using ::testing::HasSubstr;

LineFormat tsv(int64_t column, LineOutput output = LineOutput::kReplace) {
  LineFormat format;
  format.kind = LineKind::kTsv;
  format.column = column;
  format.output = output;
  return format;
}

LineFormat jsonl(LineOutput output = LineOutput::kReplace) {
  LineFormat format;
  format.kind = LineKind::kJsonl;
  format.output = output;
  return format;
}

TEST(LineFormatTest, TextIsItsLine) {
  EXPECT_EQ(split_line({}, "a\tb").text, "a\tb");
  EXPECT_EQ(join_line({}, "a\tb", "x\ty\nz\r"), "x\ty z ");
}

TEST(LineFormatTest, ColumnsOfATsv) {
  const std::string line = "one\t\tthree";
  EXPECT_EQ(split_line(tsv(1), line).text, "one");
  EXPECT_EQ(split_line(tsv(2), line).text, "");
  EXPECT_EQ(split_line(tsv(2), line).problem, "");
  EXPECT_EQ(split_line(tsv(3), line).text, "three");
  EXPECT_EQ(split_line(tsv(4), line).problem, "has fewer than 4 columns");
  EXPECT_EQ(join_line(tsv(1), line, "x"), "x\t\tthree");
  EXPECT_EQ(join_line(tsv(2), line, "x"), "one\tx\tthree");
  EXPECT_EQ(join_line(tsv(3), line, "x\ty"), "one\t\tx y");
  EXPECT_EQ(join_line(tsv(1, LineOutput::kAdd), line, "x"), "one\t\tthree\tx");
}

TEST(LineFormatTest, FieldsOfJson) {
  EXPECT_EQ(split_line(jsonl(), R"({"text": "a \"b\"\n\u00e4"})").text, "a \"b\"\n\xC3\xA4");
  EXPECT_EQ(split_line(jsonl(), R"({"text": "a")").problem, "is not valid JSON");
  EXPECT_EQ(split_line(jsonl(), "").problem, "is not valid JSON");
  EXPECT_EQ(split_line(jsonl(), R"(["text"])").problem, "is not a JSON object");
  EXPECT_EQ(split_line(jsonl(), R"({"other": {"text": "a"}})").problem, "has no field \"text\"");
  EXPECT_EQ(split_line(jsonl(), R"({"text": 1})").problem, "field \"text\" is not a string");
}

TEST(LineFormatTest, AllElseInAJsonLineStaysAsItIs) {
  const std::string line =
      R"( {"id":123456789012345678901234567890 ,"x":{"text":"no, } \" "},"y":[1.50,"]\\"],"text" : "a" , "z":1e5} )";
  EXPECT_EQ(
      join_line(jsonl(), line, "b\n\"c\""),
      R"( {"id":123456789012345678901234567890 ,"x":{"text":"no, } \" "},"y":[1.50,"]\\"],"text" : "b\n\"c\"" , "z":1e5} )");
  EXPECT_EQ(
      join_line(jsonl(LineOutput::kAdd), line, "b"),
      R"( {"id":123456789012345678901234567890 ,"x":{"text":"no, } \" "},"y":[1.50,"]\\"],"text" : "a" , "z":1e5, "translation": "b"} )");
}

TEST(LineFormatTest, AnEstimateFollowsTheTranslation) {
  EXPECT_EQ(join_line(tsv(1, LineOutput::kAdd), "a\tb", "x", 0.81236), "a\tb\tx\t0.8124");
  EXPECT_EQ(join_line(jsonl(LineOutput::kAdd), R"({"text":"a"})", "b", 0.5),
            R"({"text":"a", "translation": "b", "quality": 0.5})");
  EXPECT_EQ(join_line(jsonl(LineOutput::kAdd), R"({"quality":"","text":"a"})", "b", std::nan("")),
            R"({"quality":null,"text":"a", "translation": "b"})");
}

TEST(LineFormatTest, TheFieldOfATranslationIsReplacedWhereItExists) {
  EXPECT_EQ(join_line(jsonl(LineOutput::kAdd), R"({"translation":null,"text":"a"})", "b"),
            R"({"translation":"b","text":"a"})");
}

TEST(LineFormatTest, OfEqualNamesTheLastCounts) {
  const std::string line = R"({"text":"a","\u0074ext":"b"})";
  EXPECT_EQ(split_line(jsonl(), line).text, "b");
  EXPECT_EQ(join_line(jsonl(), line, "c"), R"({"text":"a","\u0074ext":"c"})");
}

TEST(LineFormatTest, IllFormedUtf8IsAProblemOfAnyFormat) {
  for (const LineFormat& format : {LineFormat(), tsv(1), jsonl()})
    EXPECT_EQ(split_line(format, "a\xC3").problem, "is not valid UTF-8");
}

TEST(LineFormatTest, NamesAndEndings) {
  EXPECT_EQ(kind_by_extension("a.tsv"), LineKind::kTsv);
  EXPECT_EQ(kind_by_extension("A.JSONL"), LineKind::kJsonl);
  EXPECT_EQ(kind_by_extension("a.txt"), LineKind::kTxt);
  EXPECT_EQ(kind_by_extension("tsv"), std::nullopt);
  EXPECT_EQ(kind_by_extension(""), std::nullopt);
  for (const LineKind kind : kLineKinds) EXPECT_EQ(line_kind(name_of(kind)), kind);
  EXPECT_FALSE(line_kind("csv"));
  EXPECT_THROW(line_output("append"), RequestError);
}

}  // namespace
}  // namespace dietmt::service
