// The report of `dietmt inspect positions`, as a page, JSON and text.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "encoders/analysis/indicators.h"
#include "encoders/analysis/position_scores.h"

namespace dietmt::inspection {

/// The layers and heads that read the same values, counted from 0 as in specs and parameter names.
struct Readers {
  int64_t first_layer = 0;
  int64_t last_layer = 0;
  int64_t head = 0;
  bool all_heads = false;

  std::string layers() const;  // "2" or "0-5"
  std::string heads() const;   // "3" or "all"
};

/// The part of the scores that depends only on positions.
struct PositionTerm {
  Readers readers;
  at::Tensor scores;  // [n, n] double; NaN where causal attention does not look
  int64_t rank = 0;   // of the whole matrix, masked part included
};

/// Similarity of the vectors of different offsets, for the offsets that occur.
struct OffsetTable {
  Readers readers;
  std::string name;  // "relative keys", "relative queries" or "relative values"
  int64_t first_offset = 0;
  encoders::CosineMap map;
};

/// The scores of pairs of segments, E_S (Chen et al. 2021).
struct SegmentTerm {
  Readers readers;
  at::Tensor scores;  // [G, G] double, by segment of the query and the key
};

/// Attention of the first layer in sentences of one repeated word.
struct HeadAttention {
  at::Tensor probabilities;  // [n, n] double, mean over the words
  encoders::AttentionIndicators indicators;
};

struct SiteReport {
  std::string name;  // "encoder", "decoder" or "cross"
  std::string spec;
  std::vector<std::string> notes;
  std::vector<PositionTerm> terms;  // only those that are not zero
  std::vector<SegmentTerm> segments;
  std::vector<OffsetTable> tables;
  std::vector<HeadAttention> attention;  // [H]; empty for cross-attention

  /// Means over the heads.
  encoders::AttentionIndicators mean_indicators() const;
};

/// words: [W, D], embeddings of the words that sentences of `length` repeat.
SiteReport self_attention_report(const std::string& name, const encoders::InspectedStack& stack,
                                 const at::Tensor& words, int64_t length);

SiteReport cross_attention_report(const encoders::PositionScheme& position, int64_t heads,
                                  int64_t width, int64_t head_width, int64_t length);

struct PositionReport {
  std::string model;
  int64_t length = 0;
  int64_t words = 0;  // limited by the vocabulary
  std::vector<SiteReport> sites;
};

struct PositionReportOptions {
  int64_t length = 64;  // 2 or more
  int64_t words = 100;  // 1 or more
  int64_t seed = 1;
};

/// For a translation model, or a BERT of dietmt or Hugging Face. Throws ConfigError if the model
/// has fewer positions than `length`.
PositionReport position_report(const std::filesystem::path& model,
                               const PositionReportOptions& options);

nlohmann::ordered_json position_json(const PositionReport& report);

/// Tables of tab-separated values.
std::string position_text(const PositionReport& report);

/// One self-contained HTML page.
std::string position_page(const PositionReport& report);

}  // namespace dietmt::inspection
