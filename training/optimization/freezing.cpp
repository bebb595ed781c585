#include "training/optimization/freezing.h"

#include <fnmatch.h>

#include <set>

#include "common/error.h"
#include "common/options.h"

namespace dietmt::training {
namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// What a user may have meant: whole names, and the modules above them.
std::vector<std::string> possible_patterns(const std::vector<std::string>& names) {
  std::set<std::string> patterns(names.begin(), names.end());
  for (const std::string& name : names)
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
      patterns.insert(name.substr(0, dot) + ".*");
  return {patterns.begin(), patterns.end()};
}

}  // namespace

int64_t freeze(torch::nn::Module& model, const std::vector<std::string>& patterns) {
  const auto parameters = model.named_parameters();
  int64_t frozen = 0, trained = 0;
  std::set<std::string> used;
  for (const auto& item : parameters) {
    bool is_frozen = false;
    for (const std::string& pattern : patterns) {
      if (!matches(pattern, item.key())) continue;
      used.insert(pattern);
      is_frozen = true;
    }
    if (is_frozen) item.value().requires_grad_(false);
    (item.value().requires_grad() ? trained : frozen) += item.value().numel();
  }
  for (const std::string& pattern : patterns) {
    if (used.contains(pattern)) continue;
    throw ConfigError("--freeze: no parameter of the model matches '" + pattern + "'" +
                      suggestion(pattern, possible_patterns(parameters.keys())) +
                      "; `dietmt inspect params` lists them");
  }
  if (trained == 0) throw ConfigError("--freeze leaves no parameter to train");
  return frozen;
}

}  // namespace dietmt::training
