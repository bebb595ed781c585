#include "service/documents/pdf/word_file.h"

#include <algorithm>
#include <cmath>

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

// XML 1.0 has no control characters.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (static_cast<unsigned char>(c) >= ' ')
      result += c;
  }
  return result;
}

// In half points. The box of a line is a little lower than its font.
long font_size(double line_height) {
  constexpr double kLinePerFont = 0.92;
  constexpr double kLeast = 4, kMost = 200;
  return std::lround(2 * std::clamp(line_height / kLinePerFont, kLeast, kMost));
}

// A tab after the mark of an item, so that it is no part of the text.
std::string paragraph(const PdfParagraph& one, const std::string& language) {
  const std::string size = std::to_string(font_size(one.line_height));
  const std::string mark = one.mark.empty() ? "" : "<w:t>" + escaped(one.mark) + "</w:t><w:tab/>";
  return R"(<w:p><w:r><w:rPr><w:sz w:val=")" + size + R"("/><w:lang w:val=")" + language +
         R"("/></w:rPr>)" + mark + "<w:t>" + escaped(one.text) + "</w:t></w:r></w:p>";
}

}  // namespace

std::string word_file(const std::vector<PdfParagraph>& paragraphs, const std::string& language) {
  std::string body = std::string(kDeclaration) + kDocumentBegin;
  for (const PdfParagraph& one : paragraphs) body += paragraph(one, escaped(language));
  body += "</w:body></w:document>";
  ZipPackage package;
  package.add("[Content_Types].xml", std::string(kDeclaration) + kContentTypes);
  package.add("_rels/.rels", std::string(kDeclaration) + kRelationships);
  package.add("word/document.xml", body);
  return package.packed();
}

}  // namespace dietmt::service
