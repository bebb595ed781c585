// Documents translated into capitals between angle brackets.
#pragma once

#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <vector>

#include "common/error.h"
#include "service/documents/kinds/open_document.h"

namespace dietmt::service {

/// The text with its marks' tags in place.
inline std::string shown(const nmt::MarkedText& segment) {
  return nmt::join(in_source_order(segment));
}

/// A text in which the tags of a segment, or <g7>, which it does not have, are marks.
inline Translation translation_of(const nmt::MarkedText& segment, const std::string& text) {
  static const std::regex foreign("</?g[0-9]+/?>");
  Translation parts(1);
  std::vector<bool> seen(segment.marks.size());
  for (size_t at = 0; at < text.size();) {
    std::string tag;
    int32_t mark = 1000;
    for (size_t i = 0; i < seen.size(); ++i) {
      const std::string& one = segment.marks[i].parts.front().text;
      const bool is_better = tag.empty() || (seen[static_cast<size_t>(mark)] && !seen[i]);
      if (!text.substr(at).starts_with(one) || !is_better) continue;
      tag = one;
      mark = static_cast<int32_t>(i);
    }
    std::smatch found;
    if (tag.empty() && std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                                         found, foreign, std::regex_constants::match_continuous))
      tag = found.str();
    if (tag.empty()) {
      parts.back().text += text[at++];
      continue;
    }
    if (mark < 1000) seen[static_cast<size_t>(mark)] = true;
    parts.push_back({tag, true, mark});
    parts.emplace_back();
    at += tag.size();
  }
  return parts;
}

inline std::vector<std::string> segments_of(DocumentKind kind, const std::string& bytes) {
  const auto document = open_document(kind, bytes, {"en", "de"});
  std::vector<std::string> segments;
  for (const nmt::MarkedText& segment : document->segments()) segments.push_back(shown(segment));
  return segments;
}

/// The document with a translation for each segment.
inline std::string translated(DocumentKind kind, const std::string& bytes,
                              const std::vector<std::string>& texts) {
  const auto document = open_document(kind, bytes, {"en", "de"});
  std::vector<Translation> translations;
  for (size_t i = 0; i < texts.size(); ++i)
    translations.push_back(translation_of(document->segments().at(i), texts[i]));
  return document->translated(translations);
}

/// The document with [text] for each segment.
inline std::string bracketed(DocumentKind kind, const std::string& bytes,
                             const DocumentOptions& options = {"en", "de"}) {
  const auto document = open_document(kind, bytes, options);
  std::vector<Translation> translations;
  for (const nmt::MarkedText& segment : document->segments()) {
    Translation& parts = translations.emplace_back(in_source_order(segment));
    parts.insert(parts.begin(), {"["});
    parts.push_back({"]"});
  }
  return document->translated(translations);
}

/// The document with each segment put back unchanged.
inline std::string unchanged(DocumentKind kind, const std::string& bytes) {
  const auto document = open_document(kind, bytes, {"en", "de"});
  std::vector<Translation> translations;
  for (const nmt::MarkedText& segment : document->segments())
    translations.push_back(in_source_order(segment));
  return document->translated(translations);
}

/// open_document()'s message about the bytes; "none" if it accepts them.
inline std::string problem_of(DocumentKind kind, const std::string& bytes,
                              const DocumentLimits& limits = {}) {
  try {
    open_document(kind, bytes, {"en", "de"}, limits);
    return "none";
  } catch (const DataError& error) {
    return error.what();
  }
}

}  // namespace dietmt::service
