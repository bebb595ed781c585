// The report of `dietmt inspect positions`, as a page, JSON and text.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "encoders/analysis/first_scores.h"
#include "encoders/analysis/head_pattern.h"
#include "encoders/analysis/indicators.h"
#include "encoders/analysis/input_positions.h"
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
  std::vector<double> singular_values = {};
  encoders::HeadShape shape = {};  // of the attention that these scores give without words
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
  at::Tensor scores = {};  // before the softmax, the same
  encoders::HeadShape shape = {};
};

encoders::AttentionIndicators mean_of(const std::vector<HeadAttention>& heads);

/// The numbers by their names in JSON, such as "aiv", without those by reach.
std::vector<std::pair<std::string, double>> named(const encoders::AttentionIndicators& indicators);

struct SiteReport {
  std::string name;  // "encoder", "decoder" or "cross"
  std::string spec;
  std::vector<std::string> notes;
  std::vector<PositionTerm> terms;  // only those that are not zero
  std::vector<SegmentTerm> segments;
  std::vector<OffsetTable> tables;
  std::vector<HeadAttention> attention;  // [H]; empty for cross-attention
  /// The same between [CLS] and [SEP]; empty if the model has no such tokens.
  std::vector<HeadAttention> framed_attention = {};
  encoders::InputPositions input = {};  // undefined if nothing is added to embeddings
  std::vector<encoders::Frequencies> frequencies = {};
  encoders::FirstScores first_scores = {};  // undefined for cross-attention
  int64_t head_width = 0;                   // Dh

  /// Means over the heads of `attention`.
  encoders::AttentionIndicators mean_indicators() const { return mean_of(attention); }
};

/// words: [W, D], embeddings of the words that sentences of `length` repeat. ends: [2, D], of
/// [CLS] and [SEP], or undefined.
SiteReport self_attention_report(const std::string& name, const encoders::InspectedStack& stack,
                                 const at::Tensor& words, int64_t length,
                                 const at::Tensor& ends = {});

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

/// For a translation model, a BERT of dietmt or Hugging Face, or a GPT-2 of Hugging Face. Throws
/// ConfigError if the model has fewer positions than `length`, CheckpointError for other models.
PositionReport position_report(const std::filesystem::path& model,
                               const PositionReportOptions& options);

/// Reports of the checkpoints of a run, oldest first.
struct CheckpointReport {
  int64_t update = 0;
  PositionReport report;
};

/// run: output directory of train or bert pretrain. Throws CheckpointError if it has no complete
/// checkpoint.
std::vector<CheckpointReport> checkpoint_reports(const std::filesystem::path& run,
                                                 const PositionReportOptions& options);

nlohmann::ordered_json checkpoints_json(const std::vector<CheckpointReport>& reports);

/// A table with a line for each checkpoint and site: indicators of the first layer as means over
/// the heads, and the mean rank of position scores.
std::string checkpoints_text(const std::vector<CheckpointReport>& reports);

/// Curves over updates, and maps of the first layer's attention at each checkpoint.
std::string checkpoints_page(const std::filesystem::path& run,
                             const std::vector<CheckpointReport>& reports);

nlohmann::ordered_json position_json(const PositionReport& report);

/// Tables of tab-separated values.
std::string position_text(const PositionReport& report);

/// One self-contained HTML page.
std::string position_page(const PositionReport& report);

}  // namespace dietmt::inspection
