#include "service/jobs/job_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "common/error.h"
#include "service/jobs/job_queue.h"
#include "service/jobs/stop_flag.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

using Clock = std::chrono::steady_clock;

// Renews the lease of a chunk during its lifetime, and checks whether the chunk is still wanted.
class LeaseKeeper {
 public:
  LeaseKeeper(JobQueue& queue, const TakenChunk& chunk, const JobWorkerOptions& options)
      : queue_(queue), chunk_(chunk), options_(options), thread_([this] { run(); }) {}
  ~LeaseKeeper() {
    done_.set();
    thread_.join();
  }
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  bool is_lost() const { return lost_; }

 private:
  void run() {
    const std::chrono::milliseconds renewal = options_.lease / 3;
    const std::chrono::milliseconds pause = std::min(options_.poll, renewal);
    auto renewed = Clock::now();
    for (done_.wait(pause); !done_.is_set() && !lost_; done_.wait(pause)) {
      try {
        const bool due = Clock::now() - renewed >= renewal;
        if (due && !queue_.renew(chunk_, options_.lease)) lost_ = true;
        if (due) renewed = Clock::now();
        if (!queue_.is_wanted(chunk_)) lost_ = true;
      } catch (const std::exception& error) {
        log_job_failure("cannot renew a lease", error);
      }
    }
  }

  JobQueue& queue_;
  const TakenChunk& chunk_;
  const JobWorkerOptions& options_;
  StopFlag done_;
  std::atomic<bool> lost_ = false;
  std::thread thread_;  // last: uses the other members
};

// Jobs whose model this process cannot load at the moment, which are left to other workers.
class PostponedJobs {
 public:
  void add(const std::string& job, std::chrono::seconds time) {
    const std::lock_guard lock(mutex_);
    until_[job] = Clock::now() + time;
  }

  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    std::erase_if(until_, [now = Clock::now()](const auto& one) { return one.second <= now; });
    std::vector<std::string> jobs;
    for (const auto& [job, time] : until_) jobs.push_back(job);
    return jobs;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Clock::time_point> until_;
};

}  // namespace

class JobWorker::Impl {
 public:
  Impl(JobQueue& queue, TranslateLines translate, JobWorkerOptions options)
      : queue_(queue), translate_(std::move(translate)), options_(options) {
    try {
      start_threads();
    } catch (const std::system_error& error) {
      stop_and_join();
      throw Error("the system could start only " + std::to_string(threads_.size()) + " of " +
                  std::to_string(options_.threads + 1) + " threads for batch jobs (" +
                  error.code().message() + "): lower --job-threads");
    } catch (...) {
      stop_and_join();
      throw;
    }
  }
  ~Impl() { stop_and_join(); }

  void request_stop() { stop_.set(); }

  void wake() { stop_.call(); }

  bool has_ended() const { return running_ == 0; }

 private:
  void start_threads() {
    threads_.reserve(static_cast<size_t>(options_.threads) + 1);
    for (int64_t i = 0; i <= options_.threads; ++i) {
      const Take which = i < options_.threads ? Take::kAll : Take::kSmall;
      threads_.emplace_back([this, which, name = process_identity() + ":" + std::to_string(i)] {
        run(name, which);
        --running_;
      });
      ++running_;
    }
  }

  void stop_and_join() {
    stop_.set();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(const std::string& name, Take which) {
    bool found_work = false;
    while (!stop_.is_set()) {
      const int64_t calls = stop_.calls();
      try {
        if (!found_work) queue_.release_dead_workers();
        const std::optional<TakenChunk> chunk =
            queue_.take(name, options_.lease, postponed_.all(), which);
        found_work = chunk.has_value();
        if (chunk)
          work_on(*chunk);
        else
          stop_.wait(options_.poll, calls);
      } catch (const std::exception& error) {
        log_job_failure("cannot take a chunk", error);
        found_work = false;
        stop_.wait(options_.poll);
      }
    }
  }

  void work_on(const TakenChunk& chunk) {
    const LeaseKeeper keeper(queue_, chunk, options_);
    std::atomic<bool> gave_up = false;  // the translator was told to stop
    const auto cancelled = [&] {
      if (stop_.is_set() || keeper.is_lost()) gave_up = true;
      return gave_up.load();
    };
    std::optional<ChunkResult> result;
    std::string problem;
    bool is_postponed = false;
    try {
      result = translate_chunk(chunk, translate_, cancelled);
    } catch (const Unavailable& error) {
      spdlog::debug("batch jobs: {}", error.what());
      postponed_.add(chunk.job, std::chrono::seconds(error.retry_after()));
      is_postponed = true;
    } catch (const RequestError& error) {  // the job's options are at fault
      problem = error.what();
    } catch (const std::exception& error) {
      spdlog::error("batch jobs: cannot translate a chunk: {}", error.what());
      problem = "the translation failed; the server's log says why";
    }
    if (keeper.is_lost()) return;
    store(keeper, [&] {
      if (result && !gave_up)
        queue_.complete(chunk, *result);
      else if (stop_.is_set() || is_postponed)
        queue_.release(chunk);
      else
        queue_.report_failure(chunk, problem);
    });
  }

  // Retries until it succeeds or the lease is lost; after a stop, tries once.
  template <class Action>
  void store(const LeaseKeeper& keeper, Action action) {
    for (;;) {
      try {
        return action();
      } catch (const std::exception& error) {
        log_job_failure("cannot store a finished chunk", error);
        if (stop_.is_set() || keeper.is_lost()) return;
        stop_.wait(options_.poll);
      }
    }
  }

  JobQueue& queue_;
  TranslateLines translate_;
  JobWorkerOptions options_;
  PostponedJobs postponed_;
  StopFlag stop_;
  std::atomic<int64_t> running_ = 0;  // threads
  std::vector<std::thread> threads_;
};

JobWorker::JobWorker(JobQueue& queue, TranslateLines translate, JobWorkerOptions options)
    : impl_(std::make_unique<Impl>(queue, std::move(translate), options)) {}

JobWorker::~JobWorker() = default;

void JobWorker::wake() { impl_->wake(); }

void JobWorker::request_stop() { impl_->request_stop(); }

bool JobWorker::has_ended() const { return impl_->has_ended(); }

}  // namespace dietmt::service
