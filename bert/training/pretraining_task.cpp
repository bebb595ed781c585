#include "bert/training/pretraining_task.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/json_fields.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert.h"
#include "encoders/ops/scopes.h"
#include "training/loop/trainer.h"
#include "training/optimization/loss.h"

namespace dietmt::bert {
namespace {

using at::Tensor;
using data::PretrainingBatch;

/// What the head for masked tokens predicts from, [M, D].
Tensor masked_states(const encoders::Bert& model, const Tensor& hidden,
                     const PretrainingBatch& batch) {
  const Tensor rows = at::tensor(batch.masked_rows).to(hidden.device());
  return model.masked_lm().transform(hidden.index_select(0, rows));
}

training::LossSums masked_loss(const encoders::Bert& model, const Tensor& states,
                               const Tensor& targets, bool bf16) {
  return training::linear_cross_entropy(states, model.masked_lm().weight(), targets, 0.0,
                                        bf16 ? at::kBFloat16 : states.scalar_type(),
                                        model.masked_lm().bias());
}

/// How many of the masked pieces [M] have the highest score.
int64_t count_right(const encoders::Bert& model, const Tensor& states, const Tensor& targets) {
  const encoders::MaskedLmHead& head = model.masked_lm();
  constexpr int64_t kRows = 512;  // whose scores exist at a time
  int64_t right = 0;
  for (int64_t begin = 0; begin < states.size(0); begin += kRows) {
    const int64_t rows = std::min(kRows, states.size(0) - begin);
    const Tensor best =
        at::linear(states.narrow(0, begin, rows), head.weight(), head.bias()).argmax(1);
    right += best.eq(targets.narrow(0, begin, rows)).sum().item<int64_t>();
  }
  return right;
}

double percent(int64_t right, int64_t all) {
  return all == 0 ? 0.0 : 100.0 * static_cast<double>(right) / static_cast<double>(all);
}

}  // namespace

PretrainingTask::PretrainingTask(std::shared_ptr<encoders::Bert> model,
                                 const data::TextCorpus& train, const data::TextCorpus& valid,
                                 PretrainingTaskOptions options)
    : model_(std::move(model)), train_(train), valid_(valid), options_(std::move(options)) {
  begin_phase(0, {});
}

bool PretrainingTask::has_pairs() const {
  return options_.batches.examples.mode == data::ExampleMode::kSentencePairs;
}

void PretrainingTask::begin_phase(size_t phase, data::BatchPosition start) {
  phase_ = phase;
  options_.batches.examples.length = options_.phases.at(phase).length;
  batches_ = std::make_unique<data::PretrainingIterator>(train_, options_.batches, start);
  valid_batches_ = data::validation_batches(valid_, options_.batches);
}

void PretrainingTask::advance_phase() {
  const bool last = phase_ + 1 == options_.phases.size();
  if (last || phase_batches_ < options_.phases[phase_].updates * options_.accumulate) return;
  earlier_epochs_ = epoch();
  phase_batches_ = 0;
  begin_phase(phase_ + 1, {});
}

training::BatchLoss PretrainingTask::accumulate_gradients(encoders::DropoutKeys& dropout) {
  advance_phase();
  const PretrainingBatch batch = batches_->next();
  ++phase_batches_;
  if (options_.device.is_cpu()) {
    batch_memory_.require(
        "--batch-tokens " + std::to_string(options_.batches.batch_tokens), batch.tokens.size(),
        model_->encoder().kept_numbers(encoders::packing_of(batch.tokens, at::kCPU)),
        options_.bf16);
  }
  const auto masked = std::ssize(batch.masked_ids);
  const encoders::Autocast autocast(options_.device.type(), options_.bf16);
  const encoders::PackedStates encoded =
      encode_packed(*model_, batch.tokens, batch.segments, options_.device, &dropout);
  const training::LossSums sums =
      masked_loss(*model_, masked_states(*model_, encoded.hidden, batch),
                  encoders::ids_of(batch.masked_ids, options_.device), options_.bf16);
  Tensor loss = sums.smoothed;
  if (has_pairs()) {
    const Tensor scores = model_->next_sentence(model_->pool(encoded.hidden, encoded.packing));
    const Tensor targets = encoders::ids_of(batch.next_sentence, options_.device);
    // Both means count alike (Devlin et al. 2019, A.2); the loop divides by the masked tokens.
    loss = loss + at::cross_entropy_loss(scores, targets) * static_cast<double>(masked);
  }
  loss.backward();
  return {loss.item<double>(), sums.target_loss, masked, batch.tokens.size()};
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
  double loss = 0;
  int64_t masked = 0, right = 0, pairs = 0, right_pairs = 0;
  for (const PretrainingBatch& batch : valid_batches_) {
    const encoders::Autocast autocast(options_.device.type(), options_.bf16);
    const encoders::PackedStates encoded =
        encode_packed(*model_, batch.tokens, batch.segments, options_.device, nullptr);
    const Tensor states = masked_states(*model_, encoded.hidden, batch);
    const Tensor targets = encoders::ids_of(batch.masked_ids, options_.device);
    loss += masked_loss(*model_, states, targets, options_.bf16).target_loss;
    right += count_right(*model_, states, targets);
    masked += targets.size(0);
    if (!has_pairs()) continue;
    const Tensor scores = model_->next_sentence(model_->pool(encoded.hidden, encoded.packing));
    const Tensor is_random = encoders::ids_of(batch.next_sentence, options_.device);
    right_pairs += scores.argmax(1).eq(is_random).sum().item<int64_t>();
    pairs += is_random.size(0);
  }
  std::map<std::string, double> scores = {{"valid_loss", loss / static_cast<double>(masked)},
                                          {"mlm_accuracy", percent(right, masked)}};
  if (has_pairs()) scores["next_sentence_accuracy"] = percent(right_pairs, pairs);
  return scores;
}

nlohmann::json PretrainingTask::data_position() const {
  nlohmann::json position = training::position_json(batches_->position());
  position["phase"] = phase_;
  position["training"] = train_.content_hash();
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
  training::require_same_text(position, "training", train_.content_hash());
  training::require_same_text(position, "validation", valid_.content_hash());
  read_field(position, "phase_batches", phase_batches_);
  read_field(position, "earlier_epochs", earlier_epochs_);
  begin_phase(static_cast<size_t>(phase), training::position_from(position));
}

void PretrainingTask::write_model(const std::filesystem::path& directory,
                                  const training::NamedTensors& weights) {
  write_bert(directory, model_->config(), weights, &train_.tokenizer());
}

}  // namespace dietmt::bert
