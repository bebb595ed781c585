#include "service/documents/xml_check.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "common/error.h"
#include "common/interruption.h"
#include "service/documents/document_bytes.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

// libxml2 2.9 compares each attribute with all earlier ones of its element, and each prefix with
// the namespaces of all enclosing elements. Word declares about 40.
constexpr size_t kMostAttributes = 256;
constexpr size_t kMostNamespaces = 256;
constexpr size_t kLongestNamespace = 1000;  // copies of an element copy its namespace
// Its table of names, namespaces and short texts stops growing at 4608 buckets.
constexpr size_t kMostWords = 50'000;
constexpr size_t kShortText = 3;
constexpr std::string_view kSpaces = " \t\r\n";

class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  void run() {
    for (at_ = text_.find('<'); at_ < text_.size(); at_ = next_tag()) {
      check_interruption();
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("<!--"))
        skip(4, "-->");
      else if (rest.starts_with("<![CDATA["))
        skip(9, "]]>");
      else if (rest.starts_with("<?"))
        skip_instruction();
      else if (rest.starts_with("<!"))
        read_doctype();
      else if (rest.starts_with("</"))
        end_element();
      else
        read_start_tag();
    }
  }

 private:
  void skip(size_t size, std::string_view end) {
    at_ = std::min(text_.find(end, at_ + size), text_.size());
  }

  void skip_instruction() {
    note(text_.substr(at_, text_.find_first_of(" \t\r\n?", at_ + 2) - at_));
    skip(2, "?>");
  }

  size_t next_tag() {
    const size_t next = text_.find('<', at_);
    if (next == text_.npos) return next;
    const size_t size = std::min(next, kShortText + 1);
    const std::string_view before = text_.substr(next - size, size);
    const size_t tag_end = before.rfind('>');
    if (tag_end != before.npos) note(before.substr(tag_end + 1));
    return next;
  }

  void note(std::string_view word) {
    words_.insert(word);
    if (words_.size() > kMostWords)
      fail("it has more than " + std::to_string(kMostWords) + " different names and short texts");
  }

  // Moves to the next of these characters outside quotes, or to the end of the text.
  char next_of(const char* characters) {
    at_ = std::min(text_.find_first_of(characters, at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::string_view quoted() {
    const size_t begin = at_ + 1;
    at_ = std::min(text_.find(text_[at_], begin), text_.size());
    const std::string_view value = text_.substr(begin, at_ - begin);
    ++at_;
    return value;
  }

  void read_doctype() {
    for (char c = next_of("\"'>["); c != '>' && c != '\0'; c = next_of("\"'>[")) {
      if (c == '[')
        fail("its DOCTYPE declares entities, attributes or elements; remove the part in [ ]");
      quoted();
    }
  }

  void end_element() {
    at_ += 2;
    if (open_.empty()) return;
    in_scope_ -= open_.back();
    open_.pop_back();
  }

  void read_start_tag() {
    size_t attributes = 0, namespaces = 0;
    bool is_namespace = false;
    size_t begin = ++at_;  // of an attribute
    note(text_.substr(begin, text_.find_first_of(" \t\r\n/>", begin) - begin));
    for (char c = next_of("=\"'>"); c != '>' && c != '\0'; c = next_of("=\"'>")) {
      if (c == '=') {
        if (++attributes > kMostAttributes)
          fail("an element has more than " + std::to_string(kMostAttributes) + " attributes");
        const std::string_view name = name_in(text_.substr(begin, at_ - begin));
        note(name);
        is_namespace = name.starts_with("xmlns");
        namespaces += is_namespace ? 1 : 0;
        if (in_scope_ + namespaces > kMostNamespaces)
          fail("an element and those around it declare more than " +
               std::to_string(kMostNamespaces) + " namespaces");
        ++at_;
        continue;
      }
      const std::string_view value = quoted();
      if (is_namespace && value.size() > kLongestNamespace)
        fail("a namespace has more than " + std::to_string(kLongestNamespace) + " bytes");
      if (is_namespace || value.size() <= kShortText) note(value);
      begin = at_;
    }
    if (at_ < text_.size() && text_[at_ - 1] == '/') return;
    in_scope_ += namespaces;
    open_.push_back(namespaces);
  }

  // The last word.
  static std::string_view name_in(std::string_view text) {
    text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
    return text.substr(text.find_last_of(kSpaces) + 1);
  }

  [[noreturn]] void fail(const std::string& problem) const {
    const auto line = 1 + std::ranges::count(text_.substr(0, at_), '\n');
    throw DataError("the XML is refused at line " + std::to_string(line) + ": " + problem);
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<size_t> open_;  // namespaces of each open element
  size_t in_scope_ = 0;       // their sum
  std::unordered_set<std::string_view> words_;
};

std::string declared_encoding(std::string_view text) {
  constexpr std::string_view kDeclaration = "<?xml";
  if (!text.starts_with(kDeclaration)) return "";
  const std::string_view declaration = text.substr(0, text.find("?>"));
  size_t at = kDeclaration.size();
  while (true) {
    const auto [name, value] = next_attribute(declaration, at);
    if (name.empty() || name == "encoding") return html_lower_case(value);
  }
}

// Whether each ASCII byte stands for itself anywhere in a tag.
bool keeps_ascii(std::string_view encoding) {
  constexpr std::string_view kNames[] = {"utf-8",     "utf8",     "us-ascii", "ascii", "latin1",
                                         "iso-8859-", "iso8859-", "windows-", "cp125", "koi8-",
                                         "shift_jis", "big5",     "euc-",     "gb"};
  return std::ranges::any_of(kNames,
                             [&](std::string_view name) { return encoding.starts_with(name); });
}

}  // namespace

void check_xml(std::string_view bytes) {
  const std::string reason = binary_reason(bytes.substr(0, 1 << 16));
  if (!reason.empty()) throw DataError("the XML " + reason);
  const bool is_wide = is_utf16(bytes);
  const std::string decoded = is_wide ? Utf16Decoder().decode(bytes) : "";
  std::string_view text = is_wide ? decoded : without_utf8_mark(bytes);
  const size_t first = text.find_first_not_of(kSpaces);
  if (first != text.npos && text[first] != '<')
    throw DataError("the file is not XML: it does not begin with <");
  const std::string encoding = declared_encoding(text);
  const bool fits = is_wide ? encoding == "utf-16" || encoding == "utf-8" : keeps_ascii(encoding);
  if (!encoding.empty() && !fits)
    throw DataError("the XML declares the encoding " + encoding +
                    ", which is not accepted here; convert it to UTF-8");
  XmlCheck(text).run();
}

}  // namespace dietmt::service
