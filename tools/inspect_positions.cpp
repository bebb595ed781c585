#include "tools/inspect_positions.h"

#include <spdlog/spdlog.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "encoders/position/scheme/position_help.h"
#include "inspection/position_report.h"

namespace dietmt::tools {
namespace {

struct Options {
  bool list = false;
  std::string model;
  std::string output;
  bool json = false;
  inspection::PositionReportOptions report;
};

OptionTable option_table(Options& o) {
  OptionTable table("inspect positions", "--list | --model DIR",
                    "The position encodings that --position accepts, or what those of a model do: "
                    "the part of the scores that positions add, its rank, how alike the vectors "
                    "of offsets are, and the first layer's attention in sentences of one repeated "
                    "word. Prints tables; --output draws heat maps.");
  table.add("list", &o.list, "", "print the table of encodings")
      .add("model", &o.model, "DIR",
           "a model directory or the output of dietmt train or dietmt bert pretrain")
      .add("output", &o.output, "FILE.html", "write a page of heat maps instead of tables")
      .add("json", &o.json, "", "print everything as JSON instead of tables")
      .add("length", &o.report.length, "N", "positions")
      .add("words", &o.report.words, "N", "random words that sentences repeat")
      .add("seed", &o.report.seed, "N", "of the random words");
  return table;
}

void check(const Options& o) {
  std::vector<std::string> problems;
  if (!o.list && o.model.empty()) problems.emplace_back("--list or --model is missing");
  if (o.list && !o.model.empty()) problems.emplace_back("--list and --model exclude each other");
  if (o.model.empty() && (o.json || !o.output.empty()))
    problems.emplace_back("--output and --json need --model");
  throw_if_any(problems);
}

}  // namespace

int inspect_positions(const std::vector<std::string>& arguments) {
  Options o;
  if (option_table(o).parse(arguments) == OptionTable::Outcome::kDone) return 0;
  check(o);
  if (o.list) {
    std::cout << encoders::position_help({});
    return 0;
  }
  const inspection::PositionReport report = inspection::position_report(o.model, o.report);
  if (!o.output.empty()) {
    write_file_atomically(o.output, inspection::position_page(report));
    spdlog::info("wrote {}", o.output);
  }
  if (o.json) std::cout << inspection::position_json(report).dump() << '\n';
  if (!o.json && o.output.empty()) std::cout << inspection::position_text(report);
  return 0;
}

}  // namespace dietmt::tools
