// EPUB books: XHTML chapters and their packaging in a ZIP archive. Everything else stays packed.
#include <set>

#include "common/error.h"
#include "service/documents/document_bytes.h"
#include "service/documents/document_kinds.h"
#include "service/documents/pages/book_packaging.h"
#include "service/documents/pages/document_parts.h"
#include "service/documents/pages/pages_documents.h"
#include "service/documents/xml_tree.h"
#include "service/documents/zip_package.h"

namespace dietmt::service {
namespace {

class EpubDocument final : public DocumentParts {
 public:
  EpubDocument(std::string_view bytes, const DocumentOptions& options, const DocumentLimits& limits)
      : package_(bytes),
        all_names_(package_.names().begin(), package_.names().end()),
        limits_(limits) {
    constexpr const char* kContainer = "META-INF/container.xml";
    constexpr const char* kEncryption = "META-INF/encryption.xml";
    if (!has(kContainer))
      throw DataError(std::string("the archive is not an EPUB book: it has no ") + kContainer);
    const std::string package = package_name(read(kContainer), limits);
    const std::string package_document = read(package);
    const BookFiles files = book_files(package, package_document, limits);
    std::set<std::string> translated(files.chapters.begin(), files.chapters.end());
    translated.insert(files.contents.begin(), files.contents.end());
    translated.insert(package);
    if (has(kEncryption)) {
      for (const std::string& name : encrypted_names(read(kEncryption), limits))
        if (translated.contains(name))
          throw DataError(std::string("the book is encrypted: ") + kEncryption + " names " + name +
                          "; send a book without DRM");
    }
    add(package, open_package(package_document, options, limits));
    for (const std::string& name : files.contents)
      if (has(name)) add(name, open_ncx(read(name), options, limits));
    for (const std::string& name : files.pictures)
      if (has(name) && read(name).find("<text") != std::string::npos) left_out_.push_back(name);
    for (const std::string& name : files.chapters)
      if (has(name)) add(name, open_html(text_of_bytes(read(name)), options));
  }

  std::string translated(const std::vector<Translation>& translations) override {
    const std::vector<std::string> parts = translated_parts(translations);
    for (size_t i = 0; i < names_.size(); ++i) package_.replace(names_[i], parts[i]);
    return package_.packed();
  }

 private:
  bool has(const std::string& name) const { return all_names_.contains(name); }

  // Counts towards the limits.
  std::string read(const std::string& name) {
    if (!has(name)) throw DataError("the book is damaged: it has no part " + name);
    std::string content = package_.read(name, limits_.bytes);
    limits_.bytes -= content.size();
    const size_t nodes = most_xml_nodes(content);
    if (nodes > limits_.nodes)
      throw DocumentTooLargeError("the parts of the book have too many elements and attributes");
    limits_.nodes -= nodes;
    return content;
  }

  void add(const std::string& name, std::unique_ptr<Document> part) {
    names_.push_back(name);
    add_part(std::move(part));
  }

  ZipPackage package_;
  std::set<std::string> all_names_;
  DocumentLimits limits_;  // what is left of them
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Document> open_epub(std::string_view bytes, const DocumentOptions& options,
                                    const DocumentLimits& limits) {
  return std::make_unique<EpubDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
