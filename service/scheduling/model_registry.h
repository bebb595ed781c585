// The models of a server: loaded at their first use, and reloaded on request without dropping
// running translations.
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
  DecodingThreads threads = {};         // of each model
  QueueLimits limits = {};              // of each model
  std::chrono::seconds retry_load{10};  // after a failure, refuses requests for this long
  /// The observer of a model, by the model's name; may be empty.
  std::function<std::shared_ptr<ModelObserver>(const std::string&)> observer = nullptr;
};

enum class ModelState { kNotLoaded, kLoading, kReady, kFailed };

struct ModelStatus {
  ModelSpec spec;
  ModelState state = ModelState::kNotLoaded;
  int64_t loads = 0;
  std::string error;              // of the last attempt to load it
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

  /// Returns the model of this name and loads it if necessary; several requests wait for the same
  /// load. Throws Unavailable (loading fails, draining) and DeadlineExceeded.
  std::shared_ptr<ServedModel> acquire(const std::string& name, const Patience& patience);

  /// Loads all models that are not loaded. Throws Unavailable.
  void preload();

  /// Reloads the model (all if `name` is empty) if it was loaded or failed to load. The old weights
  /// serve until the new ones are loaded, and each request ends with the weights it started with.
  /// Throws Unavailable with the models that could not be loaded; they keep their old weights.
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
