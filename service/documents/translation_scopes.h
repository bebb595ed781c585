// Which text of HTML is translated: the attribute `translate` holds for an element and all elements
// inside, also if their end tags are left out or misplaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dietmt::service {

class TranslationScopes {
 public:
  /// Of the text that comes next.
  bool translates() const { return scopes_.empty() || *elements_[scopes_.back()].translates; }

  /// The tag that comes next in the text. Void elements have no scope.
  void pass(std::string_view tag);

 private:
  struct Element {
    std::string name;
    std::optional<bool> translates;  // its attribute; empty: as around it
    bool is_open = true;
  };

  // Of the innermost open element of this name, among elements_; -1: none.
  int64_t place_of(const std::string& name) const;
  int64_t innermost_of(std::string_view names) const;
  void end_elements_before(const std::string& name);
  void end(const std::string& name);
  void close(size_t place);
  void close_from(size_t place);
  void drop_closed();

  std::vector<Element> elements_;  // the outermost first
  std::vector<size_t> scopes_;     // those with the attribute, among elements_
  std::unordered_map<std::string, std::vector<size_t>> places_;  // of open elements, by name
};

}  // namespace dietmt::service
