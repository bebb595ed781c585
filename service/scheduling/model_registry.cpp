#include "service/scheduling/model_registry.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace dietmt::service {

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
      reaper_([this](int64_t bytes) {
        const std::lock_guard lock(mutex_);
        bytes_ -= bytes;
        ending_bytes_ -= bytes;
        changed_.notify_all();
      }),
      entries_(specs_.size()) {
  for (size_t i = 0; settings_.observer && i < specs_.size(); ++i)
    entries_[i].observer = settings_.observer(specs_[i].name);
  if (settings_.unload_after.count() > 0)
    unloader_ = std::jthread([this](const std::stop_token& stop) { unload_unused(stop); });
}

ModelRegistry::~ModelRegistry() {
  for (Entry& entry : entries_) entry.loader = {};  // waits for it
}

size_t ModelRegistry::index_of(const std::string& name) const {
  for (size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].name == name) return i;
  }
  throw RequestError("there is no model '" + name + "'");
}

std::vector<std::shared_ptr<ServedModel>> ModelRegistry::acquire(
    const std::vector<std::string>& names, const Patience& patience) {
  std::vector<size_t> models;
  for (const std::string& name : names) models.push_back(index_of(name));
  Claim claim{models};
  std::ranges::sort(claim.models);
  claim.models.erase(std::ranges::unique(claim.models).begin(), claim.models.end());

  std::unique_lock lock(mutex_);
  admit(claim, patience, lock);
  struct Awaited {
    Awaited(const Claim& of, std::vector<Entry>& all) : claim(of), entries(all) { add(1); }
    ~Awaited() { add(-1); }
    void add(int64_t count) {
      for (const size_t model : claim.models) entries[model].awaited += count;
    }
    const Claim& claim;
    std::vector<Entry>& entries;
  };
  const Awaited awaited(claim, entries_);
  patience.await(lock, changed_, [&] {
    return draining_ || std::ranges::none_of(claim.models, [&](size_t model) {
             return !entries_[model].current && entries_[model].state == ModelState::kLoading;
           });
  });
  check_loadable(claim);
  for (const size_t model : models)
    if (!entries_[model].current) throw not_loaded(model);
  std::vector<std::shared_ptr<ServedModel>> served;
  for (const size_t model : models) served.push_back(lease(entries_[model]));
  return served;
}

std::shared_ptr<ServedModel> ModelRegistry::acquire(const std::string& name,
                                                    const Patience& patience) {
  return acquire(std::vector{name}, patience).front();
}

// Tells when the last request has released the model, which then may make room for another.
std::shared_ptr<ServedModel> ModelRegistry::lease(Entry& entry) {
  return {entry.current.get(), [this, &entry, owner = entry.current](ServedModel*) mutable {
            const std::lock_guard lock(mutex_);
            if (owner == entry.current) entry.last_use = Clock::now();
            owner.reset();
            if (!waiting_.empty()) changed_.notify_all();
          }};
}

void ModelRegistry::check_loadable(const Claim& claim) const {
  if (draining_) throw Unavailable("the server is shutting down", 1);
  if (claim.reloads) return;
  for (const size_t model : claim.models) {
    const Entry& entry = entries_[model];
    if (entry.state != ModelState::kFailed) continue;
    if (Clock::now() < entry.failed_at + settings_.retry_load) throw not_loaded(model);
  }
}

// For clients, which must not learn the names of the server's files.
Unavailable ModelRegistry::not_loaded(size_t model) const {
  const auto left = entries_[model].failed_at + settings_.retry_load - Clock::now();
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
  return {"model '" + specs_[model].name + "' cannot be loaded; the server's log says why",
          std::max<int64_t>(seconds, 1)};
}

bool ModelRegistry::needs_load(const Claim& claim, size_t model) const {
  const Entry& entry = entries_[model];
  return entry.state != ModelState::kLoading && (claim.reloads || !entry.current);
}

// A place in the line of those that wait for room.
class ModelRegistry::Place {
 public:
  Place(ModelRegistry& registry, const Claim& claim) : registry_(registry), claim_(claim) {
    registry_.waiting_.push_back(&claim_);
  }
  ~Place() {
    for (Entry& entry : registry_.entries_) entry.is_leaving = false;
    std::erase(registry_.waiting_, &claim_);
    registry_.changed_.notify_all();
  }
  bool is_first() const { return registry_.waiting_.front() == &claim_; }

 private:
  ModelRegistry& registry_;
  const Claim& claim_;
};

// Starts loading what the claim needs, after waiting for room. Called with the lock held.
void ModelRegistry::admit(Claim& claim, const Patience& patience,
                          std::unique_lock<std::mutex>& lock) {
  check_loadable(claim);
  for (const size_t model : claim.models) drop_stopped(model);
  const auto is_needed = [&](size_t model) { return needs_load(claim, model); };
  const auto is_leaving = [&](size_t model) { return entries_[model].is_leaving; };
  if (std::ranges::none_of(claim.models, is_needed) &&
      std::ranges::none_of(claim.models, is_leaving))
    return;
  lock.unlock();
  for (const size_t model : claim.models) claim.bytes.push_back(model_bytes(specs_[model]));
  lock.lock();
  if (settings_.memory > 0) {
    check_size(claim);
    const Place place(*this, claim);
    patience.await(lock, changed_, [&] {
      check_loadable(claim);
      return place.is_first() && make_room(claim);
    });
  }
  for (size_t i = 0; i < claim.models.size(); ++i)
    if (is_needed(claim.models[i])) start_load(claim.models[i], claim.bytes[i]);
}

// The decoder has failed; the registry loads the model again.
void ModelRegistry::drop_stopped(size_t model) {
  Entry& entry = entries_[model];
  if (!entry.current || entry.current->decoding()) return;
  ending_bytes_ += entry.bytes;
  entry.current.reset();
  if (entry.state == ModelState::kReady) entry.state = ModelState::kNotLoaded;
}

void ModelRegistry::start_load(size_t model, int64_t bytes) {
  Entry& entry = entries_[model];
  entry.loader = std::jthread([this, model, bytes] { load(model, bytes); });
  entry.state = ModelState::kLoading;
  if (!entry.current) entry.bytes = bytes;
  bytes_ += bytes;
}

void ModelRegistry::load(size_t model, int64_t bytes) {
  Entry& entry = entries_[model];
  const ModelSpec& spec = specs_[model];
  std::unique_ptr<ServedModel> loaded;
  std::string problem;
  const Clock::time_point start = Clock::now();
  try {
    loaded = std::make_unique<ServedModel>(loader_(spec), settings_.threads, settings_.limits,
                                           entry.observer);
  } catch (const std::exception& error) {
    problem = error.what();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const std::lock_guard lock(mutex_);
  if (!loaded) {
    bytes_ -= bytes;
    return fail(model, problem);
  }
  spdlog::info("model {}: loaded in {:.2f} s", spec.name, seconds);
  if (entry.observer) entry.observer->loaded(seconds);
  if (entry.current) ending_bytes_ += entry.bytes;
  ++entry.loads;
  entry.error.clear();
  entry.state = ModelState::kReady;
  entry.bytes = bytes;
  entry.last_use = Clock::now();
  entry.current = reaper_.own(std::move(loaded), bytes);
  changed_.notify_all();
}

// Called with the lock held.
void ModelRegistry::fail(size_t model, const std::string& problem) {
  Entry& entry = entries_[model];
  spdlog::error("model {}: {}", specs_[model].name, problem);
  if (entry.observer) entry.observer->load_failed();
  entry.error = problem;
  entry.failed_at = Clock::now();
  entry.state = entry.current ? ModelState::kReady : ModelState::kFailed;
  changed_.notify_all();
}

void ModelRegistry::preload() {
  for (const ModelSpec& spec : specs_) {
    if (fits(spec))
      acquire(spec.name, {});
    else
      spdlog::info("model {}: not preloaded, since the others fill --model-memory", spec.name);
  }
}

void ModelRegistry::reload(const std::string& name) {
  const std::lock_guard one_at_a_time(reloading_);
  std::string problems;
  const size_t first = name.empty() ? 0 : index_of(name);
  const size_t last = name.empty() ? specs_.size() : first + 1;
  for (size_t i = first; i < last; ++i) {
    const Entry& entry = entries_[i];
    const auto has_ended = [&] { return entry.state != ModelState::kLoading; };
    std::unique_lock lock(mutex_);
    changed_.wait(lock, has_ended);
    if (entry.state == ModelState::kNotLoaded) continue;
    try {
      Claim claim{.models = {i}, .reloads = true};
      admit(claim, {}, lock);
      changed_.wait(lock, has_ended);
      if (!entry.error.empty()) throw not_loaded(i);
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
      one.bytes = entry.bytes;
      one.max_source_length = entry.current->model().decoder->max_source_length();
      one.max_target_length = entry.current->model().decoder->max_target_length();
      one.load = entry.current->queue().load();
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace dietmt::service
