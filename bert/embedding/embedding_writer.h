// Hidden states of a BERT model as files for other programs.
//
//   EmbeddingWriter writer(model, {.pooling = Pooling::kMean}, "vectors.npy");
//   for (...) writer.add(data::encoder_input(...));
//   writer.commit();
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/text/bert_tokenizer.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert.h"
#include "storage/npy.h"

namespace dietmt::bert {

/// One vector for an input from those of its tokens.
enum class Pooling {
  kNone,   // all tokens
  kFirst,  // that of [CLS]
  kMean,   // the mean over all tokens, [CLS] and [SEP] among them
};

/// From "none", "cls" or "mean". Throws ConfigError.
Pooling parse_pooling(const std::string& name);

/// hidden: [N, D]. Returns [N, D] for kNone, else [B, D].
at::Tensor pool(const at::Tensor& hidden, const encoders::Packing& packing, Pooling pooling);

struct EmbeddingOptions {
  std::optional<int64_t> layer;  // 0: input of the first layer; none: all, 0..L
  Pooling pooling = Pooling::kNone;
  int64_t batch_tokens = 4096;  // at most so many go through the model together
};

/// Writes an array of fp32, [rows, D], or [L + 1, rows, D] of all layers. Rows are inputs in their
/// order; without pooling, their tokens end to end, and `offsets_path()` gets the int64 array
/// [inputs + 1]: input b owns rows offsets[b] .. offsets[b+1]-1. Nothing is padded, and no more is
/// held in memory than a batch. The files appear with commit().
class EmbeddingWriter {
 public:
  /// The model must outlive the writer. `path` ends in .npy. Throws ConfigError for a layer that
  /// the model does not have, Error if a file cannot be written.
  EmbeddingWriter(const encoders::Bert& model, const EmbeddingOptions& options,
                  const std::filesystem::path& path);

  void add(const data::EncoderInput& input);
  void commit();

  int64_t inputs() const { return inputs_; }
  int64_t tokens() const { return tokens_; }

  /// "states.offsets.npy" for "states.npy".
  static std::filesystem::path offsets_path(std::filesystem::path path);

 private:
  std::vector<at::Tensor> hidden_states(const at::Tensor& pieces,
                                        const encoders::Packing& packing) const;
  void run_batch();

  const encoders::Bert& model_;
  EmbeddingOptions options_;
  storage::NpyWriter<float> states_;
  std::optional<storage::NpyWriter<int64_t>> offsets_;
  int64_t inputs_ = 0;
  int64_t tokens_ = 0;
  // The batch that is being filled.
  std::vector<int32_t> pieces_;
  std::vector<int32_t> segments_;
  std::vector<int64_t> lengths_;
};

}  // namespace dietmt::bert
