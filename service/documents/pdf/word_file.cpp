#include "service/documents/pdf/word_file.h"

#include <algorithm>
#include <cmath>

#include "service/documents/markup.h"
#include "service/documents/zip_package.h"

namespace dietmt::service {
namespace {

constexpr const char* kDeclaration = R"(<?xml version="1.0" encoding="UTF-8" standalone="yes"?>)";

constexpr const char* kContentTypes =
    R"(<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">)"
    R"(<Default Extension="rels")"
    R"( ContentType="application/vnd.openxmlformats-package.relationships+xml"/>)"
    R"(<Default Extension="xml" ContentType="application/)"
    R"(vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>)";

constexpr const char* kRelationships =
    R"(<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">)"
    R"(<Relationship Id="main" Target="word/document.xml" Type="http://)"
    R"(schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>)"
    R"(</Relationships>)";

constexpr const char* kDocumentBegin =
    R"(<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>)";

// In half points. The box of a line is a little lower than its font.
long font_size(double line_height) {
  constexpr double kLinePerFont = 0.92;
  constexpr double kLeast = 4, kMost = 200;
  return std::lround(2 * std::clamp(line_height / kLinePerFont, kLeast, kMost));
}

std::string text_element(std::string_view text) {
  return R"(<w:t xml:space="preserve">)" + escape_markup(text) + "</w:t>";
}

std::string code_paragraph(const PdfParagraph& code) {
  std::string lines;
  for (std::string_view rest = code.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    lines += (lines.empty() ? "" : "<w:br/>") + text_element(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return R"(<w:p><w:r><w:rPr><w:rFonts w:ascii="Courier New" w:hAnsi="Courier New")"
         R"( w:cs="Courier New"/><w:sz w:val=")" +
         std::to_string(font_size(code.line_height)) + R"("/><w:lang w:val="zxx"/></w:rPr>)" +
         lines + "</w:r></w:p>";
}

// Tabs, so that the mark and the page's number are no part of the text.
std::string paragraph(const PdfParagraph& one, const std::string& language) {
  constexpr const char* kTab = "<w:tab/>";
  const std::string mark = one.mark.empty() ? "" : text_element(one.mark) + kTab;
  const std::string page = one.page.empty() ? "" : kTab + text_element(one.page);
  return R"(<w:p><w:r><w:rPr><w:sz w:val=")" + std::to_string(font_size(one.line_height)) +
         R"("/><w:lang w:val=)" + attribute_value(language) + "/></w:rPr>" + mark +
         text_element(one.text) + page + "</w:r></w:p>";
}

}  // namespace

std::string word_file(const std::vector<PdfParagraph>& paragraphs, const std::string& language) {
  std::string body = std::string(kDeclaration) + kDocumentBegin;
  for (const PdfParagraph& one : paragraphs)
    body += one.is_code ? code_paragraph(one) : paragraph(one, language);
  body += "</w:body></w:document>";
  ZipPackage package;
  package.add("[Content_Types].xml", std::string(kDeclaration) + kContentTypes);
  package.add("_rels/.rels", std::string(kDeclaration) + kRelationships);
  package.add("word/document.xml", body);
  return package.packed();
}

}  // namespace dietmt::service
