#include "nmt/engine/engine_decoder.h"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "nmt/engine/decoding_worker.h"

namespace dietmt::nmt {

EngineDecoder::EngineDecoder(std::vector<EngineModel> models, const SpecialTokens& special,
                             OutputShortlist shortlist)
    : models_(std::move(models)), special_(special), shortlist_(std::move(shortlist)) {}

int64_t EngineDecoder::max_source_length() const {
  int64_t length = kNoLimit;
  for (const EngineModel& model : models_) length = std::min(length, model.max_source_length());
  return length;
}

int64_t EngineDecoder::max_target_length() const {
  int64_t length = kNoLimit;
  for (const EngineModel& model : models_) length = std::min(length, model.max_target_length());
  return length;
}

void EngineDecoder::run(SentenceFeed& feed, int64_t workers, int64_t threads,
                        int64_t batch_tokens) const {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    omp_set_num_threads(1);  // attention's loops: parallel work is that of workers and teams
    try {
      DecodingWorker(models_, special_, shortlist_, std::max<int64_t>(1, threads), batch_tokens,
                     feed)
          .run();
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  const auto cores = static_cast<int64_t>(std::thread::hardware_concurrency());
  const int64_t count = workers > 0 ? workers : std::max<int64_t>(1, cores);
  std::vector<std::thread> running;
  for (int64_t w = 0; w < count; ++w) running.emplace_back(work);
  for (std::thread& worker : running) worker.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace dietmt::nmt
