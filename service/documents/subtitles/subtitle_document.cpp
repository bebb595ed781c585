#include "service/documents/subtitles/subtitle_document.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "nmt/alignment/mark_syntax.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/document_bytes.h"
#include "service/documents/language_marks.h"
#include "service/documents/subtitles/speaker_labels.h"
#include "service/documents/subtitles/subtitle_lines.h"

namespace dietmt::service {
namespace {

bool is_all_capitals(std::string_view text) {
  return nmt::has_upper_case(text) && !nmt::has_lower_case(text);
}

bool begins_in_lower_case(std::string_view text) {
  return u_islower(static_cast<UChar32>(nmt::first_character(text))) != 0;
}

// Whether the last character, quotes aside, ends a sentence.
bool has_stop(std::string_view text) {
  while (!text.empty() && nmt::closes(nmt::last_character(text))) nmt::drop_last(text);
  return nmt::ends_sentence(nmt::last_character(text));
}

// A translation as its words, and the places of its marks in them.
struct PlacedMarks {
  struct Mark {
    size_t at = 0;  // byte of the words
    size_t number = 0;
  };
  std::string words;
  std::vector<Mark> marks;

  explicit PlacedMarks(const Translation& translation) {
    for (const nmt::MarkedPart& part : translation) {
      if (part.mark < 0)
        words += part.text;
      else
        marks.push_back({words.size(), static_cast<size_t>(part.mark)});
    }
    std::ranges::replace(words, '\n', ' ');
  }

  // Adds codes that are no marks, in the order of their places.
  void add(const std::vector<TimedCode>& timed, const std::vector<size_t>& places,
           std::vector<std::string>& codes) {
    for (size_t i = 0; i < timed.size(); ++i) {
      marks.push_back({places[i], codes.size()});
      codes.push_back(timed[i].raw);
    }
    std::ranges::stable_sort(marks, {}, &Mark::at);
  }
};

std::string joined(const std::vector<TimedCode>& codes) {
  std::string text;
  for (const TimedCode& code : codes) text += code.raw;
  return text;
}

// Writes the lines of a sentence with its codes. A pair around the end of a cue is closed there and
// opened again in the next one.
class CodeWriter {
 public:
  // `codes`: of the marks of the segment, and of other points in `placed`.
  CodeWriter(const PlacedMarks& placed, const nmt::MarkedText& segment,
             std::vector<std::string> codes, const CueSyntax& syntax)
      : placed_(placed), marks_(segment.marks), codes_(std::move(codes)), syntax_(syntax) {
    marks_.resize(codes_.size());
  }

  void begin_cue(std::string codes) {
    text_ = std::move(codes);
    for (const size_t number : open_) text_ += codes_[number];
  }

  // `next`: where the next line begins; beyond the words after the last one.
  void add_line(size_t begin, size_t end, size_t next) {
    for (; mark_ < placed_.marks.size(); ++mark_) {
      const auto [at, number] = placed_.marks[mark_];
      const nmt::InlineMark& mark = marks_[number];
      const bool closes = mark.kind == nmt::InlineMark::Kind::kClose;
      const bool opens = mark.partner > static_cast<int32_t>(number);
      const bool is_here = at < end || (at == end && at < next && !opens) ||
                           (at <= next && closes) || next > placed_.words.size();
      if (!is_here) break;
      const size_t place = std::clamp(at, begin, end);
      add_words(begin, place);
      begin = place;
      text_ += codes_[number];
      if (opens) open_.push_back(number);
      if (closes && mark.partner >= 0) open_.pop_back();
    }
    add_words(begin, end);
  }

  void add_line_end(std::string_view line_end) { text_ += line_end; }

  std::string end_cue() {
    for (auto number = open_.rbegin(); number != open_.rend(); ++number)
      text_ += codes_[static_cast<size_t>(marks_[*number].partner)];
    return text_;
  }

 private:
  void add_words(size_t begin, size_t end) {
    text_ += syntax_.write(placed_.words.substr(begin, end - begin));
  }

  const PlacedMarks& placed_;
  std::vector<nmt::InlineMark> marks_;
  std::vector<std::string> codes_;
  const CueSyntax& syntax_;
  std::vector<size_t> open_;  // marks
  size_t mark_ = 0;           // the next one
  std::string text_;          // of the cue
};

}  // namespace

SubtitleDocument::SubtitleDocument(std::string_view bytes, const DocumentOptions& options,
                                   CueSyntax syntax)
    : beginning_(bytes.substr(0, 4)),
      text_(text_of_bytes(bytes, options.charset, options.source)),
      language_(options.source),
      syntax_(syntax) {
  if (is_right_to_left(options.source) != is_right_to_left(options.target))
    text_ = without_direction_marks(text_);
  if (syntax_.new_line == "\n" && text_.find("\r\n") != text_.npos) syntax_.new_line = "\r\n";
}

void SubtitleDocument::add_cue(CueTimes times, size_t begin, size_t end, std::string_view voice) {
  for (CuePart& part : parts_of_cue(text_, begin, end, syntax_, language_)) {
    if (part.voice.empty()) part.voice = voice;
    parts_.push_back({std::move(part), times_.size()});
  }
  times_.push_back(times);
}

void SubtitleDocument::finish() {
  constexpr size_t kMostCues = 6;
  const bool is_punctuated = has_punctuation();
  for (size_t first = 0, last = 0; first < parts_.size(); first = last) {
    last = first + 1;
    while (last < parts_.size() && last - first < kMostCues &&
           goes_on(parts_[last - 1], parts_[last], is_punctuated))
      ++last;
    add_sentence({first, last});
  }
}

// Whether most texts end with a stop, so that a text without one goes on.
bool SubtitleDocument::has_punctuation() const {
  size_t texts = 0, stops = 0;
  for (const Part& part : parts_) {
    if (!nmt::has_letter(part.text.text)) continue;
    ++texts;
    stops += has_stop(part.text.text) ? 1 : 0;
  }
  return stops > texts / 2;
}

bool SubtitleDocument::goes_on(const Part& part, const Part& next, bool is_punctuated) const {
  constexpr int64_t kLongestPause = 3000, kLongestOverlap = 500;  // milliseconds
  const std::string &text = part.text.text, &more = next.text.text;
  if (next.cue != part.cue + 1 || next.has_label || part.has_ending || part.voice != next.voice ||
      !nmt::has_letter(text) || !nmt::has_letter(more) ||
      is_all_capitals(text) != is_all_capitals(more))
    return false;
  const int64_t pause = times_[next.cue].start - times_[part.cue].end;
  if (pause > kLongestPause || pause < -kLongestOverlap) return false;
  const bool has_comma = nmt::ends_phrase(nmt::last_character(text)) && !has_stop(text);
  return (begins_in_lower_case(more) || has_comma || is_punctuated) &&
         !has_sentence_end(text, more, language_);
}

void SubtitleDocument::add_sentence(Sentence sentence) {
  nmt::MarkedText segment;
  for (size_t i = sentence.first; i < sentence.last; ++i) {
    const nmt::MarkedText& part = parts_[i].text;
    if (i > sentence.first && !are_written_together(segment.text, part.text)) segment.text += ' ';
    const auto begin = static_cast<int32_t>(segment.text.size());
    segment.text += part.text;
    for (nmt::InlineMark mark : part.marks) {
      mark.at += begin;
      mark.parts.front().mark = static_cast<int32_t>(segment.marks.size());
      mark.kind = nmt::syntax_of(mark.parts.front().text).kind;
      segment.marks.push_back(std::move(mark));
    }
  }
  nmt::find_partners(segment.marks);
  if (add_segment(std::move(segment), segments_)) sentences_.push_back(sentence);
}

std::string SubtitleDocument::translated(const std::vector<Translation>& translations) {
  std::string result;
  size_t kept = 0;  // bytes of the file that are in the result
  for (size_t i = 0; i < sentences_.size(); ++i) {
    const Translation& translation = translations.at(i);
    if (says_the_same(translation, in_source_order(segments_[i]))) continue;
    const bool is_usable =
        has_all_marks(translation, segments_[i]) && nmt::is_visible(plain_text(translation));
    refused_ += is_usable ? 0 : 1;
    if (!is_usable) continue;
    const std::vector<std::string> cues = written(i, translation);
    for (size_t cue = 0; cue < cues.size(); ++cue) {
      const Part& part = parts_[sentences_[i].first + cue];
      result.append(text_, kept, part.begin - kept) += cues[cue];
      kept = part.end;
    }
  }
  return encoded_like(beginning_, result.append(text_, kept));
}

// The text of each part of a sentence.
std::vector<std::string> SubtitleDocument::written(size_t segment,
                                                   const Translation& translation) const {
  const Sentence sentence = sentences_[segment];
  PlacedMarks placed(translation);
  const LinePieces pieces(placed.words);
  std::vector<LinePieces::Run> lines;
  std::vector<size_t> ends;  // of each part, in `lines`
  std::vector<std::string> codes;
  for (size_t i = sentence.first; i < sentence.last; ++i)
    codes.insert(codes.end(), parts_[i].codes.begin(), parts_[i].codes.end());
  const auto runs = pieces.split(pieces.all(), weights_of(sentence));
  for (size_t i = 0; i < runs.size(); ++i) {
    const Part& part = parts_[sentence.first + i];
    const size_t most = std::max({syntax_.most_columns, part.longest_line});
    // A cue for which no words are left shows the last ones again.
    const auto run = std::find_if(runs.rend() - static_cast<std::ptrdiff_t>(i) - 1, runs.rend(),
                                  [](LinePieces::Run one) { return !one.empty(); });
    const auto added = pieces.lines(*run, part.line_ends.size() + 1,
                                    most - std::min(part.columns_around, most / 2));
    lines.insert(lines.end(), added.begin(), added.end());
    ends.push_back(lines.size());
    if (!runs[i].empty())
      placed.add(part.timed_codes, places_of(part.timed_codes, pieces, runs[i]), codes);
  }
  CodeWriter writer(placed, segments_[segment], std::move(codes), syntax_);
  std::vector<std::string> texts;
  for (size_t i = 0, line = 0; i < ends.size(); ++i) {
    const Part& part = parts_[sentence.first + i];
    writer.begin_cue(runs[i].empty() ? joined(part.timed_codes) : "");
    for (const size_t first = line; line < ends[i]; ++line) {
      if (line > first)
        writer.add_line_end(line - first <= part.line_ends.size() ? part.line_ends[line - first - 1]
                                                                  : syntax_.new_line);
      writer.add_line(
          pieces.begin_of(lines[line]), pieces.end_of(lines[line]),
          line + 1 < lines.size() ? pieces.begin_of(lines[line + 1]) : placed.words.size() + 1);
    }
    texts.push_back(writer.end_cue());
  }
  return texts;
}

// How long the cues of a sentence are shown, or how long their texts are if the times are wrong.
std::vector<double> SubtitleDocument::weights_of(Sentence sentence) const {
  std::vector<double> shown, columns;
  bool are_times_right = true;
  for (size_t i = sentence.first; i < sentence.last; ++i) {
    const CueTimes& times = times_[parts_[i].cue];
    shown.push_back(static_cast<double>(times.end - times.start));
    columns.push_back(static_cast<double>(columns_of(parts_[i].text.text)));
    are_times_right = are_times_right && times.end > times.start;
  }
  return are_times_right ? shown : columns;
}

FileLine line_at(std::string_view text, size_t begin) {
  const size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
  const size_t bytes = text.substr(end).starts_with("\r\n") ? 2 : 1;
  const size_t last = text.substr(begin, end - begin).find_last_not_of(kCueSpaces);
  return {begin, begin + last + 1, std::min(end + bytes, text.size())};
}

}  // namespace dietmt::service
