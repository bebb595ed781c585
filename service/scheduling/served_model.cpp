#include "service/scheduling/served_model.h"

#include <spdlog/spdlog.h>

#include "common/process.h"

namespace dietmt::service {
namespace {

QueueLimits with_capacity(QueueLimits limits, const DecodingThreads& threads) {
  limits.capacity = threads.workers * threads.batch_tokens;
  return limits;
}

}  // namespace

ServedModel::ServedModel(LoadedModel model, const DecodingThreads& threads, QueueLimits limits,
                         std::shared_ptr<ModelObserver> observer)
    : model_(std::move(model)),
      queue_(with_capacity(limits, threads), std::move(observer)),
      runner_([this, threads] {
        give_way(threads.niceness);
        try {
          model_.decoder->run(queue_, threads.workers, threads.threads, threads.batch_tokens);
        } catch (const std::exception& error) {
          spdlog::error("the decoder stopped: {}", error.what());
          decoding_ = false;
          queue_.abort(std::current_exception());
        }
      }) {}

ServedModel::~ServedModel() { queue_.close(); }

const nmt::TermEncoder& ServedModel::terms() {
  std::call_once(has_terms_, [&] {
    terms_ = std::make_unique<const nmt::TermEncoder>(
        nmt::TargetPieces{.encode = model_.encode_target,
                          .piece = model_.target_piece,
                          .vocabulary = model_.target_vocabulary,
                          .unknown = model_.target_unknown});
  });
  return *terms_;
}

}  // namespace dietmt::service
