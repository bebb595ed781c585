// Texts without marks, and how tests compare them.
#pragma once

#include <string>
#include <vector>

#include "service/documents/placeholders.h"

namespace dietmt::service {

inline std::vector<nmt::MarkedText> unmarked(const std::vector<std::string>& texts) {
  std::vector<nmt::MarkedText> all;
  for (const std::string& text : texts) all.push_back({.text = text, .marks = {}});
  return all;
}

inline std::vector<std::string> texts_of(const ConnectedTexts& asked) {
  std::vector<std::string> texts;
  for (const nmt::MarkedText& text : asked.texts) texts.push_back(text.text);
  return texts;
}

inline std::vector<std::string> texts_of(const std::vector<Translation>& translations) {
  std::vector<std::string> texts;
  for (const Translation& translation : translations) texts.push_back(plain_text(translation));
  return texts;
}

inline std::vector<Translation> translations(const std::vector<std::string>& texts) {
  std::vector<Translation> all;
  for (const std::string& text : texts) all.push_back({{text}});
  return all;
}

inline std::vector<Translation> unchanged(const ConnectedTexts& asked) {
  std::vector<Translation> all;
  for (const nmt::MarkedText& text : asked.texts) all.push_back(in_source_order(text));
  return all;
}

}  // namespace dietmt::service
