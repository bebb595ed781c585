#include "data/sample/surface.h"

#include <array>
#include <utility>

namespace dietmt::data {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 15> kCapitals = {{{"ä", "Ä"},
                                                                            {"ö", "Ö"},
                                                                            {"ü", "Ü"},
                                                                            {"á", "Á"},
                                                                            {"é", "É"},
                                                                            {"í", "Í"},
                                                                            {"ú", "Ú"},
                                                                            {"ý", "Ý"},
                                                                            {"č", "Č"},
                                                                            {"ď", "Ď"},
                                                                            {"ň", "Ň"},
                                                                            {"ř", "Ř"},
                                                                            {"š", "Š"},
                                                                            {"ť", "Ť"},
                                                                            {"ž", "Ž"}}};

void capitalise(std::string& text) {
  if (text.empty()) return;
  if (text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return;
  }
  for (const auto& [lower, upper] : kCapitals)
    if (text.starts_with(lower)) text.replace(0, 2, upper);
}

bool is_final_mark(const std::string& word) { return word == "." || word == "?"; }

}  // namespace

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

void append(Words& words, const std::string& word) {
  if (!word.empty()) words.push_back(word);
}

std::string surface(const Words& words) {
  std::string text;
  bool comma = false;  // one that waits for the word it stands before
  for (const std::string& word : words) {
    if (word == ",") {
      comma = !text.empty();
      continue;
    }
    if (is_final_mark(word)) {
      text += word;
      comma = false;
      continue;
    }
    if (!text.empty()) text += comma ? ", " : " ";
    comma = false;
    text += word;
  }
  capitalise(text);
  return text;
}

}  // namespace dietmt::data
