// One model as the engine decodes with it: packed weights as panels and plain pointers, and the
// position terms of its three attention sites. Read-only, shared by all workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/packed_linear.h"
#include "nmt/engine/position_tables.h"
#include "nmt/model/config.h"

namespace dietmt::nmt {

struct LinearWeights {
  kernels::PackedWeights weights;
  const float* bias = nullptr;  // [outputs] or null
};

struct NormWeights {
  const float* gamma = nullptr;  // [D]; null: no norm
  const float* beta = nullptr;   // [D]; null: RMS norm
  double epsilon = 0.0;
};

/// activation(x inner + b) outer + b, or with a gate:
/// (activation(x gate + b) * (x inner + b)) outer + b.
struct FeedForwardWeights {
  LinearWeights inner;  // [F, D]
  LinearWeights gate;   // [F, D]; no panels: no gate
  LinearWeights outer;  // [D, F]
  kernels::LinearActivation activation = kernels::LinearActivation::kRelu;
  NormWeights norm;
};

/// RMS norms of each head's queries and keys, [Dh]; no gamma: none.
struct HeadNorms {
  NormWeights queries;
  NormWeights keys;
};

struct SelfAttentionWeights {
  LinearWeights input;   // [(H + 2 G) Dh, D]: queries, keys, values
  LinearWeights output;  // [D, H Dh]
  NormWeights norm;
  HeadNorms heads;
};

/// An SSRU (Kim et al. 2019) in the place of self-attention: kernels::ssru_step().
struct RecurrenceWeights {
  LinearWeights candidate;  // [D, D]
  LinearWeights gate;       // [D, D]
  NormWeights norm;
};

struct CrossAttentionWeights {
  LinearWeights query;   // [H Dh, D]
  LinearWeights memory;  // [2 G Dh, D]: keys, values
  LinearWeights output;  // [D, H Dh]
  NormWeights norm;
  HeadNorms heads;
};

/// x + relu(norm(x) down + b) up + b, after a layer.
struct AdapterWeights {
  NormWeights norm;    // gamma is null if there is no adapter
  LinearWeights down;  // [B, D]
  LinearWeights up;    // [D, B]
};

struct EncoderLayerWeights {
  SelfAttentionWeights self;
  FeedForwardWeights feed_forward;
  AdapterWeights adapter;
};

struct DecoderLayerWeights {
  SelfAttentionWeights self;
  RecurrenceWeights recurrence;  // instead of `self`, which then has no panels
  CrossAttentionWeights cross;
  FeedForwardWeights feed_forward;
  AdapterWeights adapter;

  bool is_recurrent() const { return self.input.weights.panels == nullptr; }
};

struct EngineWeights {
  int64_t width = 0;         // D
  int64_t heads = 0;         // H
  int64_t key_heads = 0;     // G, of keys and values: H or fewer
  int64_t head_width = 0;    // Dh
  int64_t feed_forward = 0;  // F
  int64_t adapter = 0;       // B; 0: no layer has an adapter
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  bool norm_first = false;  // pre-norm: a norm before each block and one after the last
  kernels::PackedWeights source_embedding;  // [Vs, D]; tied tables share panels
  kernels::PackedWeights target_embedding;  // [Vt, D]
  float embedding_scale = 1.0F;
  AlignmentSite alignment;
  LinearWeights output;  // [Vt, D]
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  NormWeights encoder_embedding_norm;  // no gamma: none
  NormWeights decoder_embedding_norm;
  NormWeights encoder_norm;  // only with pre-norm
  NormWeights decoder_norm;
  std::shared_ptr<const void> storage;  // owns what the pointers point to

  int64_t query_width() const { return heads * head_width; }
  int64_t key_width() const { return key_heads * head_width; }
};

struct EngineModel {
  std::shared_ptr<const EngineWeights> weights;
  std::unique_ptr<PositionTables> encoder;
  std::unique_ptr<PositionTables> decoder;
  std::unique_ptr<PositionTables> cross;

  int64_t max_source_length() const { return std::min(encoder->max_length(), cross->max_length()); }
  int64_t max_target_length() const { return std::min(decoder->max_length(), cross->max_length()); }
};

// The engine gets its weights by the names of the model's parameters.

/// The rows of a matrix parameter that form one layer: all of them, or `outputs` from `first` on.
struct WeightRows {
  std::string parameter;
  int64_t rows = 0;  // of the parameter
  int64_t inputs = 0;
  int64_t first = 0;
  int64_t outputs = rows;
};

class WeightSource {
 public:
  virtual ~WeightSource() = default;

  /// Returns the same panels each time for the same rows.
  virtual kernels::PackedWeights matrix(const WeightRows& rows) = 0;

  /// A parameter of `count` numbers.
  virtual const float* numbers(const std::string& parameter, int64_t count) = 0;

  /// Owns what all pointers returned so far point to.
  virtual std::shared_ptr<const void> storage() const = 0;
};

/// The name of the output layer's matrix, which may be an embedding.
const char* output_parameter(const ModelConfig& config);

/// The weights of a model of this configuration. Passes on the exceptions of the source.
std::shared_ptr<const EngineWeights> assemble_weights(const ModelConfig& config,
                                                      WeightSource& source);

}  // namespace dietmt::nmt
