// Config files of the commands: lines `name = value`.
//
//   # a comment
//   output = run    # a comment, after white space
//   tag = "#de"     # in quotes, \" \\ \n are a quote, a backslash and a newline
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt {

struct ConfigEntry {
  int64_t line;  ///< in the file, from 1
  std::string name, value;
};

/// Throws ConfigError with `--config PATH:LINE` for a malformed line.
std::vector<ConfigEntry> read_config_file(const std::string& path);

/// The line, with LF, that parses back to this entry.
std::string config_line(std::string_view name, std::string_view value);

}  // namespace dietmt
