#include "training/processes/configuration.h"

#include <array>

namespace dietmt::training {
namespace {

constexpr std::array kTexts = {"train-source", "train-target", "train-weights", "valid-source",
                               "valid-target"};

}  // namespace

std::string OptionChange::text() const {
  const auto shown = [](const std::string& value) { return value.empty() ? "empty" : value; };
  return "--" + name + ": was " + shown(before) + ", is " + shown(now);
}

std::vector<OptionChange> configuration_changes(const Configuration& before,
                                                const Configuration& now) {
  std::vector<OptionChange> found;
  const auto value = [](const Configuration& all, const std::string& name) {
    const auto at = all.find(name);
    return at == all.end() ? std::string("unset") : at->second;
  };
  Configuration names = before;
  names.insert(now.begin(), now.end());
  for (const char* text : kTexts) names.erase(text);
  for (const auto& [name, unused] : names) {
    if (value(before, name) != value(now, name))
      found.push_back({name, value(before, name), value(now, name)});
  }
  return found;
}

std::vector<std::string> configuration_differences(const Configuration& before,
                                                   const Configuration& now) {
  std::vector<std::string> texts;
  for (const OptionChange& change : configuration_changes(before, now))
    texts.push_back("  " + change.text());
  return texts;
}

}  // namespace dietmt::training
