// The options of `dietmt translate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/translator_options.h"

namespace dietmt::tools {

struct TranslateOptions : TranslatorOptions {
  std::string input = "-";
  std::string output = "-";
  std::string prefix;
  bool json = false;
  bool scores = false;
  bool flush = false;
};

/// None if only help was asked for. Throws ConfigError with all that is wrong.
std::optional<TranslateOptions> parse_translate(const std::vector<std::string>& arguments);

}  // namespace dietmt::tools
