// What a translation model's positions do, collected for the page, JSON and text of
// `dietmt inspect positions`. Layers and heads count from 0, as in specs and parameter names.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "encoders/analysis/indicators.h"
#include "nmt/model/model_directory.h"

namespace dietmt::tools {

/// Layers that read the same values, and heads that do.
struct Readers {
  int64_t first_layer = 0;
  int64_t last_layer = 0;
  int64_t head = 0;
  bool all_heads = false;

  std::string layers() const;  // "2" or "0-5"
  std::string heads() const;   // "3" or "all"
};

/// What positions alone add to the scores.
struct PositionTerm {
  Readers readers;
  at::Tensor scores;  // [n, n] double, not a number where causal attention does not look
  int64_t rank = 0;   // of the whole matrix, what causal attention does not look at included
};

/// How alike the vectors of different offsets are, for the offsets that occur.
struct OffsetTable {
  Readers readers;
  std::string name;  // "relative keys", "relative queries" or "relative values"
  int64_t first_offset = 0;
  encoders::CosineMap map;
};

/// Of the first layer, in sentences of one repeated word.
struct HeadAttention {
  at::Tensor probabilities;  // [n, n] double, mean over the words
  encoders::AttentionIndicators indicators;
};

struct SiteReport {
  std::string name;  // "encoder", "decoder" or "cross"
  std::string spec;
  std::vector<std::string> notes;
  std::vector<PositionTerm> terms;  // only those that are not zero
  std::vector<OffsetTable> tables;
  std::vector<HeadAttention> attention;  // [H]; empty for cross-attention
};

struct PositionReport {
  std::string model;
  int64_t length = 0;
  int64_t words = 0;  // at most as many as a vocabulary has
  std::vector<SiteReport> sites;
};

struct PositionReportOptions {
  int64_t length = 64;
  int64_t words = 100;
  int64_t seed = 1;
};

/// Throws ConfigError if the model has no positions of that length, or for less than one word.
PositionReport position_report(const nmt::LoadedModel& model, const PositionReportOptions& options);

nlohmann::ordered_json position_json(const PositionReport& report);

/// Tables of tab-separated values.
std::string position_text(const PositionReport& report);

/// One self-contained HTML page.
std::string position_page(const PositionReport& report);

}  // namespace dietmt::tools
