#include "service/documents/document_bytes.h"

#include <unicode/utf16.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/source_text.h"
#include "data/text/word_text.h"
#include "service/documents/document.h"
#include "service/documents/html_tags.h"
#include "service/documents/text_encoding.h"

namespace dietmt::service {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kUtf32Little = "\xFF\xFE\0\0"sv, kUtf32Big = "\0\0\xFE\xFF"sv;

bool is_utf32(std::string_view beginning) {
  return beginning.starts_with(kUtf32Little) || beginning.starts_with(kUtf32Big);
}

}  // namespace

bool is_utf16(std::string_view beginning) {
  return !is_utf32(beginning) &&
         (beginning.starts_with("\xFF\xFE") || beginning.starts_with("\xFE\xFF"));
}

std::string binary_reason(std::string_view beginning) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 4> kFormats{
      {{"%PDF-", "is a PDF file; send its text"},
       {"PK\x03\x04",
        "is a ZIP archive; the name of an office document must end in .docx, .pptx, .xlsx, "
        ".odt, .odp or .ods, of a book in .epub"},
       {"\x89PNG", "is a picture"},
       {"\x7F"
        "ELF",
        "is a program"}}};
  for (const auto& [magic, reason] : kFormats)
    if (beginning.starts_with(magic)) return reason;
  if (is_utf16(beginning)) return "";
  const size_t zero = beginning.find('\0');
  if (zero == beginning.npos) return "";
  // Every second byte of Western text in UTF-16 is zero.
  const auto zeros = static_cast<size_t>(std::count(beginning.begin(), beginning.end(), '\0'));
  if (zeros > beginning.size() / 4)
    return "seems to be UTF-16 without a byte-order mark; add the mark or send UTF-8";
  return "is binary: byte " + std::to_string(zero + 1) + " is zero";
}

std::string Utf16Decoder::decode(std::string_view bytes) {
  pending_ += bytes;
  size_t at = 0;
  if (!big_endian_ && pending_.size() >= 2) {
    big_endian_ = pending_.starts_with("\xFE\xFF");
    at = 2;
  }
  const auto unit = [&](size_t i) {
    const auto first = static_cast<unsigned char>(pending_[i]);
    const auto second = static_cast<unsigned char>(pending_[i + 1]);
    return static_cast<char16_t>(*big_endian_ ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  for (; at + 2 <= pending_.size(); at += 2) {
    const char16_t lead = unit(at);
    if (U16_IS_LEAD(lead)) {
      if (at + 4 > pending_.size()) break;
      const char16_t trail = unit(at + 2);
      if (U16_IS_TRAIL(trail)) {
        data::append_utf8(static_cast<char32_t>(U16_GET_SUPPLEMENTARY(lead, trail)), text);
        at += 2;
        continue;
      }
    }
    data::append_utf8(U16_IS_SURROGATE(lead) ? char32_t{0xFFFD} : char32_t{lead}, text);
  }
  pending_.erase(0, at);
  return text;
}

std::string_view without_utf8_mark(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return bytes.substr(bytes.starts_with(kMark) ? kMark.size() : 0);
}

std::string charset_of_bytes(std::string_view bytes, const std::string& language) {
  if (is_utf16(bytes) || is_utf32(bytes)) return "";
  bytes = without_utf8_mark(bytes);
  const size_t bad = invalid_utf8_at(bytes);
  if (bad == bytes.npos) return "";
  for (const std::string& likely : {declared_charset(bytes), detected_charset(bytes, language)})
    if (!likely.empty() && html_lower_case(likely) != "utf-8") return likely;
  throw DataError("the file is not valid UTF-8 at byte " + std::to_string(bad + 1) +
                  "; convert it to UTF-8, or give its charset");
}

std::string text_of_bytes(std::string_view bytes, const std::string& charset,
                          const std::string& language) {
  if (is_utf32(bytes)) return decoded(bytes, "UTF-32");
  const std::string reason = binary_reason(bytes);
  if (!reason.empty()) throw DataError("the file " + reason);
  if (is_utf16(bytes)) return Utf16Decoder().decode(bytes);
  bytes = without_utf8_mark(bytes);
  const std::string known = charset.empty() ? charset_of_bytes(bytes, language) : charset;
  return known.empty() ? std::string(bytes) : decoded(bytes, known);
}

std::string encoded_like(std::string_view beginning, const std::string& text) {
  const size_t mark = beginning.size() - without_utf8_mark(beginning).size();
  const bool is_wide = is_utf32(beginning);
  if (!is_wide && !is_utf16(beginning)) return std::string(beginning.substr(0, mark)) + text;
  const bool is_big_endian = beginning.starts_with("\xFE\xFF") || beginning.starts_with(kUtf32Big);
  std::string bytes(beginning.substr(0, is_wide ? 4 : 2));
  const auto add = [&](char32_t unit, int size) {
    for (int i = 0; i < size; ++i)
      bytes += static_cast<char>(unit >> (8 * (is_big_endian ? size - 1 - i : i)) & 0xFF);
  };
  for (const char32_t c : data::characters_of(text)) {
    if (is_wide || c <= 0xFFFF) {
      add(c, is_wide ? 4 : 2);
    } else {
      add(U16_LEAD(c), 2);
      add(U16_TRAIL(c), 2);
    }
  }
  return bytes;
}

TextForm form_of(std::string_view bytes) {
  if (is_utf16(bytes)) return form_of(Utf16Decoder().decode(bytes));
  TextForm form{.has_utf8_mark = without_utf8_mark(bytes).size() < bytes.size(),
                .ends_with_line = bytes.ends_with('\n')};
  for (size_t at = bytes.find('\n'); at != bytes.npos; at = bytes.find('\n', at + 1)) {
    form.has_crlf = at > 0 && bytes[at - 1] == '\r';
    if (!form.has_crlf) break;
  }
  return form;
}

std::string in_form(std::string_view bytes, const TextForm& form) {
  if (is_utf16(bytes)) {
    TextForm unmarked = form;
    unmarked.has_utf8_mark = false;
    return encoded_like(bytes, in_form(Utf16Decoder().decode(bytes), unmarked));
  }
  std::string result = form.has_utf8_mark ? "\xEF\xBB\xBF" : "";
  if (!form.ends_with_line && bytes.ends_with('\n')) bytes.remove_suffix(1);
  for (const char c : bytes) {
    if (c == '\n' && form.has_crlf) result += '\r';
    result += c;
  }
  return result;
}

void read_unpacked(const std::string& path, uint64_t limit,
                   const std::function<void(std::string_view)>& piece) {
  constexpr size_t kBlock = 1 << 16;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) throw DataError("the file cannot be read");
  std::string block(kBlock, '\0');
  uint64_t total = 0;
  while (const int count = gzread(file.get(), block.data(), kBlock)) {
    if (count < 0) throw DataError("the file is damaged gzip data");
    total += static_cast<uint64_t>(count);
    if (total > limit)
      throw DocumentTooLargeError("the file is longer than " + std::to_string(limit) +
                                  " bytes unpacked");
    piece(std::string_view(block).substr(0, static_cast<size_t>(count)));
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code != Z_OK) throw DataError("the file is damaged gzip data: it is cut short");
}

}  // namespace dietmt::service
