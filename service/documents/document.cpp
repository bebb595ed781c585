#include "service/documents/document.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "common/error.h"
#include "service/documents/document_bytes.h"
#include "service/documents/document_kinds.h"

namespace dietmt::service {
namespace {

struct Kind {
  DocumentKind kind;
  const char* name;
  const char* media_type;
};

constexpr std::array<Kind, 8> kKinds{
    {{DocumentKind::kTxt, "txt", "text/plain; charset=utf-8"},
     {DocumentKind::kHtml, "html", "text/html; charset=utf-8"},
     {DocumentKind::kSrt, "srt", "application/x-subrip"},
     {DocumentKind::kPo, "po", "text/x-gettext-translation; charset=utf-8"},
     {DocumentKind::kTmx, "tmx", "application/x-tmx+xml"},
     {DocumentKind::kXliff, "xliff", "application/xliff+xml"},
     {DocumentKind::kDocx, "docx",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
     {DocumentKind::kOdt, "odt", "application/vnd.oasis.opendocument.text"}}};

// Other extensions of these kinds.
constexpr std::array<std::pair<const char*, DocumentKind>, 4> kAliases{
    {{"htm", DocumentKind::kHtml},
     {"xhtml", DocumentKind::kHtml},
     {"pot", DocumentKind::kPo},
     {"xlf", DocumentKind::kXliff}}};

constexpr const char* kWhiteSpace = " \t\r\n";

const Kind& entry_of(DocumentKind kind) { return kKinds.at(static_cast<size_t>(kind)); }

}  // namespace

const char* name_of(DocumentKind kind) { return entry_of(kind).name; }

const char* media_type_of(DocumentKind kind) { return entry_of(kind).media_type; }

std::optional<DocumentKind> document_kind(std::string_view name) {
  for (const Kind& one : kKinds)
    if (name == one.name) return one.kind;
  return std::nullopt;
}

std::optional<DocumentKind> kind_of_file(std::string_view file_name) {
  const size_t dot = file_name.rfind('.');
  if (dot == file_name.npos) return std::nullopt;
  std::string extension(file_name.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [alias, kind] : kAliases)
    if (extension == alias) return kind;
  return document_kind(extension);
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
    for (const std::string& name : document_names()) extensions.push_back("." + name);
    for (const auto& [alias, kind] : kAliases) extensions.push_back(std::string(".") + alias);
    return extensions;
  }();
  return all;
}

std::unique_ptr<Document> open_document(DocumentKind kind, std::string_view bytes,
                                        const DocumentLanguages& languages,
                                        const DocumentLimits& limits) {
  if (bytes.size() > limits.bytes)
    throw DocumentTooLargeError("the file is longer than " + std::to_string(limits.bytes) +
                                " bytes");
  switch (kind) {
    case DocumentKind::kTmx:
      return open_tmx(bytes, languages, limits);
    case DocumentKind::kXliff:
      return open_xliff(bytes, languages, limits);
    case DocumentKind::kDocx:
    case DocumentKind::kOdt:
      return open_office(kind, bytes, limits);
    default:
      break;
  }
  const std::string text = text_of_bytes(bytes);
  if (kind == DocumentKind::kHtml) return open_html(text);
  if (kind == DocumentKind::kSrt) return open_srt(text);
  return kind == DocumentKind::kPo ? open_po(text) : open_txt(text);
}

bool has_letter(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  for (int64_t at = 0; at < end;) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, end, character);
    if (character >= 0 && u_isalpha(character)) return true;
  }
  return false;
}

std::string join_lines(std::string_view text) {
  std::string joined;
  while (!text.empty()) {
    const size_t word = std::min(text.find_first_of(kWhiteSpace), text.size());
    const size_t end = std::min(text.find_first_not_of(kWhiteSpace, word), text.size());
    const std::string_view spaces = text.substr(word, end - word);
    joined += text.substr(0, word);
    joined += spaces.find_first_of("\r\n") == spaces.npos ? spaces : " ";
    text.remove_prefix(end);
  }
  return joined;
}

std::optional<SegmentPlace> add_segment(std::string_view text, std::vector<std::string>& segments) {
  if (!has_letter(text)) return std::nullopt;
  const size_t begin = text.find_first_not_of(kWhiteSpace);
  const size_t end = text.find_last_not_of(kWhiteSpace) + 1;
  segments.emplace_back(text.substr(begin, end - begin));
  return SegmentPlace{segments.size() - 1, std::string(text.substr(0, begin)),
                      std::string(text.substr(end))};
}

}  // namespace dietmt::service
