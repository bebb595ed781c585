#include "bert/prediction/pseudo_likelihood.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <cmath>

#include "common/error.h"
#include "encoders/attention/packing.h"

namespace dietmt::bert {

/// Texts with one masked piece each.
struct PseudoLikelihood::MaskedBatch {
  std::vector<int32_t> pieces;
  std::vector<int64_t> lengths;
  std::vector<int64_t> masked;  // places in `pieces`
  std::vector<int64_t> wanted;  // the pieces that stood there
  std::vector<size_t> texts;    // to which they belong

  bool has_room_for(const std::vector<int32_t>& input, int64_t tokens) const {
    return texts.empty() || std::ssize(pieces) + std::ssize(input) <= tokens;
  }

  void add(const std::vector<int32_t>& input, size_t place, int32_t mask, size_t text) {
    masked.push_back(std::ssize(pieces) + static_cast<int64_t>(place));
    wanted.push_back(input[place]);
    pieces.insert(pieces.end(), input.begin(), input.end());
    pieces[static_cast<size_t>(masked.back())] = mask;
    lengths.push_back(std::ssize(input));
    texts.push_back(text);
  }
};

PseudoLikelihood::PseudoLikelihood(std::shared_ptr<const encoders::Bert> model,
                                   std::unique_ptr<const data::BertTokenizer> tokenizer,
                                   int64_t batch_tokens)
    : model_(std::move(model)), tokenizer_(std::move(tokenizer)), batch_tokens_(batch_tokens) {
  const int64_t known = model_->masked_lm().weight().size(0);
  if (tokenizer_->vocabulary_size() > known)
    throw ConfigError("the tokenizer has " + std::to_string(tokenizer_->vocabulary_size()) +
                      " pieces, but the model knows only " + std::to_string(known));
}

void PseudoLikelihood::score(const MaskedBatch& batch, std::vector<double>& sums) const {
  const at::Device device = model_->encoder().piece_embedding().device();
  const encoders::Packing packing(batch.lengths, device);
  const at::Tensor hidden =
      model_->encoder().forward(encoders::ids_of(batch.pieces, device), packing);
  const at::Tensor rows = hidden.index_select(0, at::tensor(batch.masked).to(device));
  const at::Tensor log_probs = at::log_softmax(model_->masked_lm().logits(rows), -1);
  const at::Tensor found = log_probs.gather(1, at::tensor(batch.wanted).to(device).unsqueeze(1))
                               .to(at::kCPU, at::kDouble);
  for (size_t i = 0; i < batch.texts.size(); ++i)
    sums[batch.texts[i]] += found[static_cast<int64_t>(i)].item<double>();
}

std::vector<double> PseudoLikelihood::mean_log_probs(std::span<const std::string> texts) const {
  const torch::NoGradGuard no_grad;
  const data::SpecialPieces& special = tokenizer_->special();
  const int64_t longest = model_->encoder().max_length();
  std::vector<double> means(texts.size(), 0.0);
  std::vector<size_t> counts(texts.size(), 0);
  MaskedBatch batch;
  for (size_t text = 0; text < texts.size(); ++text) {
    const std::vector<int32_t> input =
        data::encoder_input(tokenizer_->encode(texts[text]).ids, {}, special, longest).ids;
    counts[text] = input.size() - 2;
    for (size_t place = 1; place + 1 < input.size(); ++place) {  // between [CLS] and [SEP]
      if (!batch.has_room_for(input, batch_tokens_)) {
        score(batch, means);
        batch = {};
      }
      batch.add(input, place, special.mask, text);
    }
  }
  if (!batch.texts.empty()) score(batch, means);
  const double even = -std::log(static_cast<double>(tokenizer_->vocabulary_size()));
  for (size_t text = 0; text < means.size(); ++text)
    means[text] = counts[text] == 0 ? even : means[text] / static_cast<double>(counts[text]);
  return means;
}

}  // namespace dietmt::bert
