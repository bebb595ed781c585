// The options of commands that translate text: which models, and how they search.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "nmt/search/search_options.h"

namespace dietmt::tools {

struct TranslatorOptions {
  std::string models;
  std::optional<std::string> source_tag;
  std::string length_norm = "power";
  std::string device = "cpu";
  std::string weights = "auto";
  std::string shortlist;
  int64_t seed = 1;
  nmt::SearchOptions search;
};

/// Adds them to the present group: the models, the tag and how much of a line is translated.
void bind_model(OptionTable& table, TranslatorOptions& options);
void bind_source_lines(OptionTable& table, TranslatorOptions& options);

/// Each adds a group of its own.
void bind_search(OptionTable& table, TranslatorOptions& options);
void bind_decoding_machine(OptionTable& table, TranslatorOptions& options);

/// Puts the names and numbers above into `search`; all that is wrong, one sentence each.
std::vector<std::string> resolve(TranslatorOptions& options);

}  // namespace dietmt::tools
