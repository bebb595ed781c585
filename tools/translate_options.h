// The options of `dietmt translate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "tools/decoding_options.h"
#include "tools/mbr_options.h"

namespace dietmt::tools {

struct TranslateOptions : DecodingOptions {
  std::string input = "-";
  std::string output = "-";
  std::string input_format = "text";
  std::string columns;
  std::string prefix;
  std::string glossary;
  std::string avoid;
  std::string source_tags;
  std::string alignment = "none";
  bool markup = false;
  std::string keep = "plain";
  std::string check = "none";
  std::string guard = "off";
  std::string letters = "keep";
  std::optional<std::string> split_sentences;
  bool json = false;
  bool scores = false;
  bool flush = false;
  bool remove_bpe = false;
  std::vector<std::string> then;
  std::string then_shortlist;
  MbrOptions mbr;
  int64_t mbr_candidates = 0;  // 0: as many as the beam, or kSamples
  int64_t mbr_exact = 0;       // 0: all
  int64_t nbest = 1;
  std::string quality_model;
};

OptionTable option_table(TranslateOptions& o);

/// Settles how many hypotheses the search must find, and whether it aligns; the problems of all
/// options.
std::vector<std::string> problems_of(const OptionTable& table, TranslateOptions& o);

}  // namespace dietmt::tools
