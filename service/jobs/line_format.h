// Where the text of a line is, and where its translation goes: lines of text, a column of
// tab-separated values, a field of JSON objects. All else in a line stays as it is, byte for byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dietmt::service {

enum class LineKind { kTxt, kTsv, kJsonl };
enum class LineOutput { kReplace, kAdd };

struct LineFormat {
  LineKind kind = LineKind::kTxt;
  int64_t column = 1;                        // tsv: from 1
  std::string field = "text";                // jsonl: a string at the top level
  LineOutput output = LineOutput::kReplace;  // kAdd: not for txt
  std::string output_field = "translation";  // jsonl with kAdd
};

/// "txt", "tsv", "jsonl".
const char* name_of(LineKind kind);
/// Throws RequestError for another name.
LineKind line_kind(const std::string& name);
/// "replace", "add".
const char* name_of(LineOutput output);
/// Throws RequestError for another name.
LineOutput line_output(const std::string& name);

/// By a file's ending: .tsv, .jsonl, each with or without .gz; anything else is txt.
LineKind guess_line_kind(std::string_view file_name);

/// A line taken apart.
struct LineParts {
  std::string text;     // to translate
  std::string problem;  // why there is none, if there is none
};

/// `line`: without its line end.
LineParts split_line(const LineFormat& format, std::string_view line);

/// The line with `translation` in its place. `line`: one in which split_line() found a text. What
/// would break the line or add a column (line feeds, carriage returns, in tsv tabs) becomes a space
/// in the translation.
std::string join_line(const LineFormat& format, std::string_view line, std::string translation);

}  // namespace dietmt::service
