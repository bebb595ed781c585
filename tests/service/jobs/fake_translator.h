// A recognisable translation: "a b" becomes "<a b>".
#pragma once

#include <string>
#include <vector>

#include "service/jobs/chunk_translation.h"
#include "tests/service/connected_texts.h"

namespace dietmt::service {

inline std::vector<Translation> fake_translations(const ConnectedTexts& asked) {
  std::vector<Translation> all = unchanged(asked);
  for (Translation& parts : all) {
    parts.insert(parts.begin(), {"<"});
    parts.push_back({">"});
  }
  return all;
}

/// `lines` numbered lines, from `first`.
inline std::string numbered_lines(int first, int lines, const std::string& before = "line ",
                                  const std::string& behind = "\n") {
  std::string text;
  for (int i = first; i < first + lines; ++i) text += before + std::to_string(i) + behind;
  return text;
}

}  // namespace dietmt::service
