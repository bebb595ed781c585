// Finds the text of a line and inserts its translation: plain text, a column of tab-separated
// values, or a field of JSON objects. Everything else in the line stays the same, byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dietmt::service {

enum class LineKind { kTxt, kTsv, kJsonl };
inline constexpr std::array kLineKinds{LineKind::kTxt, LineKind::kTsv, LineKind::kJsonl};
enum class LineOutput { kReplace, kAdd };

struct LineFormat {
  LineKind kind = LineKind::kTxt;
  int64_t column = 1;                        // tsv: the column, from 1
  std::string field = "text";                // jsonl: a top-level string field
  LineOutput output = LineOutput::kReplace;  // kAdd: not for txt
  std::string output_field = "translation";  // jsonl with kAdd
  bool quality = false;                      // kAdd: the estimate of the quality, too
};

/// "txt", "tsv", "jsonl".
const char* name_of(LineKind kind);
std::optional<LineKind> line_kind(std::string_view name);
/// "replace", "add".
const char* name_of(LineOutput output);
/// Throws RequestError for any other name.
LineOutput line_output(const std::string& name);

/// By the file extension, ignoring case.
std::optional<LineKind> kind_by_extension(std::string_view file_name);

/// The text of a line, or the reason why it has none.
struct LineParts {
  std::string text;     // to translate
  std::string problem;  // empty if the line has a text
};

/// `line`: without the line end.
LineParts split_line(const LineFormat& format, std::string_view line);

/// Inserts `translation` into a line in which split_line() found a text. Replaces characters of the
/// translation that would break the line or add a column (LF, CR, and tabs in tsv) with spaces.
/// With kAdd, `quality` becomes another last column, or the field `quality`.
std::string join_line(const LineFormat& format, std::string_view line, std::string translation,
                      std::optional<double> quality = {});

}  // namespace dietmt::service
