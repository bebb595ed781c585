#include "service/documents/pdf/pdf_document.h"

#include "service/documents/office/office_document.h"
#include "service/documents/pdf/pdf_pages.h"
#include "service/documents/pdf/pdf_paragraphs.h"
#include "service/documents/pdf/word_file.h"

namespace dietmt::service {

std::unique_ptr<Document> open_pdf(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits) {
  const PdfText text = pdf_paragraphs(pdf_pages(bytes, limits));
  if (text.paragraphs.empty())
    throw DataError("the PDF has no text: its pages are pictures, such as those of a scanner");
  std::unique_ptr<Document> document = open_office(
      DocumentKind::kDocx, "docx", word_file(text.paragraphs, options.source), options, limits);
  for (const std::string& part : text.left_out) document->note_left_out(part);
  return document;
}

}  // namespace dietmt::service
