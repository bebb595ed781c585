// A server's models: loaded on first use, reloaded without dropping running translations, and
// unloaded when nobody uses them or others need their memory.
//
//   ModelRegistry models(parse_model_specs(words), loader, settings);
//   const std::shared_ptr<ServedModel> model = models.acquire("en-de", {});
//   model->queue().translate(...);
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/scheduling/model_reaper.h"
#include "service/scheduling/model_spec.h"
#include "service/scheduling/patience.h"
#include "service/scheduling/scheduling_errors.h"
#include "service/scheduling/served_model.h"

namespace dietmt::service {

struct RegistrySettings {
  DecodingThreads threads = {};               // per model
  QueueLimits limits = {};                    // per model
  std::chrono::seconds retry_load{10};        // before another attempt after a failure
  std::chrono::milliseconds unload_after{0};  // without a request; 0: never
  int64_t memory = 0;  // bytes of all loaded models, by model_bytes(); 0: no limit
  /// Returns the observer of the named model; may be empty.
  std::function<std::shared_ptr<ModelObserver>(const std::string&)> observer = nullptr;
};

enum class ModelState { kNotLoaded, kLoading, kReady, kFailed };

/// not_loaded, loading, ready, failed.
const char* state_name(ModelState state);

struct ModelStatus {
  ModelSpec spec;
  ModelState state = ModelState::kNotLoaded;
  int64_t loads = 0;
  std::string error;              // of the last load
  int64_t bytes = 0;              // model_bytes() of the weights in use; 0: not loaded
  int64_t max_source_length = 0;  // 0: not loaded
  int64_t max_target_length = 0;
  QueueLoad load = {};
};

/// Reads a model from its directory. Throws Error.
using ModelLoader = std::function<nmt::LoadedDecoder(const ModelSpec&)>;

class ModelRegistry {
 public:
  ModelRegistry(std::vector<ModelSpec> specs, ModelLoader loader, RegistrySettings settings);

  /// All models that acquire() has returned must have been released.
  ~ModelRegistry();

  const std::vector<ModelSpec>& specs() const { return specs_; }

  /// Returns the named models and loads those that are not loaded; concurrent requests share one
  /// load. They stay loaded until they are released. With a limit of memory, requests wait in order
  /// until the others' models have made room. Throws Unavailable (load failed, draining, too large
  /// together), DeadlineExceeded and ClientGone.
  std::vector<std::shared_ptr<ServedModel>> acquire(const std::vector<std::string>& names,
                                                    const Patience& patience);
  std::shared_ptr<ServedModel> acquire(const std::string& name, const Patience& patience);

  /// Loads all models that are not loaded and fit. Throws Unavailable.
  void preload();

  /// Reloads the named model, or all if `name` is empty, unless it is not loaded. Requests finish
  /// with the weights they started with, and new ones use the old weights until the load is done;
  /// but if the limit of memory does not allow both, the old weights are unloaded first. Throws
  /// Unavailable naming the models that failed to load; these keep their old weights.
  void reload(const std::string& name);

  /// From now on acquire() throws Unavailable.
  void drain();

  std::vector<ModelStatus> status() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    bool is_present() const { return current || state == ModelState::kLoading; }
    bool is_idle() const;

    ModelState state = ModelState::kNotLoaded;
    std::shared_ptr<ServedModel> current;
    std::shared_ptr<ModelObserver> observer;
    int64_t loads = 0;
    int64_t bytes = 0;        // of `current`, or of its first load
    int64_t awaited = 0;      // by requests, until they have their references
    bool is_leaving = false;  // gets no more requests until another model has its memory
    std::string error;
    Clock::time_point failed_at;
    Clock::time_point last_use;
    std::jthread loader;
  };

  /// Models that a request, or a reload, needs at the same time.
  struct Claim {
    std::vector<size_t> models;       // without duplicates
    std::vector<int64_t> bytes = {};  // model_bytes() of each
    bool reloads = false;
  };
  class Place;

  size_t index_of(const std::string& name) const;
  void check_loadable(const Claim& claim) const;
  Unavailable not_loaded(size_t model) const;
  bool needs_load(const Claim& claim, size_t model) const;
  void admit(Claim& claim, const Patience& patience, std::unique_lock<std::mutex>& lock);
  void drop_stopped(size_t model);
  void start_load(size_t model, int64_t bytes);
  void load(size_t model, int64_t bytes);
  void fail(size_t model, const std::string& problem);
  std::shared_ptr<ServedModel> lease(Entry& entry);

  // model_unloading.cpp
  bool fits(const ModelSpec& spec) const;
  void check_size(const Claim& claim);
  bool make_room(const Claim& claim);
  std::vector<size_t> victims(const Claim& claim) const;
  void unload(size_t model, const std::string& reason);
  void unload_unused(const std::stop_token& stop);

  const std::vector<ModelSpec> specs_;
  const ModelLoader loader_;
  const RegistrySettings settings_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  int64_t bytes_ = 0;         // of the models in memory, also those being loaded or ending
  int64_t ending_bytes_ = 0;  // of those that were unloaded or replaced and are not freed yet
  std::vector<const Claim*> waiting_;  // for room, in order
  bool draining_ = false;
  ModelReaper reaper_;
  std::vector<Entry> entries_;  // of specs_
  std::mutex reloading_;        // one reload at a time
  std::condition_variable_any stopping_;
  std::jthread unloader_;
};

}  // namespace dietmt::service
