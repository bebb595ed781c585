// Plain text and SubRip subtitles.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "common/trimmed.h"
#include "nmt/alignment/placeholders.h"
#include "service/documents/document_kinds.h"
#include "service/documents/places_document.h"
#include "service/documents/values_document.h"

namespace dietmt::service {
namespace {

// Removes the next line from `text` and returns it with its end.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n') + 1);
  const std::string_view taken = line.empty() ? text : line;
  text.remove_prefix(taken.size());
  return taken;
}

class TxtDocument final : public PlacesDocument {
 public:
  explicit TxtDocument(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      if (!add({.text = std::string(line), .marks = {}})) keep(line);
    }
  }

 private:
  std::string replacement(size_t /*segment*/, const Translation& translation) const override {
    std::string line = plain_text(translation);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }
};

// Lines up to a blank one are a text, whose translation is one line.
class ParagraphsDocument final : public ValuesDocument {
 public:
  explicit ParagraphsDocument(std::string_view bytes) : ValuesDocument(bytes) {
    std::string_view left = text();
    size_t begin = 0, end = 0;  // of the paragraph
    const auto add_paragraph = [&] {
      if (end > begin)
        add_value(begin, end, join_lines({.text = text().substr(begin, end - begin), .marks = {}}),
                  [](const std::string& paragraph) { return paragraph; });
      begin = text().size() - left.size();
    };
    while (!left.empty()) {
      const std::string_view content = trimmed(take_line(left), " \t\r\n");
      if (content.empty())
        add_paragraph();
      else
        end = static_cast<size_t>(content.data() - text().data()) + content.size();
    }
    add_paragraph();
    finish();
  }
};

// The next space outside the tags and placeholders of the text.
size_t space_between(const std::string& text, const std::vector<std::string_view>& marks,
                     size_t from) {
  const auto end_of = [&](std::string_view mark) {
    return static_cast<size_t>(mark.data() - text.data()) + mark.size();
  };
  size_t space = text.find(' ', from);
  auto mark = std::ranges::upper_bound(marks, space, {}, end_of);
  for (; mark != marks.end() && space != text.npos && mark->data() < text.data() + space; ++mark)
    if (space < end_of(*mark)) space = text.find(' ', end_of(*mark));
  return space;
}

// Cues: a number, a line with two times, and lines of text up to a blank line. The lines of a cue
// are one segment, since sentences run across them; lines of dialogue begin with a hyphen.
class SrtDocument final : public PlacesDocument {
 public:
  explicit SrtDocument(std::string_view text) {
    while (!text.empty()) {
      ++number_;
      add_line(take_line(text));
    }
    flush();
    if (next_ == Next::kTimes) fail("the times of the last cue are missing");
    if (!has_times_) throw DataError("the file has no cue (00:00:01,000 --> 00:00:02,000)");
  }

 private:
  enum class Next { kCue, kTimes, kText };

  // Throws DataError for a line outside a cue.
  void add_line(std::string_view line) {
    const std::string_view content = without_spaces(line);
    const bool is_cue_times = is_times(content);
    if (next_ == Next::kText && !content.empty()) {
      if (is_cue_times) fail("times in the text of a cue; put a blank line before each cue");
      return add_cue_line(line);
    }
    flush();
    keep(line);
    if (is_cue_times) {
      next_ = Next::kText;
      has_times_ = true;
    } else if (next_ == Next::kTimes) {
      fail("these are not the times of a cue (00:00:01,000 --> 00:00:02,000)");
    } else if (content.empty()) {
      next_ = Next::kCue;
    } else {
      if (content.find_first_not_of("0123456789") != content.npos)
        fail("this is neither the number of a cue nor its times (00:00:01,000 --> 00:00:02,000)");
      next_ = Next::kTimes;
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw DataError("line " + std::to_string(number_) + ": " + problem);
  }

  static std::string_view without_spaces(std::string_view line) { return trimmed(line, " \t\r\n"); }

  // Two times; anything after them is coordinates or settings.
  static bool is_times(std::string_view line) {
    const auto take_time = [&] {
      constexpr const char* kTime = "0123456789:,.";
      const std::string_view time = line.substr(0, line.find_first_not_of(kTime));
      line.remove_prefix(time.size());
      return !time.empty() && std::isdigit(static_cast<unsigned char>(time.front())) != 0 &&
             time.find(':') != time.npos;
    };
    const auto skip_spaces = [&] {
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    };
    if (!take_time()) return false;
    skip_spaces();
    if (!line.starts_with("-->")) return false;
    line.remove_prefix(3);
    skip_spaces();
    return take_time() && (line.empty() || line.front() == ' ' || line.front() == '\t');
  }

  void add_cue_line(std::string_view line) {
    const size_t end = line.find_last_not_of("\r\n") + 1;
    if (!cue_.empty() && line.front() == '-') flush();
    if (!cue_.empty()) cue_ += ' ';
    cue_ += line.substr(0, end);
    raw_cue_ += line;
    line_end_ = line.substr(end);
    ++lines_;
  }

  void flush() {
    if (add({.text = cue_, .marks = {}})) {
      lines_of_.push_back({lines_, line_end_.empty() ? "\n" : line_end_});
      keep(line_end_);
    } else {
      keep(raw_cue_);
    }
    cue_.clear();
    raw_cue_.clear();
    lines_ = 0;
  }

  // As many lines as before, of about equal length.
  std::string replacement(size_t segment, const Translation& translation) const override {
    const std::string text = plain_text(translation);
    const std::vector<std::string_view> marks = nmt::placeholders_in(text);
    const auto& [lines, line_end] = lines_of_.at(segment);
    std::string wrapped;
    size_t begin = 0;
    for (size_t left = lines; left > 1; --left) {
      const size_t space = space_between(text, marks, begin + (text.size() - begin) / left);
      if (space == text.npos) break;
      wrapped.append(text, begin, space - begin) += line_end;
      begin = space + 1;
    }
    return wrapped.append(text, begin);
  }

  struct CueLines {
    size_t count;
    std::string line_end;
  };
  std::vector<CueLines> lines_of_;  // by segment
  std::string cue_;                 // its lines of text so far, joined
  std::string raw_cue_;
  std::string line_end_;
  size_t lines_ = 0;
  int64_t number_ = 0;  // line number in the file
  Next next_ = Next::kCue;
  bool has_times_ = false;
};

}  // namespace

std::unique_ptr<Document> open_txt(const std::string& text, const DocumentOptions& options) {
  if (options.paragraphs) return std::make_unique<ParagraphsDocument>(text);
  return std::make_unique<TxtDocument>(text);
}

std::unique_ptr<Document> open_srt(const std::string& text) {
  return std::make_unique<SrtDocument>(text);
}

}  // namespace dietmt::service
