// A BERT encoder with the heads that its configuration names (Devlin et al. 2019). This is the
// module that is trained, fine-tuned and stored.
#pragma once

#include <memory>

#include "encoders/bert/bert_model.h"
#include "encoders/bert/heads.h"
#include "encoders/transformer/inheritance.h"

namespace dietmt::encoders {

/// Using a head that the configuration does not have throws Error with its name.
class Bert : public torch::nn::Module {
 public:
  /// Parameters are drawn from `seed`. Throws ConfigError with all problems of `config`.
  Bert(const BertConfig& config, uint64_t seed);

  const BertConfig& config() const { return encoder_->config(); }
  const BertModel& encoder() const { return *encoder_; }
  void set_attention_backend(Backend backend) { encoder_->set_attention_backend(backend); }
  void set_recomputation(bool wanted) { encoder_->set_recomputation(wanted); }

  /// tanh(h W^T + b) of the first token of each input. hidden: [N, D]. Returns [B, D].
  at::Tensor pool(const at::Tensor& hidden, const Packing& packing) const;

  const MaskedLmHead& masked_lm() const;

  /// Whether the second segment follows the first one in its document (class 0: it does). pooled:
  /// [B, D]. Returns scores [B, 2].
  at::Tensor next_sentence(const at::Tensor& pooled) const;

  /// Scores of the classes of whole inputs, or the value of a regression. pooled: [B, D]. Returns
  /// [B, classes].
  at::Tensor classify(const at::Tensor& pooled, DropoutKeys* dropout = nullptr) const;

  /// Scores of each token as the first (column 0) and the last (column 1) of an answer. hidden:
  /// [N, D]. Returns [N, 2].
  at::Tensor spans(const at::Tensor& hidden) const;

 private:
  std::shared_ptr<BertModel> encoder_;
  std::shared_ptr<Dense> pooler_;
  std::shared_ptr<MaskedLmHead> masked_lm_;
  std::shared_ptr<Dense> next_sentence_;
  std::shared_ptr<Dense> classifier_;
  std::shared_ptr<Dense> spans_;
};

/// A model with another configuration that continues from a trained one.
struct RebuiltBert {
  std::shared_ptr<Bert> model;
  Inheritance inheritance;
};

/// A model of `config` with the parameters that `trained` has (inherit()) and others drawn from
/// `seed`. For fine-tuning with another head or other positions.
RebuiltBert rebuild(const Bert& trained, const BertConfig& config, uint64_t seed);

}  // namespace dietmt::encoders
