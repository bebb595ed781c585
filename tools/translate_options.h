// The options of `dietmt translate`, which both programs have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nmt/decoding/search_options.h"

namespace dietmt::tools {

struct TranslateOptions {
  std::string models;
  std::string input = "-";
  std::string output = "-";
  std::string prefix;
  bool json = false;
  bool scores = false;
  bool flush = false;
  std::string length_norm = "power";
  std::string device = "cpu";
  std::string weights = "auto";
  std::string shortlist;
  int64_t seed = 1;
  nmt::SearchOptions search;
};

/// None if only help was asked for. Throws ConfigError with all that is wrong.
std::optional<TranslateOptions> parse_translate(const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
