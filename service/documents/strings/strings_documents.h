// Catalogues of a program's messages, in which keys name strings: only the strings are translated.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// YAML before the text of a page: its title, description and summary are translated.
std::unique_ptr<Document> open_front_matter(std::string_view bytes);

std::unique_ptr<Document> open_properties(std::string_view bytes, const DocumentOptions& options);
/// Apple's .strings.
std::unique_ptr<Document> open_strings(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_json(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_arb(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_yaml(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_csv(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_tsv(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_android(std::string_view bytes, const DocumentOptions& options,
                                       const DocumentLimits& limits);
std::unique_ptr<Document> open_stringsdict(std::string_view bytes, const DocumentOptions& options,
                                           const DocumentLimits& limits);
/// Xcode's .xcstrings.
std::unique_ptr<Document> open_string_catalog(std::string_view bytes,
                                              const DocumentOptions& options,
                                              const DocumentLimits& limits);
std::unique_ptr<Document> open_resx(std::string_view bytes, const DocumentOptions& options,
                                    const DocumentLimits& limits);
std::unique_ptr<Document> open_ts(std::string_view bytes, const DocumentOptions& options,
                                  const DocumentLimits& limits);

}  // namespace dietmt::service
