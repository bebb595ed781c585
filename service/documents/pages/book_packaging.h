// The files of an EPUB book that are not chapters (EPUB 3.3 and OPF 2.0.1).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

/// What the package document lists: names of parts of the archive.
struct BookFiles {
  std::vector<std::string> chapters;  // XHTML in the order of reading, then other XHTML
  std::vector<std::string> pictures;  // SVG in the order of reading
  std::vector<std::string> contents;  // tables of contents of EPUB 2 (.ncx)
};

/// The name of the package document in META-INF/container.xml. Throws DataError if there is none.
std::string package_name(std::string_view container, const DocumentLimits& limits);

BookFiles book_files(const std::string& package_name, std::string_view package,
                     const DocumentLimits& limits);

/// The names of encrypted parts in META-INF/encryption.xml.
std::vector<std::string> encrypted_names(std::string_view encryption, const DocumentLimits& limits);

/// The package document: title, description, summary of accessibility and language.
std::unique_ptr<Document> open_package(std::string_view bytes, const DocumentOptions& options,
                                       const DocumentLimits& limits);

/// A table of contents of EPUB 2.
std::unique_ptr<Document> open_ncx(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits);

}  // namespace dietmt::service
