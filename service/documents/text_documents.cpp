// Plain text, HTML and SubRip subtitles: text in which only places are replaced.
#include <algorithm>
#include <cctype>
#include <utility>

#include "common/error.h"
#include "service/documents/document.h"
#include "service/documents/document_kinds.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

// What stays and what is translated, in turns.
class PlacesDocument : public Document {
 public:
  std::string translated(const std::vector<std::string>& translations) override {
    std::string text;
    for (const auto& [fixed, place] : parts_) {
      text += fixed;
      if (place) text += place->before + replacement(*place, translations) + place->after;
    }
    return text;
  }

 protected:
  /// What replaces the segment of `place`.
  virtual std::string replacement(const SegmentPlace& place,
                                  const std::vector<std::string>& translations) const {
    return translations.at(place.segment);
  }

  void keep(std::string_view text) { parts_.emplace_back(text, std::nullopt); }

  /// False if the text has nothing to translate; it is kept then.
  bool add(std::string_view text) {
    auto place = add_segment(text, segments_);
    const bool is_segment = place.has_value();
    if (is_segment)
      parts_.emplace_back("", *std::move(place));
    else
      keep(text);
    return is_segment;
  }

 private:
  std::vector<std::pair<std::string, std::optional<SegmentPlace>>> parts_;
};

// The next line of `text` with its end, removed from it.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n') + 1);
  const std::string_view taken = line.empty() ? text : line;
  text.remove_prefix(taken.size());
  return taken;
}

class TxtDocument final : public PlacesDocument {
 public:
  explicit TxtDocument(std::string_view text) {
    while (!text.empty()) add(take_line(text));
  }

 private:
  std::string replacement(const SegmentPlace& place,
                          const std::vector<std::string>& translations) const override {
    std::string line = translations.at(place.segment);
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
  }
};

class HtmlDocument final : public PlacesDocument {
 public:
  explicit HtmlDocument(std::string_view html) {
    for (const MarkupPart& part : split_markup(html)) {
      const std::string text = part.is_text ? resolve_references(part.raw) : "";
      // A text without letters keeps its references as they are written.
      if (!has_letter(text))
        keep(part.raw);
      else
        add(text);
    }
  }

 private:
  std::string replacement(const SegmentPlace& place,
                          const std::vector<std::string>& translations) const override {
    return escape_markup(translations.at(place.segment));
  }
};

// Cues: a number, a line with two times, and lines of text up to a blank line. The lines of a cue
// are one segment, because sentences run over them; lines of a dialogue begin with a hyphen.
class SrtDocument final : public PlacesDocument {
 public:
  explicit SrtDocument(std::string_view text) {
    bool in_text = false;
    while (!text.empty()) {
      const std::string_view line = take_line(text);
      const bool is_blank = line.find_first_not_of(" \t\r\n") == line.npos;
      if (in_text && !is_blank) {
        add_cue_line(line);
        continue;
      }
      flush();
      keep(line);
      has_times_ = has_times_ || is_times(line);
      in_text = is_times(line);
    }
    flush();
    if (!has_times_)
      throw DataError("the file has no line with times (00:00:01,000 --> 00:00:02,000)");
  }

 private:
  static bool is_times(std::string_view line) {
    return line.find("-->") != line.npos &&
           std::isdigit(static_cast<unsigned char>(line.front())) != 0;
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
    if (has_letter(cue_)) {
      add(cue_);
      lines_of_.push_back({lines_, line_end_.empty() ? "\n" : line_end_});
      keep(line_end_);
    } else {
      keep(raw_cue_);
    }
    cue_.clear();
    raw_cue_.clear();
    lines_ = 0;
  }

  // As many lines as before, of about the same length.
  std::string replacement(const SegmentPlace& place,
                          const std::vector<std::string>& translations) const override {
    std::string text = translations.at(place.segment);
    const auto& [lines, line_end] = lines_of_.at(place.segment);
    size_t begin = 0;
    for (size_t left = lines; left > 1; --left) {
      const size_t space = text.find(' ', begin + (text.size() - begin) / left);
      if (space == text.npos) break;
      text.replace(space, 1, line_end);
      begin = space + line_end.size();
    }
    return text;
  }

  struct CueLines {
    size_t count;
    std::string line_end;
  };
  std::vector<CueLines> lines_of_;  // by segment
  std::string cue_;                 // the lines of text so far, joined
  std::string raw_cue_;
  std::string line_end_;
  size_t lines_ = 0;
  bool has_times_ = false;
};

}  // namespace

std::unique_ptr<Document> open_txt(const std::string& text) {
  return std::make_unique<TxtDocument>(text);
}

std::unique_ptr<Document> open_html(const std::string& text) {
  return std::make_unique<HtmlDocument>(text);
}

std::unique_ptr<Document> open_srt(const std::string& text) {
  return std::make_unique<SrtDocument>(text);
}

}  // namespace dietmt::service
