// The labels of a classification or tagging: those of the task, or those that its file has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dietmt::data {

class LabelList {
 public:
  /// `known` empty: labels are collected as they come.
  explicit LabelList(const std::vector<std::string>& known)
      : names_(known), fixed_(!known.empty()) {}

  /// In the order of indices.
  const std::vector<std::string>& names() const { return names_; }

  /// The index of a label, which is spelled as in `spellings` where there are any; -1 if the task
  /// has no such label, it is empty, or there are more than kMost of them.
  int32_t index_of(const std::string& text, const std::vector<std::string>& spellings = {});

  /// Why index_of() found none. `column`: where the label stands.
  std::string problem(const std::string& text, const std::string& column,
                      const std::vector<std::string>& spellings = {}) const;

  /// Sorts collected labels, but not known ones. Returns the new index of each.
  std::vector<int32_t> sort();

 private:
  static constexpr size_t kMost = 1000;  // more are not labels but another column

  std::vector<std::string> names_;
  bool fixed_;
};

}  // namespace dietmt::data
