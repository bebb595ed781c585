// One attention call with its data, for any memory that the host can write and the kernels read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/attention.h"

namespace dietmt::kernels {

enum Term : unsigned {
  kPositionBias = 1,
  kFeatures = 2,
  kOffsetBias = 4,
  kRelativeKeys = 8,
  kRelativeQueries = 16,
  kRelativeValues = 32,
  kSegmentBias = 64,
  kAllTerms = 127,
};

inline constexpr std::pair<const char*, unsigned> kNamedTerms[] = {
    {"position_bias", kPositionBias},       {"features", kFeatures},
    {"offset_bias", kOffsetBias},           {"relative_keys", kRelativeKeys},
    {"relative_queries", kRelativeQueries}, {"relative_values", kRelativeValues},
    {"segment_bias", kSegmentBias}};

struct AttentionCaseOptions {
  std::string name;
  ElementType type = ElementType::kBFloat16;
  int64_t width = 64;
  unsigned terms = 0;
  std::vector<int64_t> queries = {1, 7, 97};  // lengths
  std::vector<int64_t> keys = {};             // empty: self-attention
  bool causal = false;
  double dropout = 0.0;
  int64_t heads = 2;
  int64_t clip = 5;       // of the first table over offsets
  int64_t clip_step = 1;  // from one table to the next
  int64_t rank = 5;
  bool shared_tables = false;  // by all heads
  int64_t idle_tiles = 0;      // tiles without rows, at the end of the lists
  bool packed = false;         // sentences may share tiles
};

/// Memory for tests: zeroed, aligned to 256 bytes.
class Arena {
 public:
  using Allocate = std::function<void*(size_t bytes)>;
  explicit Arena(Allocate allocate) : allocate_(std::move(allocate)) {}

  template <typename T>
  T* take(int64_t count) {
    return static_cast<T*>(allocate_(static_cast<size_t>(count) * sizeof(T)));
  }

 private:
  Allocate allocate_;
};

/// A tensor of a case as numbers, in memory order.
struct NamedValues {
  std::string name;
  std::vector<double> values;
};

class AttentionCase {
 public:
  AttentionCase(const AttentionCaseOptions& options, Arena& arena);

  const AttentionCaseOptions& options() const { return options_; }
  AttentionForward& forward() { return backward_.forward; }
  AttentionBackward& backward() { return backward_; }
  const AttentionBackward& backward() const { return backward_; }

  /// Output, log_normalizer and all gradients, once computed.
  std::vector<NamedValues> results() const;

  /// [tokens, H, Dh].
  std::vector<double> read_rows(const HeadRows& rows, int64_t tokens) const;
  int64_t query_tokens() const { return backward_.forward.sizes.query_offsets[sentences()]; }
  int64_t key_tokens() const { return backward_.forward.sizes.key_offsets[sentences()]; }

 private:
  int64_t sentences() const { return backward_.forward.sizes.sentences; }
  HeadRows make_rows(Arena& arena, int64_t tokens, uint64_t seed);
  void make_table(Arena& arena, HeadTable AttentionTables::*table, int64_t inner, uint64_t seed);
  void make_terms(Arena& arena);

  struct Table {
    std::string name;
    HeadTable AttentionTables::*table;
    int64_t inner;
  };

  AttentionCaseOptions options_;
  AttentionBackward backward_;
  std::vector<Table> tables_;
};

/// Rounds to an element type; kFloat leaves a number unchanged.
double round_to_type(ElementType type, double value);

}  // namespace dietmt::kernels
