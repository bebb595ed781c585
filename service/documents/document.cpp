#include "service/documents/document.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "common/error.h"
#include "nmt/alignment/text_shape.h"
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

bool stays_small(DocumentKind kind, size_t bytes) {
  constexpr size_t kSmallBytes = 4096;
  return bytes <= kSmallBytes && kind != DocumentKind::kDocx && kind != DocumentKind::kOdt;
}

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

void add_mark(std::string tag, nmt::MarkedText& text) {
  const auto number = static_cast<int32_t>(text.marks.size());
  text.marks.push_back(
      {.parts = {{std::move(tag), true, number}}, .at = static_cast<int32_t>(text.text.size())});
}

nmt::MarkedText join_lines(const nmt::MarkedText& text) {
  nmt::MarkedText joined{.text = {}, .marks = text.marks, .spellings = text.spellings};
  size_t begin = 0;
  const auto add_up_to = [&](size_t end) {
    std::string_view rest = std::string_view(text.text).substr(begin, end - begin);
    while (!rest.empty()) {
      const size_t word = std::min(rest.find_first_of(kWhiteSpace), rest.size());
      const size_t next = std::min(rest.find_first_not_of(kWhiteSpace, word), rest.size());
      const std::string_view spaces = rest.substr(word, next - word);
      joined.text += rest.substr(0, word);
      joined.text += spaces.find_first_of("\r\n") == spaces.npos ? spaces : " ";
      rest.remove_prefix(next);
    }
    begin = end;
  };
  for (nmt::InlineMark& mark : joined.marks) {
    add_up_to(static_cast<size_t>(mark.at));
    mark.at = static_cast<int32_t>(joined.text.size());
  }
  add_up_to(text.text.size());
  return joined;
}

Translation in_source_order(const nmt::MarkedText& text) {
  Translation parts;
  size_t begin = 0;
  const auto add_up_to = [&](size_t end) {
    if (end > begin) parts.push_back({text.text.substr(begin, end - begin)});
    begin = end;
  };
  for (const nmt::InlineMark& mark : text.marks) {
    add_up_to(static_cast<size_t>(mark.at));
    parts.push_back(mark.parts.front());
  }
  add_up_to(text.text.size());
  return parts;
}

bool has_all_marks(const Translation& translation, const nmt::MarkedText& segment) {
  std::vector<bool> seen(segment.marks.size());
  std::vector<int32_t> open;
  for (const nmt::MarkedPart& part : translation) {
    if (part.mark < 0) continue;
    const auto number = static_cast<size_t>(part.mark);
    if (number >= seen.size() || seen[number]) return false;
    seen[number] = true;
    const int32_t partner = segment.marks[number].partner;
    if (partner > part.mark) {
      open.push_back(partner);
    } else if (partner >= 0) {
      if (open.empty() || open.back() != part.mark) return false;
      open.pop_back();
    }
  }
  return std::ranges::find(seen, false) == seen.end();
}

std::string plain_text(const Translation& translation) {
  std::string text;
  for (const nmt::MarkedPart& part : translation)
    if (part.mark < 0) text += part.text;
  return text;
}

std::optional<SegmentPlace> add_segment(nmt::MarkedText text,
                                        std::vector<nmt::MarkedText>& segments) {
  if (!nmt::has_letter(text.text)) return std::nullopt;
  size_t begin = text.text.find_first_not_of(kWhiteSpace);
  size_t end = text.text.find_last_not_of(kWhiteSpace) + 1;
  if (!text.marks.empty()) {
    begin = std::min(begin, static_cast<size_t>(text.marks.front().at));
    end = std::max(end, static_cast<size_t>(text.marks.back().at));
  }
  SegmentPlace place{segments.size(), text.text.substr(0, begin), text.text.substr(end)};
  text.text = text.text.substr(begin, end - begin);
  for (nmt::InlineMark& mark : text.marks) mark.at -= static_cast<int32_t>(begin);
  segments.push_back(std::move(text));
  return place;
}

}  // namespace dietmt::service
