#include "nmt/engine/engine_decoder.h"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "nmt/engine/decoding_worker.h"
#include "nmt/engine/thread_team.h"

namespace dietmt::nmt {
namespace {

// Attention has OpenMP loops, but the work is already shared out among workers and their teams.
class OneOpenMpThread {
 public:
  OneOpenMpThread() { omp_set_num_threads(1); }
  ~OneOpenMpThread() { omp_set_num_threads(before_); }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

}  // namespace

// Workers of `threads` threads each, as many as the largest run so far has asked for.
class EngineDecoder::Session {
 public:
  Session(const EngineDecoder& decoder, int64_t threads) : decoder_(decoder), threads_(threads) {}

  int64_t threads() const { return threads_; }

  void run(SentenceFeed& feed, int64_t workers, int64_t batch_tokens) {
    reserve(workers);
    const OneOpenMpThread for_the_caller;
    if (workers == 1) return workers_.front()->run(feed, batch_tokens);
    team_->run([&](int64_t w) {
      if (w < workers) workers_[static_cast<size_t>(w)]->run(feed, batch_tokens);
    });
  }

 private:
  void reserve(int64_t workers) {
    while (std::ssize(workers_) < workers)
      workers_.push_back(std::make_unique<DecodingWorker>(decoder_.models_, decoder_.special_,
                                                          decoder_.shortlist_, threads_));
    if (workers == 1 || (team_ && team_->size() >= workers)) return;
    team_ = std::make_unique<ThreadTeam>(workers);
  }

  const EngineDecoder& decoder_;
  const int64_t threads_;
  std::vector<std::unique_ptr<DecodingWorker>> workers_;
  std::unique_ptr<ThreadTeam> team_;  // null as long as one worker was enough
};

EngineDecoder::EngineDecoder(std::vector<EngineModel> models, const SpecialTokens& special,
                             OutputShortlist shortlist)
    : models_(std::move(models)), special_(special), shortlist_(std::move(shortlist)) {}

EngineDecoder::~EngineDecoder() = default;

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

bool EngineDecoder::aligns() const {
  return std::ranges::all_of(
      models_, [](const EngineModel& model) { return model.cross->of(1).compressed_keys == 0; });
}

void EngineDecoder::run(SentenceFeed& feed, int64_t workers, int64_t threads,
                        int64_t batch_tokens) const {
  std::unique_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    session = std::move(idle_);
  }
  if (!session || session->threads() != threads)
    session = std::make_unique<Session>(*this, threads);
  session->run(feed, usable_workers(workers, threads), batch_tokens);
  // A run that throws may leave half-decoded sentences in its session, which is not used again.
  const std::lock_guard lock(mutex_);
  idle_ = std::move(session);
}

}  // namespace dietmt::nmt
