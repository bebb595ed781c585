// The part of ModelRegistry that unloads models: unused ones, and others to make room.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "service/scheduling/model_registry.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {

bool ModelRegistry::Entry::is_idle() const {
  return current && state == ModelState::kReady && awaited == 0 && current.use_count() == 1;
}

bool ModelRegistry::fits(const ModelSpec& spec) const {
  if (settings_.memory == 0) return true;
  const int64_t bytes = model_bytes(spec);
  const std::lock_guard lock(mutex_);
  return bytes_ + bytes <= settings_.memory;
}

// Refuses what never fits. Called with the lock held.
void ModelRegistry::check_size(const Claim& claim) {
  int64_t sum = 0;
  std::string names;
  for (size_t i = 0; i < claim.models.size(); ++i) {
    const size_t model = claim.models[i];
    sum += claim.bytes[i];
    names += (names.empty() ? "" : ", ") + specs_[model].name;
    const std::string problem =
        memory_problem(specs_[model].directory.string(), claim.bytes[i], settings_.memory);
    if (problem.empty()) continue;
    fail(model, problem);
    throw not_loaded(model);
  }
  if (sum <= settings_.memory) return;
  spdlog::error(memory_problem("the path " + names, sum, settings_.memory));
  throw Unavailable("the server has not enough memory for the models " + names + " together", 60);
}

// Whether there is room for what the claim needs. If not, unloads idle models, and keeps further
// requests from others. Called with the lock held.
bool ModelRegistry::make_room(const Claim& claim) {
  int64_t needed = 0;
  for (size_t i = 0; i < claim.models.size(); ++i)
    if (needs_load(claim, claim.models[i])) needed += claim.bytes[i];
  if (needed == 0) return true;
  int64_t missing = bytes_ - ending_bytes_ + needed - settings_.memory;
  const std::vector<size_t> candidates = victims(claim);
  for (const size_t model : candidates) {
    if (missing <= 0 || !entries_[model].is_idle()) continue;
    missing -= entries_[model].bytes;
    unload(model, "to make room for " + specs_[claim.models.front()].name);
  }
  for (const size_t model : candidates) {
    Entry& entry = entries_[model];
    entry.is_leaving = missing > 0 && entry.is_present();
    if (entry.is_leaving) missing -= entry.bytes;
  }
  return bytes_ + needed <= settings_.memory;
}

// Least recently used first; but first the model to be reloaded, if it does not fit twice.
std::vector<size_t> ModelRegistry::victims(const Claim& claim) const {
  std::vector<size_t> models;
  for (size_t i = 0; i < entries_.size(); ++i)
    if (!std::ranges::count(claim.models, i)) models.push_back(i);
  std::ranges::sort(models, {}, [&](size_t model) { return entries_[model].last_use; });
  const size_t own = claim.models.front();
  if (claim.reloads && claim.bytes.front() + entries_[own].bytes > settings_.memory)
    models.insert(models.begin(), own);
  return models;
}

void ModelRegistry::unload(size_t model, const std::string& reason) {
  Entry& entry = entries_[model];
  spdlog::info("model {}: unloaded {}", specs_[model].name, reason);
  if (entry.observer) entry.observer->unloaded();
  ending_bytes_ += entry.bytes;
  entry.state = ModelState::kNotLoaded;
  entry.current.reset();
  entry.error.clear();
}

void ModelRegistry::unload_unused(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const Clock::time_point now = Clock::now();
    Clock::time_point next = now + settings_.unload_after;
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (!entries_[i].is_idle()) continue;
      const Clock::time_point end = entries_[i].last_use + settings_.unload_after;
      if (end <= now)
        unload(i, "because nobody used it");
      else
        next = std::min(next, end);
    }
    stopping_.wait_until(lock, stop, next, [] { return false; });
  }
}

}  // namespace dietmt::service
