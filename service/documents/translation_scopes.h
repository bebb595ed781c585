// Which text of HTML is translated. The attribute `translate`, the class "notranslate", the
// language and the name of an element apply to it and everything inside, even if end tags are
// omitted or misplaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dietmt::service {

/// The languages of a translation. The source may be empty or "auto": unknown.
struct LanguagePair {
  std::string source = {};
  std::string target = {};
};

/// Whether text in the language that an attribute declares is translated; nullopt: the attribute
/// says nothing.
std::optional<bool> translates_language(std::string_view declared, const LanguagePair& languages);

class TranslationScopes {
 public:
  explicit TranslationScopes(LanguagePair languages) : languages_(std::move(languages)) {}

  /// Whether the text that comes next is translated.
  bool translates() const { return scopes_.empty() || *elements_[scopes_.back()].translates; }

  /// Passes the next tag of the text. Void elements have no scope. `is_code`: the element contains
  /// code, unless an attribute says that it is translated.
  void pass(std::string_view tag, bool is_code = false);

  /// Whether the attributes of a start tag are translated. If its element has a scope, the tag is
  /// the last one passed.
  bool translates_attributes(std::string_view tag) const;

 private:
  struct Element {
    std::string name;
    std::optional<bool> translates;  // unset: inherited
    bool is_open = true;
  };

  std::optional<bool> decision_of(std::string_view tag) const;
  // Index in elements_ of the innermost open element with this name; -1: none.
  int64_t place_of(const std::string& name) const;
  int64_t innermost_of(std::string_view names) const;
  void end_elements_before(const std::string& name);
  void end(const std::string& name);
  void close(size_t place);
  void close_from(size_t place);
  void drop_closed();

  LanguagePair languages_;
  std::vector<Element> elements_;  // outermost first
  std::vector<size_t> scopes_;     // those that decide, as indices into elements_
  std::unordered_map<std::string, std::vector<size_t>> places_;  // of open elements, by name
};

}  // namespace dietmt::service
