#include "bert/training/pretraining_task.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/json_fields.h"
#include "common/random.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert.h"
#include "encoders/device/device.h"
#include "encoders/ops/linear.h"
#include "encoders/ops/scopes.h"
#include "training/loop/data_position.h"
#include "training/loop/trainer.h"
#include "training/optimization/loss.h"

namespace dietmt::bert {
namespace {

using at::Tensor;

/// Input of the head for masked tokens, [M, D].
Tensor masked_states(const encoders::Bert& model, const Tensor& hidden,
                     const PretrainingInputs& inputs) {
  return model.masked_lm().transform(hidden.index_select(0, inputs.masked_rows));
}

training::LossSums masked_loss(const encoders::Bert& model, const Tensor& states,
                               const Tensor& targets, bool bf16) {
  return training::linear_cross_entropy(states, model.masked_lm().weight(), targets, 0.0,
                                        bf16 ? at::kBFloat16 : states.scalar_type(),
                                        model.masked_lm().bias());
}

/// How many of the masked pieces [M] have the highest score: a scalar.
Tensor count_right(const encoders::Bert& model, const Tensor& states, const Tensor& targets) {
  const encoders::MaskedLmHead& head = model.masked_lm();
  constexpr int64_t kRows = 512;  // whose scores exist at a time
  Tensor right = at::zeros({}, targets.options());
  for (int64_t begin = 0; begin < states.size(0); begin += kRows) {
    const int64_t rows = std::min(kRows, states.size(0) - begin);
    const Tensor block = states.narrow(0, begin, rows);
    const Tensor scores = encoders::wide_linear_layer(block, head.weight(), head.bias());
    right += scores.argmax(1).eq(targets.narrow(0, begin, rows)).sum();
  }
  return right;
}

uint64_t content_hash(std::span<const data::TextCorpus> texts) {
  uint64_t hash = texts.front().content_hash();
  for (const data::TextCorpus& text : texts.subspan(1))
    hash = random_key(hash, text.content_hash());
  return hash;
}

double percent(const Tensor& right, int64_t all) {
  return all == 0 ? 0.0 : 100.0 * right.item<double>() / static_cast<double>(all);
}

}  // namespace

PretrainingTask::PretrainingTask(std::shared_ptr<encoders::Bert> model,
                                 std::span<const data::TextCorpus> train,
                                 const data::TextCorpus& valid, PretrainingTaskOptions options)
    : model_(std::move(model)), train_(train), valid_(valid), options_(std::move(options)) {
  if (options_.bf16) copies_.emplace(*model_);
  forget_passes();
  fills_up_ = passes_->records();
  begin_phase(0, {});
  make_validation_batches();
}

// Batches of the last phase's length, so that scores of all phases can be compared.
void PretrainingTask::make_validation_batches() {
  data::PretrainingOptions validation = options_.batches;
  validation.examples.length = options_.phases.back().length;
  valid_batches_ = data::validation_batches(valid_, validation);
  const auto predicts = [](const data::PretrainingBatch& batch) {
    return !batch.masked_ids.empty();
  };
  if (std::ranges::none_of(valid_batches_, predicts))
    throw DataError(
        "--valid: the tokenizer knows no word of the text, so there is nothing to predict");
}

void PretrainingTask::forget_passes() {
  passes_.reset();  // the memory of its graphs, too
  passes_.emplace(*model_, encoders::graphs_of(options_.device));
}

bool PretrainingTask::has_pairs() const {
  return options_.batches.examples.mode == data::ExampleMode::kSentencePairs;
}

PretrainingInputOptions PretrainingTask::plain_inputs() const {
  return {options_.device, model_->config().segments, {}};
}

PretrainingInputOptions PretrainingTask::input_options() const {
  PretrainingInputOptions inputs = plain_inputs();
  if (fills_up_) inputs.fill_up = options_.batches.examples.length;
  return inputs;
}

void PretrainingTask::begin_phase(size_t phase, data::BatchPosition start) {
  phase_ = phase;
  options_.batches.examples.length = options_.phases.at(phase).length;
  batches_ =
      std::make_unique<PretrainingInputBatches>(train_, options_.batches, input_options(), start);
}

void PretrainingTask::advance_phase() {
  const bool last = phase_ + 1 == options_.phases.size();
  if (last || phase_batches_ < options_.phases[phase_].updates * options_.accumulate) return;
  earlier_epochs_ = epoch();
  phase_batches_ = 0;
  forget_passes();  // of other lengths
  begin_phase(phase_ + 1, {});
}

training::BatchLoss PretrainingTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  advance_phase();
  const PretrainingInputs batch = batches_->next();
  ++phase_batches_;
  require_memory(batch);
  const auto pass = [&](const Tensor* place, encoders::DropoutKeys& keys) {
    return pass_over(place != nullptr ? batch.with_numbers(*place) : batch, keys);
  };
  return {passes_->run(batch.sizes.list(), batch.numbers, dropout, pass),
          static_cast<double>(batch.masked), batch.tokens};
}

void PretrainingTask::require_memory(const PretrainingInputs& batch) {
  if (!options_.device.is_cpu()) return;
  batch_memory_.require("--batch-tokens " + std::to_string(options_.batches.batch_tokens),
                        batch.tokens, model_->encoder().kept_elements(batch.packing),
                        options_.bf16);
}

Tensor PretrainingTask::pass_over(const PretrainingInputs& batch, encoders::DropoutKeys& dropout) {
  const encoders::MixedPrecision mixed(options_.bf16, copies_ ? &*copies_ : nullptr);
  const Tensor hidden = model_->encoder().forward(batch.ids, batch.packing, &dropout);
  const training::LossSums sums =
      masked_loss(*model_, masked_states(*model_, hidden, batch), batch.masked_ids, options_.bf16);
  if (!has_pairs()) {
    sums.backward();
    return training::batch_sums(sums.smoothed, sums.sums[1]);
  }
  // bf16 is too coarse for a loss.
  const Tensor scores = model_->next_sentence(model_->pool(hidden, batch.packing)).to(at::kFloat);
  const Tensor next_loss = at::cross_entropy_loss(scores, batch.next_sentence, {},
                                                  at::Reduction::Mean, training::kIgnoredTarget);
  // Both means count alike (Devlin et al. 2019, A.2); the loop divides by the masked tokens.
  const Tensor loss = sums.smoothed + next_loss * batch.masked_count;
  loss.backward();
  return training::batch_sums(loss, sums.sums[1]);
}

void PretrainingTask::skip_batch() {
  advance_phase();
  batches_->skip();
  ++phase_batches_;
}

double PretrainingTask::epoch() const { return earlier_epochs_ + training::epochs_of(*batches_); }

std::vector<std::string> PretrainingTask::possible_scores(bool pairs) {
  if (!pairs) return {"valid_loss", "mlm_accuracy"};
  return {"valid_loss", "mlm_accuracy", "next_sentence_accuracy"};
}

std::vector<std::string> PretrainingTask::score_names() const {
  return possible_scores(has_pairs());
}

std::map<std::string, double> PretrainingTask::validate() {
  const torch::NoGradGuard no_grad;
  const auto zero = at::TensorOptions(at::kDouble).device(options_.device);
  Tensor loss = at::zeros({}, zero), right = at::zeros({}, zero), right_pairs = at::zeros({}, zero);
  int64_t masked = 0, pairs = 0;
  for (const data::PretrainingBatch& examples : valid_batches_) {
    const PretrainingInputs batch = pretraining_inputs(examples, plain_inputs());
    const encoders::MixedPrecision mixed(options_.bf16, copies_ ? &*copies_ : nullptr);
    const Tensor hidden = model_->encoder().forward(batch.ids, batch.packing, nullptr);
    const Tensor states = masked_states(*model_, hidden, batch);
    loss += masked_loss(*model_, states, batch.masked_ids, options_.bf16).sums[1];
    right += count_right(*model_, states, batch.masked_ids);
    masked += batch.masked;
    if (!has_pairs()) continue;
    const Tensor scores = model_->next_sentence(model_->pool(hidden, batch.packing));
    right_pairs += scores.argmax(1).eq(batch.next_sentence).sum();
    pairs += batch.next_sentence.size(0);
  }
  std::map<std::string, double> scores = {
      {"valid_loss", loss.item<double>() / static_cast<double>(masked)},
      {"mlm_accuracy", percent(right, masked)}};
  if (has_pairs()) scores["next_sentence_accuracy"] = percent(right_pairs, pairs);
  return scores;
}

nlohmann::json PretrainingTask::data_position() const {
  nlohmann::json position = training::position_json(batches_->position());
  position["phase"] = phase_;
  position["training"] = content_hash(train_);
  position["validation"] = valid_.content_hash();
  position["phase_batches"] = phase_batches_;
  position["earlier_epochs"] = earlier_epochs_;
  return position;
}

void PretrainingTask::restore_data_position(const nlohmann::json& position) {
  int64_t phase = 0;
  read_field(position, "phase", phase);
  if (phase < 0 || phase >= std::ssize(options_.phases))
    throw CheckpointError("the checkpoint is in phase " + std::to_string(phase + 1) + " of " +
                          std::to_string(options_.phases.size()));
  training::require_same_text(position, "training", content_hash(train_));
  training::require_same_text(position, "validation", valid_.content_hash());
  read_field(position, "phase_batches", phase_batches_);
  read_field(position, "earlier_epochs", earlier_epochs_);
  begin_phase(static_cast<size_t>(phase), training::position_from(position));
}

void PretrainingTask::write_model(const std::filesystem::path& directory,
                                  const training::NamedTensors& weights) {
  write_bert(directory, model_->config(), weights, &train_.front().tokenizer());
}

}  // namespace dietmt::bert
