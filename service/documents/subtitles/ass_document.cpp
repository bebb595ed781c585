// Advanced SubStation Alpha: the lines "Dialogue:" of the section [Events], whose fields the line
// "Format:" names. Everything else stays, and so do lines that draw.
#include <algorithm>
#include <string>
#include <vector>

#include "common/ascii.h"
#include "common/error.h"
#include "common/trimmed.h"
#include "service/documents/html_tags.h"
#include "service/documents/subtitles/cue_times.h"
#include "service/documents/subtitles/speaker_labels.h"
#include "service/documents/subtitles/subtitle_document.h"
#include "service/documents/subtitles/subtitle_documents.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kNoBreakSpace = "\u00A0";
constexpr std::string_view kHardSpace = "\\h";

std::string with_replaced(std::string_view text, std::string_view old, std::string_view by) {
  std::string result;
  for (size_t at = text.find(old); at != text.npos; at = text.find(old)) {
    result.append(text.substr(0, at)) += by;
    text.remove_prefix(at + old.size());
  }
  return result.append(text);
}

std::string with_no_break_spaces(std::string_view raw) {
  return with_replaced(raw, kHardSpace, kNoBreakSpace);
}

// A brace would begin a code.
std::string without_brace(std::string_view text) {
  return with_replaced(with_replaced(text, kNoBreakSpace, kHardSpace), "{", "\\{");
}

// Whether a code turns on drawing: \p1, but not \pos or \p0.
bool draws(std::string_view text) {
  for (size_t at = text.find("\\p"); at != text.npos; at = text.find("\\p", at + 1)) {
    const std::string_view number = text.substr(std::min(at + 2, text.size()));
    if (!number.empty() && is_ascii_digit(number.front()) && number.front() != '0') return true;
  }
  return false;
}

bool is_karaoke(std::string_view code) {
  for (const std::string_view tag : {"\\k", "\\K"})
    if (code.find(tag) != code.npos) return true;
  return false;
}

size_t brace_end(std::string_view text) {
  constexpr size_t kLongest = 1000;
  return text.starts_with('{') ? text.substr(0, kLongest).find('}') + 1 : 0;
}

// A code in braces; one that draws goes on up to the one that ends the drawing.
CueCode brace_code(std::string_view text) {
  size_t end = brace_end(text);
  if (end == 0) return {direction_mark(text)};
  const std::string_view code = text.substr(0, end);
  const auto kind = is_karaoke(code) ? CueCode::Kind::kTime : CueCode::Kind::kFormat;
  if (draws(code)) end = text.find('}', text.find("\\p0", end)) + 1;
  return {end == 0 ? text.size() : end, kind};
}

size_t line_break(std::string_view text) {
  size_t end = 0;
  while (text.substr(end).starts_with("\\N") || text.substr(end).starts_with("\\n")) end += 2;
  return end;
}

constexpr CueSyntax kAssSyntax{.code = brace_code,
                               .line_end = line_break,
                               .read = with_no_break_spaces,
                               .write = without_brace,
                               .new_line = "\\N"};

// The fields of a line; the last one has all other commas.
std::vector<std::string_view> split_fields(std::string_view line, size_t count) {
  std::vector<std::string_view> fields;
  while (fields.size() + 1 < count && line.find(',') != line.npos) {
    fields.push_back(line.substr(0, line.find(',')));
    line.remove_prefix(fields.back().size() + 1);
  }
  fields.push_back(line);
  return fields;
}

class AssDocument final : public SubtitleDocument {
 public:
  AssDocument(std::string_view bytes, const DocumentOptions& options)
      : SubtitleDocument(bytes, options, kAssSyntax) {
    set_format("Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text");
    bool is_in_events = false, has_events = false;
    for (FileLine line; line.next < text().size();) {
      line = line_at(text(), line.next);
      std::string_view content = std::string_view(text()).substr(line.begin, line.end - line.begin);
      if (content.starts_with('[')) is_in_events = html_lower_case(content) == "[events]";
      has_events = has_events || is_in_events;
      const size_t colon = content.find(':');
      if (!is_in_events || colon == content.npos) continue;
      const std::string name = html_lower_case(trimmed(content.substr(0, colon), kCueSpaces));
      content.remove_prefix(colon + 1);
      if (name == "format") set_format(content);
      if (name == "dialogue") read(line, content);
    }
    if (!has_events) throw DataError("the file has no section [Events]");
    finish();
  }

 private:
  void set_format(std::string_view names) {
    format_.clear();
    const auto count = static_cast<size_t>(std::ranges::count(names, ',')) + 1;
    for (const std::string_view name : split_fields(names, count))
      format_.push_back(html_lower_case(trimmed(name, kCueSpaces)));
  }

  void read(const FileLine& line, std::string_view content) {
    const std::vector<std::string_view> fields = split_fields(content, format_.size());
    if (fields.size() < format_.size())
      fail_at(text(), line.begin,
              "the line has " + std::to_string(fields.size()) + " fields, not the " +
                  std::to_string(format_.size()) + " of the line Format");
    const std::string_view words = fields.back();
    const auto begin = static_cast<size_t>(words.data() - text().data());
    const std::string voice =
        std::string(field("style", fields)) + '\n' + std::string(field("name", fields));
    add_cue({time(line, field("start", fields)), time(line, field("end", fields))}, begin,
            begin + words.size(), voice);
  }

  std::string_view field(std::string_view name, const std::vector<std::string_view>& fields) const {
    const auto found = std::ranges::find(format_, name);
    return found == format_.end() ? std::string_view()
                                  : fields[static_cast<size_t>(found - format_.begin())];
  }

  int64_t time(const FileLine& line, std::string_view field) const {
    const auto time = take_time(field);
    if (!time) fail_at(text(), line.begin, "the line has no time such as 0:00:01.00");
    return *time;
  }

  std::vector<std::string> format_;  // names of the fields
};

}  // namespace

std::unique_ptr<Document> open_ass(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<AssDocument>(bytes, options);
}

}  // namespace dietmt::service
