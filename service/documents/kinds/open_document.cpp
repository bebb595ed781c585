#include "service/documents/kinds/open_document.h"

#include <algorithm>
#include <array>
#include <boost/algorithm/string/case_conv.hpp>

#include "service/documents/document_bytes.h"
#include "service/documents/document_kinds.h"
#include "service/documents/office/office_document.h"
#include "service/documents/pages/pages_documents.h"
#include "service/documents/pdf/pdf_document.h"
#include "service/documents/pdf/pdf_pages.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/subtitles/subtitle_documents.h"

namespace dietmt::service {
namespace {

struct File {
  DocumentKind kind;
  std::string_view bytes;
  const DocumentOptions& options;
  const DocumentLimits& limits;
};

using Opened = std::unique_ptr<Document>;

struct Kind {
  DocumentKind kind;
  const char* name;
  const char* media_type;
  Opened (*open)(const File& file);
};

std::string text_of_file(const File& file) {
  return text_of_bytes(file.bytes, file.options.charset, file.options.source);
}

template <Opened open(const std::string& text)>
Opened of_text(const File& file) {
  return open(text_of_file(file));
}

template <Opened open(const std::string& text, const DocumentOptions& options)>
Opened of_text_and_options(const File& file) {
  return open(text_of_file(file), file.options);
}

template <Opened open(std::string_view, const DocumentOptions&, const DocumentLimits&)>
Opened of_xml(const File& file) {
  return open(file.bytes, file.options, file.limits);
}

template <Opened open(std::string_view bytes, const DocumentOptions& options)>
Opened of_bytes_and_options(const File& file) {
  return open(file.bytes, file.options);
}

Opened of_archive(const File& file) {
  return open_office(file.kind, name_of(file.kind), file.bytes, file.options, file.limits);
}

// In the order of the enumeration.
constexpr std::array<Kind, 29> kKinds{
    {{DocumentKind::kTxt, "txt", "text/plain; charset=utf-8", of_text_and_options<open_txt>},
     {DocumentKind::kHtml, "html", "text/html; charset=utf-8", of_text_and_options<open_html>},
     {DocumentKind::kSrt, "srt", "application/x-subrip", of_bytes_and_options<open_srt>},
     {DocumentKind::kPo, "po", "text/x-gettext-translation; charset=utf-8",
      of_text_and_options<open_po>},
     {DocumentKind::kTmx, "tmx", "application/x-tmx+xml", of_xml<open_tmx>},
     {DocumentKind::kXliff, "xliff", "application/xliff+xml", of_xml<open_xliff>},
     {DocumentKind::kDocx, "docx",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document", of_archive},
     {DocumentKind::kOdt, "odt", "application/vnd.oasis.opendocument.text", of_archive},
     {DocumentKind::kProperties, "properties", "text/x-java-properties",
      of_bytes_and_options<open_properties>},
     {DocumentKind::kJson, "json", "application/json", of_bytes_and_options<open_json>},
     {DocumentKind::kArb, "arb", "application/json", of_bytes_and_options<open_arb>},
     {DocumentKind::kAndroid, "xml", "application/xml", of_xml<open_android>},
     {DocumentKind::kStrings, "strings", "text/plain", of_bytes_and_options<open_strings>},
     {DocumentKind::kStringsdict, "stringsdict", "application/xml", of_xml<open_stringsdict>},
     {DocumentKind::kResx, "resx", "application/xml", of_xml<open_resx>},
     {DocumentKind::kTs, "ts", "application/xml", of_xml<open_ts>},
     {DocumentKind::kYaml, "yaml", "application/yaml", of_bytes_and_options<open_yaml>},
     {DocumentKind::kCsv, "csv", "text/csv", of_bytes_and_options<open_csv>},
     {DocumentKind::kTsv, "tsv", "text/tab-separated-values", of_bytes_and_options<open_tsv>},
     {DocumentKind::kVtt, "vtt", "text/vtt", of_bytes_and_options<open_vtt>},
     {DocumentKind::kAss, "ass", "text/x-ssa", of_bytes_and_options<open_ass>},
     {DocumentKind::kPptx, "pptx",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation", of_archive},
     {DocumentKind::kXlsx, "xlsx",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", of_archive},
     {DocumentKind::kOdp, "odp", "application/vnd.oasis.opendocument.presentation", of_archive},
     {DocumentKind::kOds, "ods", "application/vnd.oasis.opendocument.spreadsheet", of_archive},
     {DocumentKind::kEpub, "epub", "application/epub+zip", of_xml<open_epub>},
     {DocumentKind::kMarkdown, "md", "text/markdown; charset=utf-8",
      of_bytes_and_options<open_markdown>},
     {DocumentKind::kPdf, "pdf",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document", of_xml<open_pdf>},
     {DocumentKind::kStringCatalog, "xcstrings", "application/json", of_xml<open_string_catalog>}}};

// Other extensions of these kinds.
constexpr std::array<std::pair<const char*, DocumentKind>, 11> kAliases{
    {{"htm", DocumentKind::kHtml},
     {"xhtml", DocumentKind::kHtml},
     {"markdown", DocumentKind::kMarkdown},
     {"mdx", DocumentKind::kMarkdown},
     {"pot", DocumentKind::kPo},
     {"xlf", DocumentKind::kXliff},
     {"sdlxliff", DocumentKind::kXliff},
     {"mxliff", DocumentKind::kXliff},
     {"mqxliff", DocumentKind::kXliff},
     {"yml", DocumentKind::kYaml},
     {"ssa", DocumentKind::kAss}}};

const Kind& entry_of(DocumentKind kind) { return kKinds.at(static_cast<size_t>(kind)); }

}  // namespace

const char* name_of(DocumentKind kind) { return entry_of(kind).name; }

const char* media_type_of(DocumentKind kind) { return entry_of(kind).media_type; }

bool stays_small(DocumentKind kind, size_t bytes) {
  constexpr size_t kSmallBytes = 4096;
  const auto open = entry_of(kind).open;
  return bytes <= kSmallBytes && open != of_archive && open != of_xml<open_epub> &&
         open != of_xml<open_pdf>;
}

bool is_bilingual(DocumentKind kind) {
  return kind == DocumentKind::kTmx || kind == DocumentKind::kXliff;
}

std::optional<DocumentKind> document_kind(std::string_view name) {
  for (const Kind& one : kKinds)
    if (name == one.name) return one.kind;
  return std::nullopt;
}

std::optional<DocumentKind> kind_of_file(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  if (dot == file_name.npos) return std::nullopt;
  const std::string extension =
      boost::algorithm::to_lower_copy(std::string(file_name.substr(dot + 1)));
  for (const auto& [alias, kind] : kAliases)
    if (extension == alias) return kind;
  return document_kind(extension);
}

std::string translated_name(std::string name, DocumentKind kind) {
  if (kind == DocumentKind::kPdf) {
    const size_t dot = boost::algorithm::to_lower_copy(name).rfind(".pdf");
    if (dot != name.npos) name.replace(dot, 4, ".docx");
  }
  return name;
}

const std::vector<std::string>& document_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Kind& one : kKinds) names.emplace_back(one.name);
    return names;
  }();
  return all;
}

const std::vector<std::string>& document_extensions() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> extensions;
    for (const std::string& name : document_names())
      if (name != name_of(DocumentKind::kPdf) || can_read_pdf()) extensions.push_back("." + name);
    for (const auto& [alias, kind] : kAliases) extensions.push_back(std::string(".") + alias);
    return extensions;
  }();
  return all;
}

std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentOptions& options,
                                        const DocumentLimits& limits) {
  if (bytes.size() > limits.bytes)
    throw DocumentTooLargeError("the file is longer than " + std::to_string(limits.bytes) +
                                " bytes");
  auto document = entry_of(kind).open({kind, bytes, options, limits});
  constexpr std::array kRead = {DocumentKind::kTxt, DocumentKind::kHtml, DocumentKind::kPo,
                                DocumentKind::kSrt, DocumentKind::kVtt,  DocumentKind::kAss,
                                DocumentKind::kCsv, DocumentKind::kTsv};
  if (options.charset.empty() && std::ranges::find(kRead, kind) != kRead.end())
    document->note_charset(charset_of_bytes(bytes, options.source));
  return document;
}

}  // namespace dietmt::service
