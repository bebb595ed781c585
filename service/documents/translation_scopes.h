// Which text of HTML is translated: the attribute `translate` applies to an element and everything
// inside it, even if end tags are omitted or misplaced.
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
  /// Whether the text that comes next is translated.
  bool translates() const { return scopes_.empty() || *elements_[scopes_.back()].translates; }

  /// Passes the next tag of the text. Void elements have no scope.
  void pass(std::string_view tag);

 private:
  struct Element {
    std::string name;
    std::optional<bool> translates;  // its attribute; unset: inherited
    bool is_open = true;
  };

  // Index in elements_ of the innermost open element with this name; -1: none.
  int64_t place_of(const std::string& name) const;
  int64_t innermost_of(std::string_view names) const;
  void end_elements_before(const std::string& name);
  void end(const std::string& name);
  void close(size_t place);
  void close_from(size_t place);
  void drop_closed();

  std::vector<Element> elements_;  // outermost first
  std::vector<size_t> scopes_;     // those with the attribute, as indices into elements_
  std::unordered_map<std::string, std::vector<size_t>> places_;  // of open elements, by name
};

}  // namespace dietmt::service
