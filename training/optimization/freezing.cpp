#include "training/optimization/freezing.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "common/error.h"
#include "common/options.h"

namespace dietmt::training {
namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// What a user may have meant: whole names, and the modules that contain them.
std::vector<std::string> possible_patterns(const std::vector<std::string>& names) {
  std::set<std::string> patterns(names.begin(), names.end());
  for (const std::string& name : names)
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      patterns.insert(name.substr(0, dot) + ".*");
  return {patterns.begin(), patterns.end()};
}

}  // namespace

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(patterns,
                             [&](const std::string& pattern) { return matches(pattern, name); });
}

std::set<std::string> matching_names(const std::string& option,
                                     const std::vector<std::string>& names,
                                     const std::vector<std::string>& patterns) {
  std::set<std::string> found;
  for (const std::string& pattern : patterns) {
    bool used = false;
    for (const std::string& name : names) {
      if (!matches(pattern, name)) continue;
      found.insert(name);
      used = true;
    }
    if (used) continue;
    throw ConfigError(option + ": no parameter of the model matches '" + pattern + "'" +
                      suggestion(pattern, possible_patterns(names)) +
                      "; `dietmt inspect params` shows how they begin");
  }
  return found;
}

int64_t freeze(torch::nn::Module& model, const std::vector<std::string>& patterns) {
  const auto parameters = model.named_parameters();
  const std::set<std::string> chosen = matching_names("--freeze", parameters.keys(), patterns);
  int64_t frozen = 0, trained = 0;
  for (const auto& item : parameters) {
    if (chosen.contains(item.key())) item.value().requires_grad_(false);
    (item.value().requires_grad() ? trained : frozen) += item.value().numel();
  }
  if (trained == 0) throw ConfigError("--freeze leaves no parameter to train");
  return frozen;
}

int64_t freeze_all_but(torch::nn::Module& model,
                       const std::function<bool(const std::string&)>& is_trained) {
  int64_t frozen = 0;
  for (const auto& item : model.named_parameters()) {
    if (is_trained(item.key())) continue;
    item.value().requires_grad_(false);
    frozen += item.value().numel();
  }
  return frozen;
}

}  // namespace dietmt::training
