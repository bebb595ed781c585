// A recognisable translation: "a b" becomes "<a b>".
#pragma once

#include <string>
#include <vector>

#include "service/jobs/chunk_translation.h"

namespace dietmt::service {

inline std::vector<std::string> fake_translations(const std::vector<std::string>& lines) {
  std::vector<std::string> translations;
  for (const std::string& line : lines) translations.push_back("<" + line + ">");
  return translations;
}

/// `lines` numbered lines, from `first`.
inline std::string numbered_lines(int first, int lines, const std::string& before = "line ",
                                  const std::string& behind = "\n") {
  std::string text;
  for (int i = first; i < first + lines; ++i) text += before + std::to_string(i) + behind;
  return text;
}

}  // namespace dietmt::service
