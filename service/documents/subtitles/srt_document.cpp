// SubRip subtitles, as players read them: a line with two times begins a cue, whose text goes on to
// the next cue, also over blank lines. The number before the times may be wrong or missing.
#include <algorithm>
#include <string>

#include "common/ascii.h"
#include "common/error.h"
#include "service/documents/subtitles/subtitle_document.h"
#include "service/documents/subtitles/subtitle_documents.h"

namespace dietmt::service {
namespace {

std::string as_it_is(std::string_view raw) { return std::string(raw); }

// Without the arrow that would make times of a text.
std::string without_arrow(std::string_view text) {
  std::string written(text);
  for (size_t at = written.find("-->"); at != written.npos; at = written.find("-->", at))
    written.erase(at, 1);
  return written;
}

constexpr CueSyntax kSrtSyntax{.code = tag_code,
                               .line_end = blank_line_ends,
                               .read = as_it_is,
                               .write = without_arrow,
                               .most_columns = 42};

bool is_number(std::string_view line) {
  return !line.empty() && std::ranges::all_of(line, is_ascii_digit);
}

class SrtDocument final : public SubtitleDocument {
 public:
  SrtDocument(std::string_view bytes, const DocumentOptions& options)
      : SubtitleDocument(bytes, options, kSrtSyntax) {
    for (FileLine line; line.next < text().size();) {
      line = line_at(text(), line.next);
      read(line);
    }
    end_cue(end_);
    if (!times_ && stray_)
      fail_at(text(), *stray_,
              "this is neither the number of a cue nor its times (00:00:01,000 --> 00:00:02,000)");
    if (!times_) throw DataError("the file has no cue (00:00:01,000 --> 00:00:02,000)");
    finish();
  }

 private:
  void read(const FileLine& line) {
    const std::string_view content = content_of(line);
    if (const auto times = cue_times(content)) {
      end_cue(number_.value_or(end_));
      times_ = times;
      begin_ = end_ = line.next;
      number_.reset();
    } else if (resembles_times(content)) {
      fail_at(text(), line.begin,
              "these are not the times of a cue (00:00:01,000 --> 00:00:02,000)");
    } else if (!content.empty()) {
      if (!is_number(content) && !stray_) stray_ = line.begin;
      // A number is text unless times follow.
      number_ = is_number(content) ? std::optional(end_) : std::nullopt;
      end_ = line.end;
    }
  }

  std::string_view content_of(const FileLine& line) const {
    return std::string_view(text()).substr(line.begin, line.end - line.begin);
  }

  void end_cue(size_t end) {
    if (times_) add_cue(*times_, begin_, end);
  }

  std::optional<CueTimes> times_;  // of the cue being read
  size_t begin_ = 0;               // bytes of its text
  size_t end_ = 0;
  std::optional<size_t> number_;  // the end of its text if the last line is the next cue's number
  std::optional<size_t> stray_;   // the first line that is not a cue's
};

}  // namespace

std::unique_ptr<Document> open_srt(std::string_view bytes, const DocumentOptions& options) {
  return std::make_unique<SrtDocument>(bytes, options);
}

}  // namespace dietmt::service
