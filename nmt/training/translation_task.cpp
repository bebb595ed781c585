#include "nmt/training/translation_task.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <optional>

#include "encoders/attention/observed_attention.h"
#include "encoders/attention/packing.h"
#include "encoders/ops/scopes.h"
#include "encoders/weights/adapter_layers.h"
#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "nmt/batch_decoding/decoder_loader.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/translation_model.h"
#include "training/loop/trainer.h"
#include "training/optimization/loss.h"
#include "training/optimization/r_drop.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

constexpr int64_t kValidBatchTokens = 4096;
constexpr const char* kTrainingText = "training";
constexpr const char* kValidationText = "validation";
constexpr const char* kAlignments = "guided-alignment";

}  // namespace

TranslationTask::TranslationTask(std::shared_ptr<TranslationModel> model,
                                 const data::ParallelCorpus& train,
                                 const data::ParallelCorpus& valid, const data::Tokenizer& source,
                                 const data::Tokenizer& target, TranslationTaskOptions options)
    : model_(std::move(model)),
      train_(train),
      source_(source),
      target_(target),
      options_(std::move(options)),
      batches_(std::make_unique<data::BatchIterator>(train, options_.batches)),
      valid_batches_(data::all_batches(valid, kValidBatchTokens)),
      valid_hash_(valid.content_hash()) {}

struct TranslationTask::Loss {
  Tensor total;  // with the loss of guided alignment
  training::BatchLoss sums;
};

TranslationTask::Loss TranslationTask::batch_loss(const data::ParallelBatch& batch,
                                                  double smoothing, encoders::DropoutKeys* dropout,
                                                  const AlignmentGuide* guide) const {
  const encoders::Autocast autocast(options_.device.type(), options_.bf16);
  const encoders::Packing source = encoders::packing_of(batch.source, options_.device);
  const encoders::Packing target = encoders::packing_of(batch.target, options_.device);
  const Tensor source_ids = encoders::ids_of(batch.source.tokens, options_.device);
  const Tensor input =
      encoders::ids_of(shifted_right(batch.target, target_.begin_id()).tokens, options_.device);
  const Tensor targets = encoders::ids_of(batch.target.tokens, options_.device);
  const AlignmentSite site = model_->config().alignment();
  encoders::ObservedAttention observed;
  observed.layer = site.layer;
  const auto hidden_states = [&](encoders::ObservedAttention* attention) {
    const Tensor memory = model_->encode(source_ids, source, dropout);
    return model_->decode(input, target, memory, source, dropout, attention);
  };
  const Tensor hidden = hidden_states(guide ? &observed : nullptr);
  const auto product_type = options_.bf16 ? at::kBFloat16 : hidden.scalar_type();
  const bool twice = options_.r_drop > 0.0 && dropout != nullptr;
  const training::LossSums loss =
      twice ? training::linear_r_drop(hidden, hidden_states(nullptr), model_->output_weight(),
                                      targets, smoothing, options_.r_drop, product_type,
                                      model_->output_bias())
            : training::linear_cross_entropy(hidden, model_->output_weight(), targets, smoothing,
                                             product_type, model_->output_bias());
  const int64_t tokens = batch.target.size();
  const training::BatchLoss sums{loss.smoothed.item<double>(), loss.target_loss, tokens, tokens};
  if (guide == nullptr) return {loss.smoothed, sums};
  std::vector<std::vector<TokenLink>> links;
  for (const int64_t pair : batch.pairs) links.push_back(guide->links(pair));
  const auto attention = encoders::attention_probabilities(observed, target, source, site.head);
  return {loss.smoothed + options_.guide_weight * alignment_loss(attention, links), sums};
}

training::BatchLoss TranslationTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  const data::ParallelBatch batch = batches_->next();
  require_memory(batch);
  const Loss loss = batch_loss(batch, options_.label_smoothing, &dropout, options_.guide.get());
  loss.total.backward();
  return loss.sums;
}

// Frozen parameters need less than the estimate from below.
void TranslationTask::require_memory(const data::ParallelBatch& batch) {
  if (!options_.device.is_cpu() || options_.partly_frozen) return;
  const double passes = options_.r_drop > 0.0 ? 2.0 : 1.0;
  batch_memory_.require("--batch-tokens " + std::to_string(options_.batches.batch_tokens),
                        batch.target.size(),
                        passes * model_->kept_numbers(encoders::packing_of(batch.source, at::kCPU),
                                                      encoders::packing_of(batch.target, at::kCPU)),
                        options_.bf16);
}

double TranslationTask::epoch() const { return training::epochs_of(*batches_); }

std::vector<std::string> TranslationTask::possible_scores(bool translated) {
  if (!translated) return {"valid_loss"};
  return {"valid_loss", "bleu", "chrf"};
}

std::vector<std::string> TranslationTask::score_names() const {
  return possible_scores(!options_.valid_source.empty());
}

std::map<std::string, double> TranslationTask::validate() {
  const torch::NoGradGuard no_grad;
  training::BatchLoss sums;
  for (const data::ParallelBatch& batch : valid_batches_) {
    const training::BatchLoss loss = batch_loss(batch, 0.0, nullptr, nullptr).sums;
    sums.target_loss += loss.target_loss;
    sums.targets += loss.targets;
  }
  std::map<std::string, double> scores = {
      {"valid_loss", sums.target_loss / static_cast<double>(sums.targets)}};
  if (options_.valid_source.empty()) return scores;
  const std::vector<std::string> translations =
      translate_lines(*model_, source_, target_, options_.valid_source, options_.search);
  metrics::BleuOptions bleu;
  bleu.tokenizer = metrics::bleu_tokenizer_from_name(options_.valid_tokenizer);
  bleu.lowercase = options_.valid_lowercase;
  metrics::ChrfOptions chrf;
  chrf.lowercase = options_.valid_lowercase;
  const metrics::References references = {options_.valid_reference};
  scores["bleu"] = metrics::Bleu(bleu).corpus_score(translations, references).score;
  scores["chrf"] = metrics::Chrf(chrf).corpus_score(translations, references).score;
  return scores;
}

nlohmann::json TranslationTask::data_position() const {
  nlohmann::json position = training::position_json(batches_->position());
  position[kTrainingText] = train_.content_hash();
  position[kValidationText] = valid_hash_;
  if (options_.guide) position[kAlignments] = options_.guide->content_hash();
  return position;
}

void TranslationTask::restore_data_position(const nlohmann::json& position) {
  training::require_same_text(position, kTrainingText, train_.content_hash());
  training::require_same_text(position, kValidationText, valid_hash_);
  if (options_.guide)
    training::require_same_text(position, kAlignments, options_.guide->content_hash());
  batches_ = std::make_unique<data::BatchIterator>(train_, options_.batches,
                                                   training::position_from(position));
}

void TranslationTask::write_model(const std::filesystem::path& directory,
                                  const training::NamedTensors& weights) {
  nmt::write_model(directory, model_->config(), weights, source_, target_);
  if (options_.only_adapters)
    encoders::save_adapter_layers(directory / encoders::kAdapterLayersFile,
                                  {weights.begin(), weights.end()});
}

}  // namespace dietmt::nmt
