#include "nmt/training/translation_task.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "encoders/attention/observed_attention.h"
#include "encoders/attention/packing.h"
#include "encoders/device/device.h"
#include "encoders/ops/scopes.h"
#include "encoders/weights/adapter_layers.h"
#include "nmt/network/model_directory.h"
#include "nmt/network/translation_model.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "training/loop/data_position.h"
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
      valid_batches_(data::all_batches(valid, kValidBatchTokens)),
      valid_hash_(valid.content_hash()),
      passes_(*model_,
              can_record(*model_, options_) ? encoders::graphs_of(options_.device) : nullptr),
      batches_(std::make_unique<TranslationBatches>(train, options_.batches, batch_options())) {
  if (options_.bf16) copies_.emplace(*model_);
}

bool TranslationTask::can_record(const TranslationModel& model,
                                 const TranslationTaskOptions& options) {
  return !options.device.is_cpu() && !options.guide && options.r_drop == 0.0 &&
         model.whole_dropout().layers == 0.0;
}

TranslationBatchOptions TranslationTask::plain_batches() const {
  TranslationBatchOptions plain;
  plain.begin_id = static_cast<int32_t>(target_.begin_id());
  plain.device = options_.device;
  return plain;
}

TranslationBatchOptions TranslationTask::batch_options() const {
  TranslationBatchOptions chosen = plain_batches();
  chosen.guide = options_.guide;
  if (passes_.records())
    chosen.fill_up = {model_->max_source_length(), model_->max_target_length()};
  return chosen;
}

struct TranslationTask::Loss {
  training::LossSums translation;
  Tensor total;  // with the loss of guided alignment; undefined without
  training::BatchLoss sums;

  void backward() const {
    if (total.defined()) return total.backward();
    translation.backward();
  }
};

TranslationTask::Loss TranslationTask::batch_loss(const TranslationBatch& batch, double smoothing,
                                                  encoders::DropoutKeys* dropout) {
  const encoders::MixedPrecision mixed(options_.bf16, copies_ ? &*copies_ : nullptr);
  const AlignmentSite site = model_->config().alignment();
  encoders::ObservedAttention observed;
  observed.layer = site.layer;
  const auto hidden_states = [&](encoders::ObservedAttention* attention) {
    const Tensor memory = model_->encode(batch.source_ids, batch.source, dropout);
    return model_->decode(batch.inputs, batch.target, memory, batch.source, dropout, attention);
  };
  const bool guided = batch.aligned.places.defined();
  const Tensor hidden = hidden_states(guided ? &observed : nullptr);
  const auto product_type = options_.bf16 ? at::kBFloat16 : hidden.scalar_type();
  const bool twice = options_.r_drop > 0.0 && dropout != nullptr;
  const training::LossSums loss =
      twice ? training::linear_r_drop(hidden, hidden_states(nullptr), model_->output_weight(),
                                      batch.targets, smoothing, options_.r_drop, product_type,
                                      model_->output_bias(), batch.token_weights)
            : training::linear_cross_entropy(hidden, model_->output_weight(), batch.targets,
                                             smoothing, product_type, model_->output_bias(),
                                             batch.token_weights);
  const training::BatchLoss sums{loss.sums, batch.target_weight, batch.target_tokens};
  if (!guided) return {loss, {}, sums};
  const auto attention =
      encoders::attention_probabilities(observed, batch.target, batch.source, site.head);
  return {loss, loss.smoothed + options_.guide_weight * alignment_loss(attention, batch.aligned),
          sums};
}

training::BatchLoss TranslationTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  const TranslationBatch batch = batches_->next();
  require_memory(batch);
  const auto pass = [&](const Tensor* place, encoders::DropoutKeys& keys) {
    const Loss loss = batch_loss(place != nullptr ? batch.with_numbers(*place) : batch,
                                 options_.label_smoothing, &keys);
    loss.backward();
    return loss.sums.sums;
  };
  return {passes_.run(batch.sizes().list(), batch.numbers, dropout, pass), batch.target_weight,
          batch.target_tokens};
}

// Frozen parameters need less than the estimate from below.
void TranslationTask::require_memory(const TranslationBatch& batch) {
  if (!options_.device.is_cpu() || options_.partly_frozen) return;
  const double passes = options_.r_drop > 0.0 ? 2.0 : 1.0;
  batch_memory_.require("--batch-tokens " + std::to_string(options_.batches.batch_tokens),
                        batch.target.tokens(),
                        passes * model_->kept_elements(batch.source, batch.target), options_.bf16);
}

double TranslationTask::epoch() const { return training::epochs_of(*batches_); }

std::vector<std::string> TranslationTask::possible_scores(size_t translated_texts,
                                                          MoreScores more) {
  std::vector<std::string> names = names_of_scores(translated_texts, more);
  names.insert(names.begin(), "valid_loss");
  return names;
}

std::vector<std::string> TranslationTask::score_names() const {
  const ValidationOptions& validation = options_.validation;
  return possible_scores(validation.texts.size(), {.comet = static_cast<bool>(validation.comet),
                                                   .command = !validation.command.empty()});
}

std::string TranslationTask::training_data() const {
  return std::to_string(train_.size()) + " sentence pairs";
}

std::vector<std::string> TranslationTask::problems_of_several() const {
  if (options_.r_drop == 0.0 || model_->whole_dropout().layers == 0.0 || !options_.recomputes)
    return {};
  return {kNotInProcesses};
}

std::map<std::string, double> TranslationTask::validate() {
  const torch::NoGradGuard no_grad;
  training::BatchLoss all{at::zeros({2}, at::TensorOptions(at::kDouble).device(options_.device))};
  for (const data::ParallelBatch& pairs : valid_batches_) {
    const training::BatchLoss loss = validation_loss(pairs);
    all.sums += loss.sums;
    all.targets += loss.targets;
  }
  std::map<std::string, double> scores = {{"valid_loss", all.target_loss() / all.targets}};
  if (options_.validation.texts.empty()) return scores;
  scores.merge(translation_scores(options_.validation, [&](const ValidationText& text) {
    return translations(text.sources, text.languages);
  }));
  return scores;
}

training::BatchLoss TranslationTask::validation_loss(const data::ParallelBatch& pairs) {
  return batch_loss(translation_batch(pairs, plain_batches()), 0.0, nullptr).sums;
}

std::vector<std::string> TranslationTask::translations(const std::vector<std::string>& lines,
                                                       const LanguageChoice& languages) const {
  return translate_lines(*model_, source_, target_, lines, options_.validation.search, languages);
}

// The largest batch, and the longest lines, as many as are translated at once.
void TranslationTask::try_validation() {
  const torch::NoGradGuard no_grad;
  const auto largest = std::ranges::max_element(valid_batches_, {}, [](const auto& pairs) {
    return pairs.source.size() + pairs.target.size();
  });
  if (largest != valid_batches_.end()) validation_loss(*largest).loss();
  std::vector<std::string> lines;
  for (const ValidationText& text : options_.validation.texts)
    lines.insert(lines.end(), text.sources.begin(), text.sources.end());
  std::ranges::sort(lines, std::ranges::greater{}, &std::string::size);
  const SearchOptions& search = options_.validation.search;
  const int64_t workers = search.workers > 0 ? search.workers : at::get_num_threads();
  int64_t tokens = 0;
  const auto end = std::ranges::find_if(lines, [&](const std::string& line) {
    tokens += std::ssize(source_.encode(line)) + 1;
    return tokens > workers * search.batch_tokens;
  });
  lines.erase(end, lines.end());
  if (!lines.empty()) translations(lines, options_.validation.texts.front().languages);
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
  batches_.reset();  // so that two plans never exist at once
  batches_ = std::make_unique<TranslationBatches>(train_, options_.batches, batch_options(),
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
