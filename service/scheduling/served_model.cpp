#include "service/scheduling/served_model.h"

#include <spdlog/spdlog.h>

#include "common/process.h"

namespace dietmt::service {
namespace {

QueueLimits with_capacity(QueueLimits limits, const nmt::SentenceDecoder& decoder,
                          const DecodingThreads& threads) {
  limits.capacity = decoder.capacity(threads.workers, threads.batch_tokens);
  return limits;
}

std::atomic<int64_t> versions{0};

}  // namespace

ServedModel::ServedModel(nmt::LoadedDecoder model, const DecodingThreads& threads,
                         QueueLimits limits, std::shared_ptr<ModelObserver> observer)
    : version_(++versions),
      model_(std::move(model)),
      queue_(with_capacity(limits, *model_.decoder, threads), std::move(observer)),
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

}  // namespace dietmt::service
