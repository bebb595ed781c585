#include "interchange/marian/flat_yaml.h"

#include <sstream>

#include "common/error.h"

namespace dietmt::interchange {
namespace {

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

void append_utf8(uint32_t code, std::string& text) {
  const auto add = [&](uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

/// A scalar in double quotes, without them. Throws std::exception for a damaged escape.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain += text[i];
      continue;
    }
    const char kind = text.at(++i);
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
    if (digits > 0) {
      append_utf8(static_cast<uint32_t>(std::stoul(text.substr(i + 1, digits), nullptr, 16)),
                  plain);
      i += digits;
    } else {
      plain += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind == 'r' ? '\r' : kind;
    }
  }
  return plain;
}

std::string scalar(const std::string& text) {
  const std::string word = trimmed(text);
  if (word.size() < 2 || word.front() != word.back()) return word;
  std::string inside = word.substr(1, word.size() - 2);
  if (word.front() == '"') return unescaped(inside);
  if (word.front() != '\'') return word;
  for (size_t at = 0; (at = inside.find("''", at)) != std::string::npos; ++at) inside.erase(at, 1);
  return inside;
}

class Parser {
 public:
  /// Throws std::exception.
  void line(const std::string& line) {
    const std::string word = trimmed(line);
    if (word.empty() || line.starts_with("#") || word == "---" || (list_ && word == "[]")) return;
    if (line.starts_with("? ")) {
      key_ = line.substr(2);
    } else if (!key_.empty() && line.starts_with(":")) {
      add(key_, line.substr(1));
      key_.clear();
    } else if (word.starts_with("- ") && (list_ || line.starts_with(" "))) {
      if (pairs_.empty()) throw DataError("it is an item of no list");
      pairs_.back().second.push_back(scalar(word.substr(2)));
    } else {
      const size_t colon = separator(line);
      add(line.substr(0, colon), line.substr(colon + 1));
    }
  }

  auto take() { return std::move(pairs_); }

 private:
  /// The colon behind the key: the last one, for values of vocabularies are numbers, or the first
  /// one that a space follows where the key has no quotes.
  static size_t separator(const std::string& line) {
    const bool quoted = line.front() == '"' || line.front() == '\'';
    size_t colon = line.rfind(':');
    const size_t first = line.find(": ");
    if (!quoted && first != std::string::npos && first > 0) colon = first;
    if (colon == std::string::npos || colon == 0) throw DataError("it has no key");
    return colon;
  }

  void add(const std::string& key, const std::string& value) {
    const std::string word = trimmed(value);
    list_ = word.empty();
    pairs_.push_back({scalar(key), {}});
    if (word != "" && word != "[]") pairs_.back().second.push_back(scalar(word));
  }

  std::vector<std::pair<std::string, std::vector<std::string>>> pairs_;
  std::string key_;    // of the lines "? key" and ": value"
  bool list_ = false;  // items of the last pair may follow
};

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> parse_flat_yaml(
    const std::string& text, const std::string& where) {
  Parser parser;
  std::istringstream lines(text);
  int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      parser.line(line);
    } catch (const std::exception& error) {
      throw DataError(where + ":" + std::to_string(number) +
                      ": not the YAML that Marian writes: " + error.what());
    }
  }
  return parser.take();
}

}  // namespace dietmt::interchange
