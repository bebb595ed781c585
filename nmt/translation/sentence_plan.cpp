#include "nmt/translation/sentence_plan.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

#include "data/text/sentence_splitter.h"
#include "data/text/text_characters.h"

namespace dietmt::nmt {
namespace {

data::SplitText split(std::string_view text, const PlanOptions& options) {
  return options.language ? data::split_sentences(text, *options.language)
                          : data::one_sentence(text);
}

// Replaces each line break with a space; all bytes keep their positions.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

class SentencePlanner {
 public:
  SentencePlanner(MarkedText marked, const PlanOptions& options, PlannedText& planned)
      : marked_(std::move(marked)), options_(options), planned_(planned) {}

  void add(const std::vector<MarkedPart>& raw) {
    const std::string one_line = options_.joins_lines ? on_one_line(marked_.text) : "";
    const std::string_view lines = options_.joins_lines ? one_line : marked_.text;
    const data::SplitText parts = split(lines, options_);
    if (parts.pieces.empty()) {
      planned_.after.insert(planned_.after.end(), raw.begin(), raw.end());
      return;
    }
    for (const data::SentencePiece& piece : parts.pieces) {
      const auto begin = static_cast<size_t>(piece.sentence.data() - lines.data());
      const size_t end = begin + piece.sentence.size();
      options_.language ? add_sentence(begin, end, first_mark_of(begin), last_mark_of(end))
                        : add_with_all_marks(begin, end);
    }
    add_between(marked_.text.size(), marked_.marks.size());
  }

 private:
  // Keeps all marks, as the command does with a line.
  void add_with_all_marks(size_t begin, size_t end) {
    if (!marked_.marks.empty()) {
      begin = std::min(begin, static_cast<size_t>(marked_.marks.front().at));
      end = std::max(end, static_cast<size_t>(marked_.marks.back().at));
    }
    add_sentence(begin, end, 0, marked_.marks.size());
  }

  // Takes marks `first` .. `last` - 1.
  void add_sentence(size_t begin, size_t end, size_t first, size_t last) {
    add_between(begin, first);
    PlannedSentence& added = planned_.sentences.emplace_back();
    added.before = std::exchange(planned_.after, {});
    added.marked = {.text = marked_.text.substr(begin, end - begin),
                    .marks = {},
                    .spellings = marked_.spellings};
    for (size_t m = mark_; m < last; ++m) added.marked.marks.push_back(moved_mark(m, begin, last));
    mark_ = last;
    at_ = end;
  }

  // Adds white space and marks up to a byte and a mark.
  void add_between(size_t end, size_t last_mark) {
    const auto add_text = [&](size_t to) {
      const std::string_view text = std::string_view(marked_.text).substr(at_, to - at_);
      if (text != " " || !stands_for_point()) add_written(text);
      at_ = to;
    };
    for (; mark_ < last_mark; ++mark_) {
      add_text(std::max(at_, static_cast<size_t>(marked_.marks[mark_].at)));
      for (const MarkedPart& part : marked_.marks[mark_].parts)
        part.is_markup ? planned_.after.push_back(part) : add_written(part.text);
    }
    add_text(end);
  }

  // Whether a space here is not in the text but separates words that only a point separated.
  bool stands_for_point() const {
    if (mark_ == 0) return false;
    const InlineMark& last = marked_.marks[mark_ - 1];
    return last.kind == InlineMark::Kind::kPoint && static_cast<size_t>(last.at) == at_ &&
           last.before != InlineMark::Neighbour::kSpace &&
           last.after != InlineMark::Neighbour::kSpace;
  }

  void add_written(std::string_view text) {
    if (text.empty()) return;
    planned_.after.push_back({respelled(text, marked_.spellings)});
  }

  // An end tag at the beginning of a sentence belongs to the previous one.
  size_t first_mark_of(size_t begin) const {
    return find_mark([&](const InlineMark& mark) {
      const bool closes = mark.kind == InlineMark::Kind::kClose;
      const auto at = static_cast<size_t>(mark.at);
      return at > begin || (at == begin && !closes);
    });
  }

  // A start tag at the end belongs to the next sentence.
  size_t last_mark_of(size_t end) const {
    return find_mark([&](const InlineMark& mark) {
      const bool opens = mark.kind == InlineMark::Kind::kOpen;
      const auto at = static_cast<size_t>(mark.at);
      return at > end || (at == end && opens);
    });
  }

  template <typename Predicate>
  size_t find_mark(const Predicate& predicate) const {
    const auto& marks = marked_.marks;
    const auto found =
        std::find_if(marks.begin() + static_cast<std::ptrdiff_t>(mark_), marks.end(), predicate);
    return static_cast<size_t>(found - marks.begin());
  }

  // A mark of a sentence that starts at byte `begin` and has the marks mark_ .. last - 1.
  InlineMark moved_mark(size_t index, size_t begin, size_t last) const {
    InlineMark mark = marked_.marks[index];
    mark.at -= static_cast<int32_t>(begin);
    const auto first = static_cast<int32_t>(mark_);
    const bool is_inside = mark.partner >= first && mark.partner < static_cast<int32_t>(last);
    mark.partner = is_inside ? mark.partner - first : -1;
    return mark;
  }

  const MarkedText marked_;
  const PlanOptions& options_;
  PlannedText& planned_;
  size_t at_ = 0;    // earlier bytes are in the plan
  size_t mark_ = 0;  // so are earlier marks
};

// The last and first characters of texts that are not markup; 0 if there is none.
UChar32 last_of(const std::vector<MarkedPart>& parts) {
  if (parts.empty() || parts.back().is_markup) return 0;
  return data::last_character_of(parts.back().text).code;
}

UChar32 first_of(const std::vector<MarkedPart>& parts) {
  if (parts.empty() || parts.front().is_markup) return 0;
  return data::first_character_of(parts.front().text).code;
}

}  // namespace

std::vector<MarkedPart> parts_of(const LineResult& translation) {
  if (!translation.parts.empty()) return translation.parts;
  return {{translation.text}};
}

void append_sentence(const std::vector<MarkedPart>& before,
                     const std::vector<MarkedPart>& translation, std::vector<MarkedPart>& parts) {
  const bool is_one_space = before.size() == 1 && before.front().text == " ";
  if (before.empty() || is_one_space) {
    const UChar32 left = last_of(parts), right = first_of(translation);
    const bool is_wide = data::is_wide_character(left) && data::is_wide_character(right);
    const bool are_words = left != 0 && right != 0 && !is_wide && !u_isUWhiteSpace(right);
    if (is_one_space ? !is_wide : are_words && !data::is_wide_character(left))
      parts.push_back({" "});
  } else {
    parts.insert(parts.end(), before.begin(), before.end());
  }
  parts.insert(parts.end(), translation.begin(), translation.end());
}

void plan_sentences(MarkedText marked, const std::vector<MarkedPart>& raw,
                    const PlanOptions& options, PlannedText& planned) {
  SentencePlanner(std::move(marked), options, planned).add(raw);
}

}  // namespace dietmt::nmt
