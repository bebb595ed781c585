// The options that all processes of a training run must share, and the parts of a resumed one.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dietmt::training {

/// Options by name, as text.
using Configuration = std::map<std::string, std::string>;

/// An option that a resumed run changes; "unset" stands for no value.
struct OptionChange {
  std::string name;
  std::string before;
  std::string now;

  /// "--name: was a, is b"
  std::string text() const;
};

/// The options that differ. Names of parallel texts do not count: their content is compared instead
/// (TranslationTask::restore_data_position).
std::vector<OptionChange> configuration_changes(const Configuration& before,
                                                const Configuration& now);

/// The text() of each change, indented.
std::vector<std::string> configuration_differences(const Configuration& before,
                                                   const Configuration& now);

}  // namespace dietmt::training
