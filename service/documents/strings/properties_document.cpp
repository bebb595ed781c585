// Java's .properties, by the rules of java.util.Properties.load(): in UTF-8, or in Latin-1 with
// \uXXXX for other characters.
#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/source_text.h"
#include "data/text/word_text.h"
#include "service/documents/strings/strings_documents.h"
#include "service/documents/strings/utf16_escapes.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

constexpr char32_t kLastAscii = 0x7F;
constexpr char32_t kLastLatin1 = 0xFF;

std::string latin1_as_utf8(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) data::append_utf8(static_cast<unsigned char>(c), text);
  return text;
}

bool is_latin1(std::string_view bytes) {
  return invalid_utf8_at(bytes) != bytes.npos && bytes.find('\0') == bytes.npos;
}

class PropertiesDocument final : public ValuesDocument {
 public:
  PropertiesDocument(std::string_view bytes, bool is_latin1, const DocumentOptions& options)
      : ValuesDocument(is_latin1 ? latin1_as_utf8(bytes) : std::string(bytes),
                       LanguagePair{options.source, options.target}),
        is_latin1_(is_latin1) {
    if (!is_latin1_ && std::ranges::any_of(text(), [](char c) { return c < 0; }))
      last_character_ = 0x10FFFF;
    else if (is_latin1_)
      last_character_ = kLastLatin1;
    while (at_ < text().size()) read_line();
    finish();
  }

  std::string translated(const std::vector<Translation>& translations) override {
    const std::string utf8 = ValuesDocument::translated(translations);
    if (!is_latin1_) return utf8;
    std::string bytes;
    for (const char32_t c : data::characters_of(utf8)) bytes += static_cast<char>(c);
    return bytes;
  }

 private:
  static constexpr const char* kBlanks = " \t\f";

  void skip_blanks() { at_ = std::min(text().find_first_not_of(kBlanks, at_), text().size()); }

  bool is_at(const char* characters) const {
    return at_ < text().size() &&
           std::string_view(characters).find(text()[at_]) != std::string::npos;
  }

  // The end of the physical line.
  size_t line_end() const { return std::min(text().find_first_of("\r\n", at_), text().size()); }

  void read_line() {
    skip_blanks();
    if (is_at("#!")) at_ = line_end();
    if (at_ == text().size() || is_at("\r\n")) {
      at_ = std::min(at_ + 1, text().size());
      return;
    }
    while (at_ < text().size() && !is_at("=: \t\f\r\n")) pass_character();
    skip_blanks();
    if (is_at("=:")) ++at_;
    skip_blanks();
    const size_t begin = at_;
    while (at_ < text().size() && !is_at("\r\n")) pass_character();
    add(begin);
  }

  // An escape is one character, also that of a line end.
  void pass_character() {
    const bool is_escape = text()[at_] == '\\';
    ++at_;
    if (!is_escape || at_ == text().size()) return;
    at_ += text().compare(at_, 2, "\r\n") == 0 ? 2 : 1;
  }

  void add(size_t begin) {
    std::string value = unescaped(begin);
    const auto as_written = [last = last_character_](const std::string& text) {
      return escaped(text, last);
    };
    if (add_message(begin, at_, value, as_written)) return;
    // java.text.MessageFormat reads two apostrophes as one. A quoted brace stays as it is.
    const bool is_message = value.find("''") != value.npos ||
                            (value.find('\'') == value.npos && has_numbered_argument(value));
    const bool has_quotes = value.find("'{") != value.npos;
    const bool doubles = is_message && !has_quotes;
    if (doubles) boost::replace_all(value, "''", "'");
    add_value(begin, at_, {.text = std::move(value), .marks = {}},
              [doubles, last = last_character_](const std::string& text) {
                std::string message = text;
                if (doubles) boost::replace_all(message, "'", "''");
                return escaped(message, last);
              });
  }

  std::string unescaped(size_t begin) const {
    const std::string_view raw = std::string_view(text()).substr(0, at_);
    std::string value;
    for (size_t i = begin; i < raw.size(); ++i) {
      if (raw[i] != '\\' || i + 1 == raw.size()) {
        if (raw[i] != '\\') value += raw[i];
        continue;
      }
      const char c = raw[++i];
      if (c == 'u') {
        const auto size = append_utf16_escape(raw.substr(i + 1), value);
        if (!size) fail(i, "\\u needs four hexadecimal digits");
        i += *size;
      } else if (c == '\r' || c == '\n') {
        if (raw.substr(i).starts_with("\r\n")) ++i;
        i = std::min(raw.find_first_not_of(kBlanks, i + 1), raw.size()) - 1;
      } else {
        value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'f' ? '\f' : c;
      }
    }
    return value;
  }

  // `last`: the last character that is written as itself.
  static std::string escaped(const std::string& text, char32_t last) {
    std::string raw;
    for (const char32_t c : data::characters_of(text)) {
      if (c > last)
        raw += utf16_escape(c);
      else if (c == '\\' || (c == ' ' && raw.empty()))
        raw += std::string{'\\', static_cast<char>(c)};
      else if (c == '\n' || c == '\t' || c == '\r' || c == '\f')
        raw += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\f";
      else
        data::append_utf8(c, raw);
    }
    return raw;
  }

  bool is_latin1_;
  char32_t last_character_ = kLastAscii;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Document> open_properties(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<PropertiesDocument>(bytes, is_latin1(bytes), options);
}

}  // namespace dietmt::service
