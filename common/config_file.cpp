#include "common/config_file.h"

#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/trimmed.h"

namespace dietmt {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool is_blank(char c) { return kBlanks.find(c) != kBlanks.npos; }

std::string_view trimmed(std::string_view text) { return dietmt::trimmed(text, kBlanks); }

// Position of the comment, or npos.
size_t comment_at(std::string_view text) {
  for (size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1))
    if (at == 0 || is_blank(text[at - 1])) return at;
  return text.npos;
}

// Reads the quoted value at the start of `text`; only a comment may follow it.
std::string quoted_value(std::string_view text) {
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      const std::string_view rest = text.substr(i + 1);
      if (!trimmed(rest.substr(0, comment_at(rest))).empty())
        throw ConfigError("text follows the closing quote; write a quote inside as \\\"");
      return value;
    }
    if (text[i] != '\\') {
      value += text[i];
      continue;
    }
    const char escaped = ++i < text.size() ? text[i] : ' ';
    if (escaped != '"' && escaped != '\\' && escaped != 'n')
      throw ConfigError("write a backslash inside quotes as \\\\");
    value += escaped == 'n' ? '\n' : escaped;
  }
  throw ConfigError("the closing quote is missing");
}

std::string plain_value(std::string_view text) {
  const size_t comment = comment_at(text);
  const std::string_view value = trimmed(text.substr(0, comment));
  if (value.empty() && comment != text.npos)
    throw ConfigError("the value is missing; put quotes around one that begins with #");
  return std::string(value);
}

ConfigEntry entry_of(std::string_view text, int64_t line) {
  const size_t equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  if (equals == text.npos || name.empty())
    throw ConfigError("'" + std::string(text) + "' is not of the form: name = value");
  const std::string_view value = trimmed(text.substr(equals + 1));
  return {line, std::string(name),
          value.starts_with('"') ? quoted_value(value) : plain_value(value)};
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw ConfigError("--config " + path + ": cannot be opened");
  std::vector<ConfigEntry> entries;
  std::string line;
  for (int64_t number = 1; std::getline(file, line); ++number) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    try {
      entries.push_back(entry_of(text, number));
    } catch (const ConfigError& error) {
      throw ConfigError("--config " + path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  return entries;
}

std::string config_line(std::string_view name, std::string_view value) {
  const bool plain = trimmed(value) == value && comment_at(value) == value.npos &&
                     !value.starts_with('"') && value.find('\n') == value.npos;
  std::string text = std::string(name) + " = ";
  if (plain) return text.append(value) + '\n';
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n')
      text += "\\n";
    else
      text += c;
  }
  return text + "\"\n";
}

}  // namespace dietmt
