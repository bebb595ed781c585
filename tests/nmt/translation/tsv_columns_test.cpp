#include "nmt/translation/tsv_columns.h"

#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::nmt {
namespace {

class TsvColumnsTest : public ScratchTest {
 protected:
  TsvColumns columns(const std::string& text) const {
    LineReader reader(write("in", text));
    return TsvColumns::read(reader);
  }
};

TEST_F(TsvColumnsTest, CellsGoWhereTheirNamesSay) {
  LineExtras extras{.where = "in:2"};
  const TsvColumns read = columns("id\ttarget_language\tsource\tprefix\ttag\r\n");
  EXPECT_EQ(read.header(), "id\ttarget_language\tsource\tprefix\ttag");
  EXPECT_EQ(read.take_line("7\tde\ta \"b\"\tDas\t<x>", {.source = "en", .target = "fr"}, extras),
            "a \"b\"");
  EXPECT_EQ(extras.prefix, "Das");
  EXPECT_EQ(extras.prefix_where, "in:2");
  EXPECT_EQ(*extras.languages,
            (LanguageChoice{.source_tag = "<x>", .source = "en", .target = "de"}));
}

TEST_F(TsvColumnsTest, EmptyCellsSayNothing) {
  LineExtras extras;
  const TsvColumns read = columns("\xEF\xBB\xBFsource\ttarget_language\tprefix\n");
  EXPECT_EQ(read.take_line("\t\t", {.target = "fr"}, extras), "");
  EXPECT_EQ(extras.languages->target, "fr");
  EXPECT_EQ(extras.prefix, "");
}

TEST_F(TsvColumnsTest, NamesCanBeGiven) {
  LineExtras extras;
  const TsvColumns named = TsvColumns::named("source,,source_language");
  EXPECT_EQ(named.header(), "");
  EXPECT_EQ(named.take_line("a\tb\tc", {}, extras), "a");
  EXPECT_EQ(extras.languages->source, "c");
}

TEST_F(TsvColumnsTest, WrongColumnsAreNamed) {
  const auto problem = [&](const std::string& text) {
    const std::string message = message_of<DataError>([&] { columns(text); });
    return message.substr(message.rfind("in:"));
  };
  EXPECT_EQ(problem(""), "in: the input is empty; its first line must name the columns");
  EXPECT_EQ(problem("text\n"),
            "in:1: no column has the name 'source'; known names: source, source_language, "
            "target_language, tag, prefix");
  EXPECT_EQ(problem("source\ttag\ttag\n"), "in:1: two columns have the name 'tag'");
  EXPECT_EQ(message_of<ConfigError>([] { TsvColumns::named("source,source"); }),
            "two columns have the name 'source'");
  LineExtras extras;
  EXPECT_EQ(message_of<DataError>([&] { columns("source\ttag\n").take_line("a", {}, extras); }),
            "the line has 1 column, but there are names for 2");
  EXPECT_EQ(message_of<DataError>([&] { columns("source\n").take_line("a\tb", {}, extras); }),
            "the line has 2 columns, but there are names for 1");
}

}  // namespace
}  // namespace dietmt::nmt
