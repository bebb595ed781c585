// GNU gettext catalogues: messages without a translation get one. libgettextpo is under the GPL,
// which this program is not, so the few rules of the format are implemented here.
#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"
#include "service/documents/document.h"
#include "service/documents/document_kinds.h"

namespace dietmt::service {
namespace {

constexpr std::pair<char, char> kEscapes[] = {{'n', '\n'}, {'t', '\t'},  {'r', '\r'},
                                              {'"', '"'},  {'\\', '\\'}, {'a', '\a'},
                                              {'b', '\b'}, {'f', '\f'},  {'v', '\v'}};

std::string_view without_spaces(std::string_view line) { return trimmed(line, " \t\r\n"); }

// The content of a quoted string. Throws DataError.
std::string unquoted(std::string_view quoted) {
  if (!quoted.starts_with('"')) throw DataError("a quoted string is missing");
  std::string text;
  for (size_t i = 1; i < quoted.size(); ++i) {
    if (quoted[i] == '"') {
      if (i + 1 < quoted.size()) throw DataError("there is text after the quoted string");
      return text;
    }
    if (quoted[i] != '\\') {
      text += quoted[i];
      continue;
    }
    if (++i == quoted.size()) break;
    const auto* const escape =
        std::ranges::find(kEscapes, quoted[i], &std::pair<char, char>::first);
    if (escape == std::end(kEscapes))
      throw DataError(std::string("the escape \\") + quoted[i] + " is not known");
    text += escape->second;
  }
  throw DataError("the string has no closing quote");
}

std::string in_quotes(std::string_view text) {
  std::string line = "\"";
  for (const char c : text) {
    char letter = 0;
    for (const auto& [name, character] : kEscapes)
      if (c == character) letter = name;
    line += letter == 0 ? std::string(1, c) : std::string{'\\', letter};
  }
  return line + "\"";
}

// A keyword with its strings, such as msgstr[1] "a" "b".
struct Field {
  size_t first_line = 0;
  std::string text;
};

class PoDocument final : public Document {
 public:
  explicit PoDocument(std::string_view text) {
    while (!text.empty()) {
      const size_t newline = text.find('\n');
      const size_t size = newline == text.npos ? text.size() : newline + 1;
      lines_.emplace_back(text.substr(0, size));
      text.remove_prefix(size);
    }
    bool has_messages = false;
    while (at_ < lines_.size()) has_messages = read_message() || has_messages;
    if (!has_messages) throw DataError("the file has no message (msgid \"...\")");
  }

  std::string translated(const std::vector<Translation>& translations) override {
    for (const auto& [number, keyword, place] : slots_) {
      std::string& line = lines_[number];
      const std::string end = line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
      line = keyword + " " +
             in_quotes(place.before + plain_text(translations.at(place.segment)) + place.after) +
             end;
    }
    std::string text;
    for (const std::string& line : lines_) text += line;
    return text;
  }

 private:
  struct Slot {
    size_t line;
    std::string keyword;
    SegmentPlace place;
  };

  // Reads the fields from line at_ up to the end of a message. Returns whether there is one. Throws
  // DataError naming the line.
  bool read_message() {
    std::map<std::string, Field> fields;
    Field* last = nullptr;
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view line = without_spaces(lines_[at_]);
      if (line.starts_with('"')) {
        if (last == nullptr) fail("a string without a keyword before it");
        last->text += string_in(line);
        continue;
      }
      if (line.empty() || line.starts_with('#') || line.starts_with("domain")) continue;
      const std::string keyword(line.substr(0, line.find_first_of(" \t\"")));
      const bool begins = keyword == "msgid" || keyword == "msgctxt";
      if (begins && has_translation(fields)) break;
      check_order(keyword, fields);
      last = &fields[keyword];
      last->first_line = at_;
      last->text = string_in(without_spaces(line.substr(keyword.size())));
    }
    if (fields.empty()) return false;
    if (!has_translation(fields)) fail("the message before this line has no msgstr");
    add(fields);
    return true;
  }

  static bool has_translation(const std::map<std::string, Field>& fields) {
    return fields.contains("msgstr") || fields.contains("msgstr[0]");
  }

  // msgctxt, msgid, msgid_plural, msgstr or msgstr[0], msgstr[1] and so on.
  void check_order(const std::string& keyword, const std::map<std::string, Field>& fields) const {
    const bool is_known = keyword == "msgctxt" || keyword == "msgid" || keyword == "msgid_plural" ||
                          keyword == "msgstr" ||
                          (keyword.starts_with("msgstr[") && keyword.ends_with("]"));
    if (!is_known) fail("this is neither a comment nor a keyword such as msgid");
    if (fields.contains(keyword)) fail(keyword + " occurs twice in a message");
    const bool begins = keyword == "msgctxt" || keyword == "msgid";
    if (!begins && !fields.contains("msgid")) fail(keyword + " without a msgid before it");
    if (keyword == "msgctxt" && fields.contains("msgid")) fail("msgctxt after its msgid");
    constexpr size_t kMostFields = 13;  // ten plural forms; no language has more than six
    if (fields.size() == kMostFields) fail("a message has more than ten plural forms");
  }

  std::string string_in(std::string_view text) const {
    try {
      return unquoted(text);
    } catch (const DataError& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError("line " + std::to_string(std::min(at_ + 1, lines_.size())) + ": " + problem);
  }

  void add(const std::map<std::string, Field>& fields) {
    const Field& id = fields.at("msgid");
    if (id.text.empty()) return check_charset(fields);  // the header
    const Field& many = fields.contains("msgid_plural") ? fields.at("msgid_plural") : id;
    // The only form of a language such as Japanese is used for all numbers.
    const Field& first = fields.contains("msgstr[1]") ? id : many;
    for (const auto& [keyword, field] : fields) {
      if (!keyword.starts_with("msgstr") || !field.text.empty()) continue;
      const Field& source = keyword == "msgstr[0]" ? first : many;
      if (auto place = add_segment({.text = source.text, .marks = {}}, segments_))
        slots_.push_back({field.first_line, keyword, *std::move(place)});
    }
  }

  // The file is read and written as UTF-8. Templates and ASCII catalogues are changed to declare
  // that.
  void check_charset(const std::map<std::string, Field>& fields) {
    constexpr std::string_view kName = "charset=";
    const auto header = fields.find("msgstr");
    if (header == fields.end() || fields.contains("msgctxt")) return;
    for (size_t number = header->second.first_line; number < at_; ++number) {
      std::string& line = lines_[number];
      const size_t name = line.find(kName);
      if (name == line.npos) continue;
      const size_t begin = name + kName.size();
      const size_t size = std::min(line.find_first_of("\\\"; \t", begin), line.size()) - begin;
      std::string charset = line.substr(begin, size);
      std::ranges::transform(charset, charset.begin(),
                             [](unsigned char c) { return std::toupper(c); });
      if (charset == "CHARSET" || charset == "ASCII" || charset == "US-ASCII")
        line.replace(begin, size, "UTF-8");
      else if (charset != "UTF-8" && charset != "UTF8")
        throw DataError("line " + std::to_string(number + 1) +
                        ": the header declares the charset " + charset +
                        "; convert the catalogue to UTF-8 (msgconv --to-code=UTF-8)");
    }
  }

  size_t at_ = 0;  // the line being read
  std::vector<std::string> lines_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Document> open_po(const std::string& text) {
  return std::make_unique<PoDocument>(text);
}

}  // namespace dietmt::service
