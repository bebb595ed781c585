#include "service/documents/document_kinds.h"
#include "service/documents/markup_document.h"

namespace dietmt::service {
namespace {

class HtmlDocument final : public MarkupDocument {
 public:
  HtmlDocument(std::string_view html, const DocumentOptions& options)
      : MarkupDocument({options.source, options.target}) {
    add_html(html);
  }
};

}  // namespace

std::unique_ptr<Document> open_html(const std::string& text, const DocumentOptions& options) {
  return std::make_unique<HtmlDocument>(text, options);
}

}  // namespace dietmt::service
