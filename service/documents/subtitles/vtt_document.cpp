// WebVTT: a header, and blocks with blank lines between them. Comments, styles and regions stay,
// and so do the identifiers and settings of cues.
#include <algorithm>
#include <string>

#include "service/documents/markup.h"
#include "service/documents/subtitles/subtitle_document.h"
#include "service/documents/subtitles/subtitle_documents.h"

namespace dietmt::service {
namespace {

// <rt> ends at </rt>, or at the end of <ruby>.
CueCode vtt_code(std::string_view text) {
  const CueCode tag = tag_code(text);
  const auto is_tag = [&](std::string_view name) {
    return text.starts_with(name) && (text[name.size()] == '>' || text[name.size()] == '.');
  };
  if (tag.bytes == 0 || (!is_tag("<ruby") && !is_tag("</ruby") && !is_tag("<rt"))) return tag;
  if (!is_tag("<rt")) return {tag.bytes, CueCode::Kind::kReading};
  size_t end = text.find("</r", tag.bytes);
  while (end != text.npos && !text.substr(end).starts_with("</rt>") &&
         !text.substr(end).starts_with("</ruby>"))
    end = text.find("</r", end + 1);
  if (end != text.npos) end += text.substr(end).starts_with("</rt>") ? 5 : 0;
  return {std::min(end, text.size()), CueCode::Kind::kReading};
}

constexpr CueSyntax kVttSyntax{.code = vtt_code,
                               .line_end = blank_line_ends,
                               .read = resolve_references,
                               .write = escape_markup,
                               .open_bracket = "&lt;",
                               .close_bracket = "&gt;",
                               .most_columns = 42};

class VttDocument final : public SubtitleDocument {
 public:
  VttDocument(std::string_view bytes, const DocumentOptions& options)
      : SubtitleDocument(bytes, options, kVttSyntax) {
    FileLine line = line_at(text(), 0);
    const std::string_view header = content_of(line);
    if (!header.starts_with("WEBVTT") ||
        (header.size() > 6 && header[6] != ' ' && header[6] != '\t'))
      fail_at(text(), 0, "a WebVTT file begins with the line WEBVTT");
    while (line.next < text().size()) {
      line = line_at(text(), line.next);
      read(line);
    }
    end_cue();
    finish();
  }

 private:
  // The header is a block without times, like a comment.
  void read(const FileLine& line) {
    const std::string_view content = content_of(line);
    if (content.empty()) {
      end_cue();
      is_in_comment_ = false;
      is_in_block_ = false;
      return;
    }
    if (!is_in_block_) is_in_comment_ = starts_comment(content);
    is_in_block_ = true;
    if (is_in_comment_) return;
    if (content.find("-->") != content.npos) {
      end_cue();
      times_ = cue_times(content);
      if (!times_)
        fail_at(text(), line.begin,
                "these are not the times of a cue (00:00:01.000 --> 00:00:02.000)");
      begin_ = end_ = line.next;
    } else {
      end_ = line.end;
    }
  }

  static bool starts_comment(std::string_view line) {
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    return word == "NOTE" || line == "STYLE" || line == "REGION";
  }

  std::string_view content_of(const FileLine& line) const {
    return std::string_view(text()).substr(line.begin, line.end - line.begin);
  }

  void end_cue() {
    if (times_) add_cue(*times_, begin_, end_);
    times_.reset();
  }

  std::optional<CueTimes> times_;  // of the cue being read
  size_t begin_ = 0;               // bytes of its text
  size_t end_ = 0;
  bool is_in_block_ = true;
  bool is_in_comment_ = false;
};

}  // namespace

std::unique_ptr<Document> open_vtt(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<VttDocument>(bytes, options);
}

}  // namespace dietmt::service
