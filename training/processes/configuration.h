// The options of a training by name: what the parts of a resumed training, and the processes of
// one, must have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dietmt::training {

/// Options by name, as text.
using Configuration = std::map<std::string, std::string>;

/// An option that a resumed training changes; "unset" stands for no value.
struct OptionChange {
  std::string name;
  std::string before;
  std::string now;

  /// "--name: was a, is b"
  std::string text() const;
};

/// The options that differ. The names of parallel texts do not count: their content is compared
/// (TranslationTask::restore_data_position).
std::vector<OptionChange> configuration_changes(const Configuration& before,
                                                const Configuration& now);

/// Their texts, indented.
std::vector<std::string> configuration_differences(const Configuration& before,
                                                   const Configuration& now);

}  // namespace dietmt::training
