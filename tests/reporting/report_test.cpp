#include "reporting/report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <regex>
#include <set>

#include "common/error.h"
#include "common/files.h"
#include "reporting/report_chart.h"
#include "reporting/report_style.h"
#include "tests/common/test_directory.h"

namespace dietmt::reporting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kProgress =
    R"({"kind":"train","update":100,"seconds":60,"loss":5.5,"tokens_per_second":900,"learning_rate":0.001}
{"kind":"valid","update":100,"seconds":60,"valid_loss":5.0,"bleu":11.25,"chrf":30}
{"kind":"train","update":200,"seconds":120,"loss":4.5,"tokens_per_second":1100,"learning_rate":0.002}
{"kind":"valid","update":200,"seconds":120,"valid_loss":4.0,"bleu":null,"chrf":40}
{"kind":"valid","update":300,"seconds":3700,"valid_loss":4.25,"bleu":10.5,"chrf":35}
)";

std::string report_of(const std::string& progress, const std::string& settings = "") {
  const TestDirectory directory;
  write_text(directory / "progress.jsonl", progress);
  if (!settings.empty()) write_text(directory / "settings.json", settings);
  write_report(directory.path());
  return read_file(directory / "report.html");
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Report, ShowsCurvesAndMarksTheBest) {
  const std::string page = report_of(kProgress);
  EXPECT_EQ(count_of(page, "<svg "), 4U);  // loss, scores, learning rate, speed
  EXPECT_THAT(page, HasSubstr("\u2605 4.0000"));
  EXPECT_THAT(page, HasSubstr("\u2605 11.25"));
  EXPECT_THAT(page, HasSubstr("\u2605 40.00"));
  EXPECT_EQ(count_of(page, "\u2605"), 3U);
  EXPECT_THAT(page, HasSubstr("not a number"));
  EXPECT_THAT(page, HasSubstr("1h01m of training"));
  EXPECT_THAT(page, HasSubstr("update 200 · training loss 4.5 · validation loss 4"));
}

// Long series are drawn as means of neighbours.
TEST(Report, MarksTheBestOfManyValidations) {
  std::string progress;
  for (int update = 1; update <= 302; ++update)
    progress += R"({"kind":"valid","seconds":60,"update":)" + std::to_string(update) +
                R"(,"valid_loss":)" + (update == 2 ? "1.5" : "4.5") + "}\n";
  const std::string page = report_of(progress);
  EXPECT_THAT(page, HasSubstr("\u2605 1.5000"));
  EXPECT_THAT(page, HasSubstr("class='mark s0'"));
}

TEST(Report, NeedsNoNetworkOrScript) {
  const std::string page = report_of(kProgress);
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
}

TEST(Report, EscapesTitleAndSettings) {
  const std::string page = report_of(kProgress, R"({"title": "en-de <b>",
      "settings": {"Data": {"train-source": ["a&b", "c"]}, "se\"ed": 7}})");
  EXPECT_THAT(page, HasSubstr("<h1>en-de &lt;b&gt;</h1>"));
  EXPECT_THAT(page, HasSubstr("<td>a&amp;b c</td>"));
  EXPECT_THAT(page, HasSubstr("<th>se&quot;ed</th><td>7</td>"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
}

TEST(Report, SaysWhatTheRunWasAndWhatWasGiven) {
  const std::string page = report_of(kProgress, R"({"run": {"version": "dietmt 1 <b>",
      "started": "2026-11-29 10:00 UTC", "machine": "m, 2 cores", "parameters": 1234},
      "settings": {"beam": "4", "seed": "1", "width": "64", "earlier values": {"beam": "5"}},
      "defaults": ["beam", "width"]})");
  EXPECT_THAT(page, HasSubstr("<p class='facts'>dietmt 1 &lt;b&gt; \u00B7 started 2026-11-29 10:00 "
                              "UTC \u00B7 m, 2 cores \u00B7 parameters 1234</p>"));
  const size_t given = page.find("<h3>given</h3>"), defaults = page.find("<h3>defaults</h3>"),
               earlier = page.find("<h3>earlier values</h3>");
  EXPECT_LT(given, page.find("<th>seed</th>"));
  EXPECT_LT(page.find("<th>seed</th>"), defaults);
  EXPECT_LT(defaults, page.find("<th>beam</th><td>4</td>"));
  EXPECT_LT(page.find("<th>width</th>"), earlier);
  EXPECT_LT(earlier, page.find("<th>beam</th><td>5</td>"));
}

TEST(Report, WorksBeforeTheFirstEntry) { EXPECT_THAT(report_of(""), Not(HasSubstr("<svg"))); }

TEST(Report, NamesADamagedFile) {
  const TestDirectory directory;
  EXPECT_THROW(write_report(directory.path()), Error);
  write_text(directory / "progress.jsonl", "{\"update\": \"one\"}\n");
  EXPECT_THAT(message_of<DataError>([&] { write_report(directory.path()); }),
              HasSubstr("progress.jsonl"));
  write_text(directory / "progress.jsonl", "");
  for (const char* damaged : {"[", "[1]", R"({"settings": 7})", R"({"run": []})"}) {
    write_text(directory / "settings.json", damaged);
    EXPECT_THAT(message_of<DataError>([&] { write_report(directory.path()); }),
                HasSubstr("settings.json"))
        << damaged;
  }
}

TEST(ReportChart, TicksAreRoundAndCoverTheRange) {
  EXPECT_THAT(axis_ticks(0, 8000, 5), ElementsAre(0, 2000, 4000, 6000, 8000));
  EXPECT_THAT(axis_ticks(1.3, 9.1, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_EQ(axis_ticks(-3, 7, 5).front(), -4);
  for (const double value : {0.0, 5.0, -1e-9, 1e12}) {
    const std::vector<double> ticks = axis_ticks(value, value, 5);
    EXPECT_LT(ticks.front(), value);
    EXPECT_GT(ticks.back(), value);
    EXPECT_LE(ticks.size(), 12U);
    EXPECT_LE(axis_ticks(value, std::nextafter(value, HUGE_VAL), 5).size(), 12U);
  }
}

TEST(ReportChart, LongSeriesAreThinnedByMeans) {
  std::vector<Point> points;
  for (int i = 1; i <= 1000; ++i) points.push_back({i * 1.0, i % 2 ? 1.0 : 3.0});
  const std::vector<Point> thin = thinned(points, 100);
  ASSERT_EQ(thin.size(), 100U);
  for (const Point& point : thin) EXPECT_DOUBLE_EQ(point.y, 2.0);
  EXPECT_DOUBLE_EQ(thin.back().x, 1000);
}

TEST(ReportChart, DrawsNothingWithoutFinitePoints) {
  EXPECT_EQ(svg_chart({"t", "x", "y", {{"a", {{1, std::numeric_limits<double>::quiet_NaN()}}}}}),
            "");
  EXPECT_THAT(svg_chart({"t", "x", "y", {{"a", {{1, 2}}}}}), HasSubstr("<circle"));
}

// XNLI has fifteen validation sets.
TEST(ReportChart, NamesTakeThePlaceOfNumbers) {
  Chart chart{"t", "words", "y", {{"a", {{0, 1}, {1, 2}}}}};
  chart.x_names = {"0–9", "10 & more"};
  const std::string svg = svg_chart(chart);
  EXPECT_THAT(svg, HasSubstr(">0–9</text>"));
  EXPECT_THAT(svg, HasSubstr(">10 &amp; more</text>"));
  EXPECT_THAT(svg, HasSubstr("words 10 &amp; more · a 2"));
  chart.x_names.assign(60, "a long name");
  EXPECT_EQ(count_of(svg_chart(chart), ">a long name</text>"), 5U);
  chart.x_names.resize(1);
  EXPECT_EQ(svg_chart(chart), "");
}

TEST(ReportChart, ManyCurvesDifferAndFit) {
  Chart chart{"t", "update", "y", {}};
  for (const char* name : {"accuracy (ar)", "accuracy (bg)", "accuracy (de)", "accuracy (el)",
                           "accuracy (en)", "accuracy (es)"})
    chart.series.push_back({name, {{1, 2}, {2, 3}}});
  const std::string svg = svg_chart(chart);
  for (const char* curve : {"s0", "s1", "s2", "s3", "s0 d1", "s1 d1"})
    EXPECT_THAT(svg, HasSubstr("<path class='line " + std::string(curve) + "'"));
  EXPECT_THAT(svg, Not(HasSubstr("s4")));
  EXPECT_THAT(kReportStyle, HasSubstr(".d1 {"));

  const std::regex text("<text class='(legend|readout)' x='([0-9]+)' y='(-?[0-9]+)'>([^<]*)<");
  std::smatch top;
  ASSERT_TRUE(std::regex_search(svg, top, std::regex("viewBox='0 (-[0-9]+) 460 ")));
  std::set<std::string> places;
  for (auto found = std::sregex_iterator(svg.begin(), svg.end(), text);
       found != std::sregex_iterator(); ++found) {
    EXPECT_LT(std::stod((*found)[2]) + 6.0 * static_cast<double>((*found)[4].length()), 460);
    EXPECT_GT(std::stod((*found)[3]) - 12, std::stod(top[1]));
    if ((*found)[1] == "legend") places.insert((*found)[2].str() + " " + (*found)[3].str());
  }
  EXPECT_EQ(places.size(), 6U);
}

TEST(ReportChart, NumbersAreShort) {
  EXPECT_EQ(short_number(0.0005), "5e-4");
  EXPECT_EQ(short_number(0.00125), "1.25e-3");
  EXPECT_EQ(short_number(1e-7), "1e-7");
  EXPECT_EQ(short_number(0.25), "0.25");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(12500), "12.5k");
  EXPECT_EQ(short_number(3e6), "3M");
  EXPECT_EQ(short_number(2000), "2000");
}

}  // namespace
}  // namespace dietmt::reporting
