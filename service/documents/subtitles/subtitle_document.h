// Subtitles of any format: cues with their times, whose text is translated. Every other byte stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/subtitles/cue_parts.h"
#include "service/documents/subtitles/cue_times.h"

namespace dietmt::service {

class SubtitleDocument : public Document {
 public:
  /// In UTF-8, or in UTF-16 as before.
  std::string translated(const std::vector<Translation>& translations) override;

 protected:
  SubtitleDocument(std::string_view bytes, const DocumentOptions& options, CueSyntax syntax);

  /// The file in UTF-8.
  const std::string& text() const { return text_; }

  /// Adds a cue whose text is at bytes begin .. end-1, after those of the last one. A sentence does
  /// not go on in a cue with another voice.
  void add_cue(CueTimes times, size_t begin, size_t end, std::string_view voice = {});

  /// Makes segments of the cues. A sentence that goes on in the next cues is one segment. Call it
  /// after the last cue.
  void finish();

  bool has_cues() const { return !times_.empty(); }

 private:
  struct Part : CuePart {
    size_t cue = 0;
  };
  struct Sentence {
    size_t first = 0;  // part
    size_t last = 0;
  };

  bool has_punctuation() const;
  bool goes_on(const Part& part, const Part& next, bool is_punctuated) const;
  void add_sentence(Sentence sentence);
  std::vector<std::string> written(size_t segment, const Translation& translation) const;
  std::vector<double> weights_of(Sentence sentence) const;

  std::string beginning_;  // of the file, which shows its encoding
  std::string text_;
  std::string language_;
  CueSyntax syntax_;
  std::vector<CueTimes> times_;  // by cue
  std::vector<Part> parts_;
  std::vector<Sentence> sentences_;  // by segment
};

/// A line of a file, in bytes.
struct FileLine {
  size_t begin = 0;
  size_t end = 0;   // of its text, without spaces and the line end
  size_t next = 0;  // the begin of the next line
};

/// The line that begins at a byte.
FileLine line_at(std::string_view text, size_t begin);

}  // namespace dietmt::service
