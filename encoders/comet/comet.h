// A learned metric of translation quality: an XLM-R whose vectors of texts go through a small
// network to a score (COMET, Rei et al. 2020; without references, Rei et al. 2021; with all texts
// in one input, Rei et al. 2022).
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "encoders/attention/packing.h"
#include "encoders/bert/bert.h"
#include "encoders/comet/comet_config.h"
#include "encoders/comet/layer_mix.h"

namespace dietmt::encoders {

/// The vectors of a text and of those that it is compared with. Each [B, D]; undefined if the kind
/// of model does not read it.
struct CometVectors {
  at::Tensor translation;  // of the whole input if the kind is "unified"
  at::Tensor source = {};
  at::Tensor reference = {};
};

/// The tokens that count in the vectors of inputs.
struct PooledTokens {
  at::Tensor rows;  // their places among all tokens, input by input, int64
  Packing packing;  // with their numbers
};

/// The estimator reads, with m, r and s the vectors of translation, reference and source,
///
///   regression     [m, r, m * r, |m - r|, m * s, |m - s|]
///   referenceless  [m, s, m * s, |m - s|]
///   unified        [m]
class CometModel : public torch::nn::Module {
 public:
  /// Parameters are drawn from `seed`. `config` has no problems().
  CometModel(const CometConfig& config, uint64_t seed);

  const CometConfig& config() const { return config_; }
  const BertModel& encoder() const { return *encoder_; }

  /// One vector an input, from the chosen layer or the mix of all. pieces: [N] int64. `pooled`:
  /// null: all tokens. Returns [B, D].
  at::Tensor embed(const at::Tensor& pieces, const Packing& packing,
                   const PooledTokens* pooled = nullptr) const;

  /// Returns scores [B].
  at::Tensor estimate(const CometVectors& vectors) const;

 private:
  at::Tensor features(const CometVectors& vectors) const;

  CometConfig config_;
  std::shared_ptr<BertModel> encoder_;
  std::shared_ptr<LayerMix> layer_mix_;  // null if one layer is chosen
  std::vector<std::shared_ptr<Dense>> estimator_;
};

}  // namespace dietmt::encoders
