#include "reporting/comparison.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "common/files.h"
#include "tests/common/test_directory.h"

namespace dietmt::reporting {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Paths = std::vector<std::filesystem::path>;

void record_run(const std::filesystem::path& output, const std::string& bleu,
                const std::string& settings) {
  std::filesystem::create_directories(output);
  write_text(output / "progress.jsonl",
             R"({"kind":"train","update":100,"seconds":60,"loss":5.5,"tokens_per_second":900}
{"kind":"valid","update":100,"seconds":60,"valid_loss":5.0,"bleu":)" +
                 bleu + "}\n");
  write_text(output / "settings.json", settings);
}

TEST(Comparison, RunsAreNamedByWhatDiffersInTheirPaths) {
  const TestDirectory directory;
  const Paths outputs{directory / "en-de/shaw/model", directory / "en-de/t5/large/model/"};
  for (const auto& output : outputs) record_run(output, "10", "{}");
  EXPECT_EQ(comparison_table(outputs),
            "run\tupdates\ttime\tbest validation loss\tbest BLEU\ttarget tokens/s\n"
            "shaw\t100\t1m00s\t5.0000\t10.00\t900\n"
            "t5/large\t100\t1m00s\t5.0000\t10.00\t900\n");
  // One inside the other, and only one.
  record_run(directory / "en-de", "10", "{}");
  EXPECT_THAT(comparison_table({directory / "en-de", directory / "en-de/shaw/model"}),
              HasSubstr("\nen-de\t"));
  EXPECT_THAT(comparison_table({directory / "en-de/shaw/model"}), HasSubstr("\nmodel\t"));
}

TEST(Comparison, APageHasTheBestScoresACurveForEachRunAndDifferentSettings) {
  const TestDirectory directory;
  const Paths outputs{directory / "a<b", directory / "c"};
  record_run(outputs[0], "10.5",
             R"({"settings": {"seed": "1", "width": "64", "earlier": {"beam": "4"}}})");
  record_run(outputs[1], "11.25", R"({"settings": {"seed": "2", "width": "64"}})");
  const std::string page = comparison_page(outputs);
  EXPECT_THAT(page, HasSubstr("<td class='best' title='the best'>★ 11.25</td>"));
  EXPECT_THAT(page, HasSubstr("<td>10.50</td>"));
  EXPECT_THAT(page, HasSubstr("<th>a&lt;b</th><th>c</th>"));
  EXPECT_THAT(page, HasSubstr("<tr><th>seed</th><td>1</td><td>2</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<tr><th>earlier.beam</th><td>4</td><td></td></tr>"));
  EXPECT_THAT(page, Not(HasSubstr("width</th>")));
  for (const char* title : {"validation loss", "BLEU", "training loss", "tokens per second"})
    EXPECT_THAT(page, HasSubstr("<figcaption>" + std::string(title) + "</figcaption>"));
  EXPECT_THAT(page, HasSubstr("update 100 · a&lt;b 10.5 · c 11.25"));
  EXPECT_THAT(page, Not(HasSubstr("a<b")));
}

TEST(Comparison, ChartsMayBeOverTimeOrEpochs) {
  const TestDirectory directory;
  const Paths outputs{directory / "a", directory / "b"};
  for (const auto& output : outputs) record_run(output, "10", "{}");
  const std::string over_time = comparison_page(outputs, "seconds");
  EXPECT_THAT(over_time, HasSubstr("seconds 60 · a 10"));
  EXPECT_THAT(over_time, HasSubstr("<td>100</td>"));  // updates, in the table
  // The entries have no epoch.
  EXPECT_THAT(comparison_page(outputs, "epoch"), Not(HasSubstr("<figcaption>BLEU")));
}

TEST(Comparison, NamesTheFileAtFault) {
  const TestDirectory directory;
  record_run(directory / "a", "1", "{}");
  EXPECT_THAT(message_of<Error>([&] {
                comparison_page({directory / "a", directory / "b"});
              }),
              HasSubstr("b/progress.jsonl"));
  record_run(directory / "b", "1", R"({"settings": 7})");
  EXPECT_THAT(message_of<DataError>([&] {
                comparison_page({directory / "a", directory / "b"});
              }),
              HasSubstr("b/settings.json"));
}

}  // namespace
}  // namespace dietmt::reporting
