// A server's models: loaded on first use, and reloaded without dropping running translations.
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
#include <vector>

#include "service/scheduling/model_spec.h"
#include "service/scheduling/served_model.h"

namespace dietmt::service {

struct RegistrySettings {
  DecodingThreads threads = {};         // per model
  QueueLimits limits = {};              // per model
  std::chrono::seconds retry_load{10};  // before another attempt after a failure
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
  int64_t max_source_length = 0;  // 0: not loaded
  int64_t max_target_length = 0;
  QueueLoad load = {};
};

/// Reads a model from its directory. Throws Error.
using ModelLoader = std::function<nmt::LoadedDecoder(const ModelSpec&)>;

class ModelRegistry {
 public:
  ModelRegistry(std::vector<ModelSpec> specs, ModelLoader loader, RegistrySettings settings);
  ~ModelRegistry();

  const std::vector<ModelSpec>& specs() const { return specs_; }

  /// Returns the named model and loads it if necessary; concurrent requests share one load. Throws
  /// Unavailable (load failed, draining) and DeadlineExceeded.
  std::shared_ptr<ServedModel> acquire(const std::string& name, const Patience& patience);

  /// Loads all models that are not loaded. Throws Unavailable.
  void preload();

  /// Reloads the named model, or all if `name` is empty, unless it was never used. Requests finish
  /// with the weights they started with, and new ones use the old weights until the load is done.
  /// Throws Unavailable naming the models that failed to load; these keep their old weights.
  void reload(const std::string& name);

  /// From now on acquire() throws Unavailable.
  void drain();

  std::vector<ModelStatus> status() const;

 private:
  struct Entry {
    ModelState state = ModelState::kNotLoaded;
    std::shared_ptr<ServedModel> current;
    std::shared_ptr<ModelObserver> observer;
    int64_t loads = 0;
    std::string error;
    std::chrono::steady_clock::time_point failed_at;
  };

  size_t index_of(const std::string& name) const;
  std::shared_ptr<ServedModel> load(size_t index, std::unique_lock<std::mutex>& lock);

  const std::vector<ModelSpec> specs_;
  const ModelLoader loader_;
  const RegistrySettings settings_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;  // of specs_
  std::mutex reloading_;        // one reload at a time
  bool draining_ = false;
};

}  // namespace dietmt::service
