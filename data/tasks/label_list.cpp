#include "data/tasks/label_list.h"

#include <algorithm>

#include "data/tasks/record_reader.h"

namespace dietmt::data {

int32_t LabelList::index_of(const std::string& text, const std::vector<std::string>& spellings) {
  const std::vector<std::string>& texts = spellings.empty() ? names_ : spellings;
  const auto found = std::ranges::find(texts, text);
  if (found != texts.end()) return static_cast<int32_t>(found - texts.begin());
  if (fixed_ || text.empty() || names_.size() == kMost) return -1;
  names_.push_back(text);
  return static_cast<int32_t>(names_.size() - 1);
}

std::string LabelList::problem(const std::string& text, const std::string& column,
                               const std::vector<std::string>& spellings) const {
  if (fixed_)
    return "label " + quoted(text) + ", expected one of " +
           quoted_list(spellings.empty() ? names_ : spellings);
  if (text.empty()) return "the label is empty";
  return "more than " + std::to_string(kMost) + " different labels: is " + column +
         " the column of the labels?";
}

std::vector<int32_t> LabelList::sort() {
  const std::vector<std::string> found = names_;
  if (!fixed_) std::ranges::sort(names_);
  std::vector<int32_t> places;
  for (const std::string& name : found)
    places.push_back(static_cast<int32_t>(std::ranges::find(names_, name) - names_.begin()));
  return places;
}

}  // namespace dietmt::data
