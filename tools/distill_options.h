// The options of `dietmt distill`, which two programs read: `dietmt` for a model as teacher,
// `dietmt-models` for a chat model at an HTTP endpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/options.h"
#include "tools/decoding_options.h"
#include "tools/mbr_options.h"

namespace dietmt::tools {

/// A chat model as teacher.
struct ChatTeacherOptions {
  std::string url;  // empty: the teacher is --model
  std::string model;
  std::string prompt;  // file; empty: the usual prompt
  std::optional<std::string> key;
  int64_t concurrency = 8;
  int64_t retries = 6;
  int64_t bad_answer_retries = 2;
  int64_t timeout = 120;
  int64_t max_tokens = 0;
  double length_ratio = 4.0;
  std::vector<double> prices;
};

struct DistillOptions : DecodingOptions {
  std::string source, reference;
  std::string output_source, output_target;
  std::optional<int64_t> nbest;
  std::string metric = "bleu";
  std::string tokenizer = "13a";
  MbrOptions mbr;
  bool back_translate = false;
  std::string augment;
  ChatTeacherOptions teacher;
};

OptionTable option_table(DistillOptions& o);

/// Settles how many translations of a line there must be; the problems of all options.
std::vector<std::string> problems_of(const OptionTable& table, DistillOptions& o);

}  // namespace dietmt::tools
