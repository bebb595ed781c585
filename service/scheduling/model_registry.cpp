#include "service/scheduling/model_registry.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

namespace {

using Clock = std::chrono::steady_clock;

// For clients, which must not learn the names of the server's files.
std::string cannot_be_loaded(const std::string& name) {
  return "model '" + name + "' cannot be loaded; the server's log says why";
}

}  // namespace

const char* state_name(ModelState state) {
  switch (state) {
    case ModelState::kNotLoaded:
      return "not_loaded";
    case ModelState::kLoading:
      return "loading";
    case ModelState::kReady:
      return "ready";
    default:
      return "failed";
  }
}

ModelRegistry::ModelRegistry(std::vector<ModelSpec> specs, ModelLoader loader,
                             RegistrySettings settings)
    : specs_(std::move(specs)),
      loader_(std::move(loader)),
      settings_(std::move(settings)),
      entries_(specs_.size()) {
  if (!settings_.observer) return;
  for (size_t i = 0; i < specs_.size(); ++i)
    entries_[i].observer = settings_.observer(specs_[i].name);
}

ModelRegistry::~ModelRegistry() = default;

size_t ModelRegistry::index_of(const std::string& name) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return i;
  }
  throw RequestError("there is no model '" + name + "'");
}

std::shared_ptr<ServedModel> ModelRegistry::acquire(const std::string& name,
                                                    const Patience& patience) {
  const size_t index = index_of(name);
  std::unique_lock lock(mutex_);
  Entry& entry = entries_[index];
  while (true) {
    if (draining_) throw Unavailable("the server is shutting down", 1);
    if (entry.current && !entry.current->decoding()) entry.current.reset();
    if (entry.current) return entry.current;
    if (entry.state != ModelState::kLoading) break;
    if (changed_.wait_until(lock, patience.deadline) == std::cv_status::timeout)
      throw DeadlineExceeded("the model was not loaded in time");
  }
  const auto left = entry.failed_at + settings_.retry_load - Clock::now();
  if (entry.state == ModelState::kFailed && left.count() > 0) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
    throw Unavailable(cannot_be_loaded(name), seconds);
  }
  return load(index, lock);
}

// Called with the lock held; releases it while loading. Only one thread loads a model at a time.
std::shared_ptr<ServedModel> ModelRegistry::load(size_t index, std::unique_lock<std::mutex>& lock) {
  Entry& entry = entries_[index];
  const ModelSpec& spec = specs_[index];
  std::shared_ptr<ServedModel> replaced;  // freed without the lock, because that is slow
  entry.state = ModelState::kLoading;
  lock.unlock();
  std::shared_ptr<ServedModel> loaded;
  std::string problem;
  const Clock::time_point start = Clock::now();
  try {
    loaded = std::make_shared<ServedModel>(loader_(spec), settings_.threads, settings_.limits,
                                           entry.observer);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  lock.lock();
  entry.error = problem;
  if (loaded) {
    spdlog::info("model {}: loaded in {:.2f} s", spec.name, seconds);
    if (entry.observer) entry.observer->loaded(seconds);
    ++entry.loads;
    entry.state = ModelState::kReady;
    replaced = std::exchange(entry.current, loaded);
  } else {
    spdlog::error("model {}: {}", spec.name, problem);
    if (entry.observer) entry.observer->load_failed();
    entry.failed_at = Clock::now();
    entry.state = entry.current ? ModelState::kReady : ModelState::kFailed;
  }
  changed_.notify_all();
  lock.unlock();
  replaced.reset();
  lock.lock();
  if (!loaded) throw Unavailable(cannot_be_loaded(spec.name), 1);
  return loaded;
}

void ModelRegistry::preload() {
  for (const ModelSpec& spec : specs_) acquire(spec.name, {});
}

void ModelRegistry::reload(const std::string& name) {
  const std::lock_guard one_at_a_time(reloading_);
  std::string problems;
  const size_t first = name.empty() ? 0 : index_of(name);
  const size_t last = name.empty() ? specs_.size() : first + 1;
  for (size_t i = first; i < last; ++i) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entries_[i].state != ModelState::kLoading; });
    if (entries_[i].state == ModelState::kNotLoaded) continue;
    try {
      load(i, lock);
    } catch (const Unavailable& error) {
      problems += (problems.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (!problems.empty()) throw Unavailable(problems, 1);
}

void ModelRegistry::drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  changed_.notify_all();
}

std::vector<ModelStatus> ModelRegistry::status() const {
  const std::lock_guard lock(mutex_);
  std::vector<ModelStatus> all;
  for (size_t i = 0; i < specs_.size(); ++i) {
    const Entry& entry = entries_[i];
    ModelStatus one{specs_[i], entry.state, entry.loads, entry.error};
    if (entry.current) {
      one.max_source_length = entry.current->model().decoder->max_source_length();
      one.max_target_length = entry.current->model().decoder->max_target_length();
      one.load = entry.current->queue().load();
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace dietmt::service
