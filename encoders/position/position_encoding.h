// The interface of every position encoding.
//
// An encoding acts on the embeddings (embed), on attention (lower), or on both. The source of each
// (encodings/) opens with its formula and paper. The user writes them as one string, e.g.
// "sinusoidal", "learned+diet-rel(share=layers)", "heads[diet-rel:0-5,shaw(clip=16):6-7]".
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "encoders/position/score_terms.h"

namespace dietmt::encoders {

/// Collects the score terms of all layers of a stack from its encodings. A table that layers share
/// is computed once and is the same tensor in each of them. `options` are the device and type (fp32
/// or double) of tables that are computed, not learned.
class LayerTerms {
 public:
  LayerTerms(int64_t layers, double content_scale, const at::TensorOptions& options);

  /// table: [L|1, ...].
  void set(at::Tensor ScoreTerms::*field, const at::Tensor& table);
  void set_content_scale(double scale);
  void set_pairing(RotaryPairing pairing);

  const at::TensorOptions& options() const { return options_; }
  std::vector<ScoreTerms>& layers() { return layers_; }

 private:
  std::vector<ScoreTerms> layers_;
  at::TensorOptions options_;
};

/// The device of `like`, and its type or fp32: those of tables that are computed.
at::TensorOptions table_options(const at::Tensor& like);

/// The largest distance between a query and a key of `extent`, the C of a table that clips nothing.
int64_t reach(const Extent& extent);

/// Where a stack uses an encoding. Few encodings are defined for cross-attention.
enum class AttentionSite { kEncoder, kDecoder, kCross };

/// The sizes an encoding is built for.
struct EncodingContext {
  AttentionSite site = AttentionSite::kEncoder;
  int64_t layers = 1;         // L
  int64_t heads = 1;          // H: the heads this encoding owns
  int64_t head_width = 64;    // Dh
  int64_t model_width = 512;  // D
  int64_t max_positions = 1024;
  std::optional<double> embedding_deviation = {};  // of learned positions; none: 1/sqrt(D)
  int64_t segments = 0;              // G: kinds of segments of the model; 0: it has none
  bool starts_with_summary = false;  // position 0 holds a summary token such as BERT's [CLS]
  bool causal() const { return site == AttentionSite::kDecoder; }
};

/// One encoding of one stack; owns its parameters for all layers.
class PositionEncoding : public torch::nn::Module {
 public:
  /// The table from which embed() adds the row of each token's position: [count or more, D];
  /// undefined if there is none. A table that is computed has these options, fp32 or double. Throws
  /// Error naming the encoding if it has fewer than `count` positions.
  virtual at::Tensor position_table(int64_t count, const at::TensorOptions& options) const;

  /// Adds to the embeddings of the first layer. x: [N, D]; positions: [N] int64, from 0 to below
  /// `count`; segments: [N] int64, or undefined.
  virtual at::Tensor embed(const at::Tensor& x, const at::Tensor& positions,
                           const at::Tensor& segments, int64_t count) const;

  /// Whether embed() adds more than rows of position_table().
  virtual bool embeds_segments() const { return false; }

  /// Sets its terms of all layers, with tables of [L|1, H|1, ...] for its own heads. Throws Error
  /// as embed does.
  virtual void lower(const Extent& extent, LayerTerms& terms) const;

  /// The longest sentence it can encode; INT64_MAX: no limit.
  virtual int64_t max_length() const;

  /// Numbers that training keeps for each pair of a query and a key, in all layers: position biases
  /// and what computes them.
  virtual double kept_per_pair() const { return 0.0; }

  /// Biases per pair that attention makes of its features, if it multiplies them.
  virtual double products_per_pair() const { return 0.0; }

 protected:
  /// Throws Error if there is no position `last` of encoding `name`: it has max_length() of them.
  void require_position(const char* name, int64_t last) const;
};

/// Which layers and heads read the same rows of a table.
enum class Sharing { kNone, kLayers, kHeads, kAll };

/// An empty table [L|1, H|1, rows...]: sharing is a size of one, no branch in the code.
at::Tensor empty_table(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows);

/// The number of its elements, without making it. Like all counts of parameters a double: exact up
/// to 2^53, and no product of sizes overflows.
double table_size(Sharing sharing, const EncodingContext& context, at::IntArrayRef rows);

/// |x|, or `smallest` below that: for a parameter that the formula wants positive while the
/// optimiser may move it anywhere. Its gradient is that of |x| everywhere (1 at zero), so that no
/// value is a trap.
at::Tensor positive(const at::Tensor& x, double smallest);

}  // namespace dietmt::encoders
