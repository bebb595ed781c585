#include "service/documents/po_messages.h"

#include <algorithm>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kPoSpaces = " \t\r\n";

constexpr std::pair<char, char> kEscapes[] = {{'n', '\n'}, {'t', '\t'},  {'r', '\r'},
                                              {'"', '"'},  {'\\', '\\'}, {'a', '\a'},
                                              {'b', '\b'}, {'f', '\f'},  {'v', '\v'}};

// Removes a quoted string from the start of `line` and returns its content. Throws DataError.
std::string take_string(std::string_view& line) {
  if (!line.starts_with('"')) throw DataError("a quoted string is missing");
  std::string text;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '"') {
      line = trimmed(line.substr(i + 1), kPoSpaces);
      return text;
    }
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    if (++i == line.size()) break;
    const auto* const escape = std::ranges::find(kEscapes, line[i], &std::pair<char, char>::first);
    if (escape == std::end(kEscapes))
      throw DataError(std::string("the escape \\") + line[i] + " is not known");
    text += escape->second;
  }
  throw DataError("the string has no closing quote");
}

// The content of one or more quoted strings.
std::string unquoted(std::string_view line) {
  std::string text = take_string(line);
  while (line.starts_with('"')) text += take_string(line);
  if (!line.empty()) throw DataError("there is text after the quoted string");
  return text;
}

// Where the next keyword begins on a line, after the strings of one; npos if none does.
size_t next_keyword(std::string_view line) {
  bool has_string = false, is_inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      has_string = has_string || is_inside;
      is_inside = !is_inside;
    } else if (is_inside && line[i] == '\\') {
      ++i;
    } else if (has_string && !is_inside && line[i] == 'm') {
      return i;
    }
  }
  return line.npos;
}

class PoReader {
 public:
  explicit PoReader(std::vector<std::string>& lines) : lines_(lines) { split_lines(); }

  std::vector<PoMessage> all() {
    std::vector<PoMessage> messages;
    while (at_ < lines_.size()) {
      PoMessage message = next();
      if (!message.fields.empty()) messages.push_back(std::move(message));
    }
    if (messages.empty()) throw DataError("the file has no message (msgid \"...\")");
    return messages;
  }

 private:
  // Each keyword begins a line.
  void split_lines() {
    std::vector<std::string> split;
    for (size_t number = 1; number <= lines_.size(); ++number) {
      std::string_view rest = lines_[number - 1];
      const bool is_comment = trimmed(rest, kPoSpaces).starts_with('#');
      for (size_t at = 0; !rest.empty(); rest.remove_prefix(at)) {
        at = is_comment ? rest.npos : next_keyword(rest);
        split.emplace_back(rest.substr(0, at));
        numbers_.push_back(number);
        if (at == rest.npos) break;
        split.back() = std::string(trimmed(split.back(), kPoSpaces)) + "\n";
      }
    }
    lines_ = std::move(split);
  }

  // Reads from line at_ up to the next message.
  PoMessage next() {
    PoMessage message;
    PoField* last = nullptr;
    for (; at_ < lines_.size(); ++at_) {
      const std::string_view line = trimmed(lines_[at_], kPoSpaces);
      if (line.starts_with('"')) {
        if (last == nullptr) fail("a string without a keyword before it");
        last->text += string_in(line);
        last->last_line = at_;
        continue;
      }
      if (line.starts_with("#,")) flag_lines_.push_back(at_);
      if (line.empty() || line.starts_with('#') || line.starts_with("domain")) continue;
      const std::string keyword(line.substr(0, line.find_first_of(" \t\"")));
      const bool begins = keyword == "msgid" || keyword == "msgctxt";
      if (begins && has_translation(message)) break;
      check_order(keyword, message);
      if (message.fields.empty()) {
        message.first_line = at_;
        message.flag_lines = std::exchange(flag_lines_, {});
      }
      last = &message.fields[keyword];
      *last = {at_, at_, string_in(trimmed(line.substr(keyword.size()), kPoSpaces))};
    }
    if (!message.fields.empty() && !has_translation(message))
      fail("the message before this line has no msgstr");
    return message;
  }

  static bool has_translation(const PoMessage& message) {
    return message.has("msgstr") || message.has("msgstr[0]");
  }

  // msgctxt, msgid, msgid_plural, msgstr or msgstr[0], msgstr[1] and so on.
  void check_order(const std::string& keyword, const PoMessage& message) const {
    const bool is_known = keyword == "msgctxt" || keyword == "msgid" || keyword == "msgid_plural" ||
                          keyword == "msgstr" ||
                          (keyword.starts_with("msgstr[") && keyword.ends_with("]"));
    if (!is_known) fail("this is neither a comment nor a keyword such as msgid");
    if (message.has(keyword)) fail(keyword + " occurs twice in a message");
    const bool begins = keyword == "msgctxt" || keyword == "msgid";
    if (!begins && !message.has("msgid")) fail(keyword + " without a msgid before it");
    if (keyword == "msgctxt" && message.has("msgid")) fail("msgctxt after its msgid");
    constexpr size_t kMostFields = 13;  // ten plural forms; no language has more than six
    if (message.fields.size() == kMostFields) fail("a message has more than ten plural forms");
  }

  std::string string_in(std::string_view text) const {
    try {
      return unquoted(text);
    } catch (const DataError& error) {
      fail(error.what());
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError("line " + std::to_string(numbers_[std::min(at_, lines_.size() - 1)]) + ": " +
                    problem);
  }

  std::vector<std::string>& lines_;
  std::vector<size_t> numbers_;     // of the lines in the file
  size_t at_ = 0;                   // the line being read
  std::vector<size_t> flag_lines_;  // of the next message
};

}  // namespace

std::vector<PoMessage> read_po(std::vector<std::string>& lines) { return PoReader(lines).all(); }

std::vector<std::string> po_flags(std::string_view line) {
  std::vector<std::string> flags;
  line = trimmed(line, kPoSpaces).substr(2);
  while (!line.empty()) {
    const size_t end = std::min(line.find(','), line.size());
    flags.emplace_back(trimmed(line.substr(0, end), kPoSpaces));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return flags;
}

std::string in_po_quotes(std::string_view text) {
  std::string line = "\"";
  for (const char c : text) {
    char letter = 0;
    for (const auto& [name, character] : kEscapes)
      if (c == character) letter = name;
    line += letter == 0 ? std::string(1, c) : std::string{'\\', letter};
  }
  return line + "\"";
}

}  // namespace dietmt::service
