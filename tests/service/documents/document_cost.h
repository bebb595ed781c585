// The cost of everything that is done with a document, except for the model's part.
#pragma once

#include <functional>
#include <string>

#include "service/documents/placeholders.h"
#include "tests/common/cpu_cost.h"
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {

inline void handle(DocumentKind kind, const std::string& bytes,
                   const DocumentOptions& options = {"en", "de"}) {
  try {
    const auto document = open_document(kind, bytes, options);
    const auto same = [](const ConnectedTexts& texts) {
      std::vector<Translation> all;
      for (size_t i = 0; i < texts.texts.size(); ++i) {
        nmt::take_out_markup(texts.texts[i]);
        all.push_back(in_source_order(texts.texts[i]));
      }
      return all;
    };
    document->translated(translate_keeping_placeholders(document->segments(), same, same));
  } catch (const DataError&) {
  }
}

/// `make`: a document of about so many bytes.
inline void expect_linear_cost(DocumentKind kind, const std::string& name,
                               const std::function<std::string(size_t bytes)>& make,
                               const DocumentOptions& options = {"en", "de"}) {
  EXPECT_LE(
      cost_growth(30'000, make, [&](const std::string& bytes) { handle(kind, bytes, options); }),
      kLinearGrowth)
      << name_of(kind) << ": " << name;
}

}  // namespace dietmt::service
