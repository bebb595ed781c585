// Documents translated into capitals between angle brackets.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "common/error.h"
#include "service/documents/document.h"

namespace dietmt::service {

inline std::vector<std::string> segments_of(DocumentKind kind, const std::string& bytes) {
  return open_document(kind, bytes, {"en", "de"})->segments();
}

/// With [text] for each segment.
inline std::string bracketed(DocumentKind kind, const std::string& bytes,
                             const DocumentLanguages& languages = {"en", "de"}) {
  const auto document = open_document(kind, bytes, languages);
  std::vector<std::string> translations;
  for (const std::string& segment : document->segments())
    translations.push_back("[" + segment + "]");
  return document->translated(translations);
}

/// With each segment in its own place.
inline std::string unchanged(DocumentKind kind, const std::string& bytes) {
  const auto document = open_document(kind, bytes, {"en", "de"});
  return document->translated(document->segments());
}

/// What open_document() says about the bytes; "none" if it takes them.
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
