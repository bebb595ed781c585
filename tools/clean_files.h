// The files of `dietmt clean`: which inputs it reads, and where its outputs go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/cleaning/pair_source.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::tools {

struct CleanOptions {
  std::vector<std::string> inputs, outputs;
  std::string format = "auto";
  std::string columns, score_column;
  std::string removed, rules;
  std::vector<std::string> reports;
  data::PairFacts languages;
  std::string score_model, score_model_reverse;
  int64_t align_pairs = 200'000;
  bool print_rules = false, list_rules = false;
  std::optional<int64_t> dry_run;
  int64_t threads = 0;
};

/// Either `source` and `target`, or `pairs`, or none in a dry run.
struct OutputFiles {
  std::string source, target, pairs;
  bool keeps_lines = false;         // `pairs` gets the lines of the input
  std::filesystem::path directory;  // for temporary files
};

std::vector<std::string> clean_problems(const CleanOptions& o);

OutputFiles output_files(const CleanOptions& o);

std::unique_ptr<data::PairSource> open_pairs(const CleanOptions& o);

}  // namespace dietmt::tools
