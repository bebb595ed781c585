// Catalogues of GNU gettext: messages without a translation get one. libgettextpo is under the GPL,
// which this program is not, so the few rules of the format are here.
#include <map>
#include <utility>

#include "common/error.h"
#include "service/documents/document.h"
#include "service/documents/document_kinds.h"

namespace dietmt::service {
namespace {

constexpr std::pair<char, char> kEscapes[] = {
    {'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'"', '"'}, {'\\', '\\'}};

// The content of the quoted string at the end of a line; nothing if there is none, or it has an
// escape that gettext seldom writes.
std::optional<std::string> unquoted(std::string_view line) {
  const size_t begin = line.find('"');
  const size_t end = line.rfind('"');
  if (begin == line.npos || begin == end) return std::nullopt;
  const std::string_view quoted = line.substr(begin + 1, end - begin - 1);
  std::string text;
  for (size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      text += quoted[i];
      continue;
    }
    if (++i == quoted.size()) return std::nullopt;
    const size_t before = text.size();
    for (const auto& [letter, character] : kEscapes)
      if (quoted[i] == letter) text += character;
    if (text.size() == before) return std::nullopt;
  }
  return text;
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
  size_t lines = 0;
  std::string text;
  bool is_readable = true;
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
    for (size_t at = 0; at < lines_.size();) has_messages = read_message(at) || has_messages;
    if (!has_messages) throw DataError("the file has no message (msgid \"...\")");
  }

  std::string translated(const std::vector<std::string>& translations) override {
    for (const Slot& slot : slots_) {
      std::string& line = lines_[slot.line];
      const std::string end = line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
      line = slot.keyword + " " + in_quotes(slot.place.filled(translations)) + end;
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

  // Reads the fields from line `at` up to the end of a message, and moves `at` there. True if there
  // is one.
  bool read_message(size_t& at) {
    std::map<std::string, Field> fields;
    Field* last = nullptr;
    for (; at < lines_.size(); ++at) {
      const std::string_view line = lines_[at];
      if (line.starts_with('"') && last != nullptr) {
        extend(*last, line);
        continue;
      }
      last = nullptr;
      if (!line.starts_with("msg")) {
        if (fields.empty()) continue;
        break;
      }
      const std::string keyword(line.substr(0, line.find_first_of(" \t\"\r\n")));
      const bool begins = keyword == "msgid" || keyword == "msgctxt";
      if (begins && fields.contains("msgstr")) break;
      if (begins && fields.contains("msgstr[0]")) break;
      last = &fields[keyword];
      last->first_line = at;
      extend(*last, line);
    }
    if (!fields.contains("msgid")) return false;
    add(fields);
    return true;
  }

  static void extend(Field& field, std::string_view line) {
    const auto text = unquoted(line);
    field.is_readable = field.is_readable && text.has_value();
    field.text += text.value_or("");
    ++field.lines;
  }

  void add(const std::map<std::string, Field>& fields) {
    const Field& id = fields.at("msgid");
    if (id.text.empty()) return;  // the header
    const auto plural = fields.find("msgid_plural");
    for (const auto& [keyword, field] : fields) {
      if (!keyword.starts_with("msgstr") || !field.text.empty() || !field.is_readable) continue;
      const bool is_one = keyword == "msgstr" || keyword == "msgstr[0]";
      const Field& source = is_one || plural == fields.end() ? id : plural->second;
      if (!source.is_readable || field.lines != 1) continue;
      if (auto place = add_segment(source.text, segments_))
        slots_.push_back({field.first_line, keyword, *std::move(place)});
    }
  }

  std::vector<std::string> lines_;
  std::vector<Slot> slots_;
};

}  // namespace

std::unique_ptr<Document> open_po(const std::string& text) {
  return std::make_unique<PoDocument>(text);
}

}  // namespace dietmt::service
