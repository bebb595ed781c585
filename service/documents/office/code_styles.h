// Styles whose text is code and stays as it is: "Source Code", "HTML Preformatted" and others; and
// styles of OpenDocument for superscript and subscript.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace dietmt::service {

class CodeStyles {
 public:
  /// `name`: as users see it; `base`: the id of the style that it builds on, or "". `is_code`: its
  /// text is in no language.
  void add(const std::string& id, const std::string& name, const std::string& base, bool is_code);

  /// Whether the style, or one that it builds on, is for code.
  bool contain(const std::string& id) const;

  void add_raised(const std::string& id) { raised_.insert(id); }
  bool raise(const std::string& id) const { return raised_.contains(id); }

 private:
  struct Style {
    std::string base;
    bool is_code = false;
  };

  std::unordered_map<std::string, Style> styles_;
  std::unordered_set<std::string> raised_;
};

}  // namespace dietmt::service
