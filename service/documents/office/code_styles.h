// Styles whose text is code and stays as it is: "Source Code", "HTML Preformatted" and others.
#pragma once

#include <string>
#include <unordered_map>

namespace dietmt::service {

class CodeStyles {
 public:
  /// `name`: as users see it; `base`: the id of the style that it builds on, or "". `is_code`: its
  /// text is in no language.
  void add(const std::string& id, const std::string& name, const std::string& base, bool is_code);

  /// Whether the style, or one that it builds on, is for code.
  bool contain(const std::string& id) const;

 private:
  struct Style {
    std::string base;
    bool is_code = false;
  };

  std::unordered_map<std::string, Style> styles_;
};

}  // namespace dietmt::service
