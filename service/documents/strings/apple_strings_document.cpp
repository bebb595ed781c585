// .strings of macOS and iOS: "key" = "value"; with comments, in UTF-8 or UTF-16.
#include <algorithm>
#include <cctype>
#include <utility>

#include "data/text/source_text.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/utf16_escapes.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

class AppleStringsDocument final : public ValuesDocument {
 public:
  AppleStringsDocument(std::string_view bytes, const DocumentOptions& options)
      : ValuesDocument(bytes, LanguagePair{options.source, options.target}) {
    skip_space();
    if (at_ == text().size()) fail(0, "the file has no string (\"key\" = \"value\";)");
    for (; at_ < text().size(); skip_space()) {
      read_word("a key");
      skip_space();
      if (is_at('=')) {
        ++at_;
        skip_space();
        const auto [begin, end] = read_word("a value");
        if (text()[begin] == '"') add(begin + 1, end - 1);
        skip_space();
      }
      if (!is_at(';')) fail(at_, "a semicolon is missing after a string");
      ++at_;
    }
    finish();
  }

 private:
  bool is_at(char c) const { return at_ < text().size() && text()[at_] == c; }

  // White space and comments.
  void skip_space() {
    while (at_ < text().size()) {
      if (text().compare(at_, 2, "//") == 0) {
        at_ = std::min(text().find('\n', at_), text().size());
      } else if (text().compare(at_, 2, "/*") == 0) {
        const size_t end = text().find("*/", at_ + 2);
        if (end == std::string::npos) fail(at_, "the comment has no end");
        at_ = end + 2;
      } else if (std::isspace(static_cast<unsigned char>(text()[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  // A string in quotes, or a word without. Returns its bytes.
  std::pair<size_t, size_t> read_word(const std::string& what) {
    const size_t begin = at_;
    if (!is_at('"')) {
      at_ = std::min(text().find_first_of(" \t\r\n=;\"/", at_), text().size());
      if (at_ == begin) fail(at_, what + " is missing");
      return {begin, at_};
    }
    for (++at_; at_ < text().size() && text()[at_] != '"'; ++at_)
      if (text()[at_] == '\\') ++at_;
    if (at_ >= text().size()) fail(begin, "the string has no closing quote");
    return {begin, ++at_};
  }

  void add(size_t begin, size_t end) {
    const std::string_view raw = std::string_view(text()).substr(0, end);
    std::string value;
    for (size_t i = begin; i < end; ++i) {
      if (raw[i] != '\\' || i + 1 == end) {
        value += raw[i];
        continue;
      }
      const char c = raw[++i];
      if (c == 'u' || c == 'U') {
        const auto size = append_utf16_escape(raw.substr(i + 1), value);
        if (!size) fail(i, std::string("\\") + c + " needs four hexadecimal digits");
        i += *size;
      } else {
        value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      }
    }
    add_value(begin, end, {.text = std::move(value), .marks = {}}, escaped);
  }

  static std::string escaped(const std::string& text) {
    std::string raw;
    for (const char c : text) {
      if (c == '"' || c == '\\')
        raw += std::string{'\\', c};
      else if (c == '\n' || c == '\t' || c == '\r')
        raw += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
      else
        raw += c;
    }
    return raw;
  }

  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Document> open_strings(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<AppleStringsDocument>(bytes, options);
}

}  // namespace dietmt::service
