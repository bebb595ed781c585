#include "service/api/text_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "data/text/sentence_splitter.h"
#include "nmt/alignment/inline_markup.h"
#include "service/documents/document.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

data::SplitText split(std::string_view text, const TextOptions& options) {
  return options.split ? data::split_sentences(text, options.language) : data::one_sentence(text);
}

// Replaces each line break with a space; all bytes keep their positions.
std::string on_one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// Splits a text without its markup into sentences; each takes the marks inside it along.
class SentencePlanner {
 public:
  // `joins_lines`: sentences continue across line breaks.
  SentencePlanner(nmt::MarkedText marked, bool joins_lines, const TextOptions& options,
                  TranslatedText& planned)
      : marked_(std::move(marked)),
        joins_lines_(joins_lines),
        options_(options),
        planned_(planned) {}

  // `raw`: the text with its markup, which stays unchanged if it has no sentences.
  void add(const Translation& raw) {
    const std::string one_line = joins_lines_ ? on_one_line(marked_.text) : "";
    const std::string_view lines = joins_lines_ ? one_line : marked_.text;
    const data::SplitText parts = split(lines, options_);
    if (parts.pieces.empty()) {
      planned_.after.insert(planned_.after.end(), raw.begin(), raw.end());
      return;
    }
    for (const data::SentencePiece& piece : parts.pieces) {
      const auto begin = static_cast<size_t>(piece.sentence.data() - lines.data());
      const size_t end = begin + piece.sentence.size();
      options_.split ? add_sentence(begin, end, first_mark_of(begin), last_mark_of(end))
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
    TranslatedSentence& added = planned_.sentences.emplace_back();
    added.before = std::exchange(planned_.after, {});
    added.marked = {.text = marked_.text.substr(begin, end - begin),
                    .marks = {},
                    .spellings = marked_.spellings};
    for (size_t m = mark_; m < last; ++m) added.marked.marks.push_back(moved_mark(m, begin, last));
    if (joins_lines_) added.marked = join_lines(added.marked);
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
      for (const nmt::MarkedPart& part : marked_.marks[mark_].parts)
        part.is_markup ? planned_.after.push_back(part) : add_written(part.text);
    }
    add_text(end);
  }

  // Whether a space here is not in the text but separates words that only a point separated.
  bool stands_for_point() const {
    if (mark_ == 0) return false;
    const nmt::InlineMark& last = marked_.marks[mark_ - 1];
    return last.kind == nmt::InlineMark::Kind::kPoint && static_cast<size_t>(last.at) == at_ &&
           last.before != nmt::InlineMark::Neighbour::kSpace &&
           last.after != nmt::InlineMark::Neighbour::kSpace;
  }

  void add_written(std::string_view text) {
    if (text.empty()) return;
    planned_.after.push_back(
        {options_.html ? escape_markup(text) : nmt::respelled(text, marked_.spellings)});
  }

  // An end tag at the beginning of a sentence belongs to the previous one.
  size_t first_mark_of(size_t begin) const {
    return find_mark([&](const nmt::InlineMark& mark) {
      const bool closes = mark.kind == nmt::InlineMark::Kind::kClose;
      const auto at = static_cast<size_t>(mark.at);
      return at > begin || (at == begin && !closes);
    });
  }

  // A start tag at the end belongs to the next sentence.
  size_t last_mark_of(size_t end) const {
    return find_mark([&](const nmt::InlineMark& mark) {
      const bool opens = mark.kind == nmt::InlineMark::Kind::kOpen;
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
  nmt::InlineMark moved_mark(size_t index, size_t begin, size_t last) const {
    nmt::InlineMark mark = marked_.marks[index];
    mark.at -= static_cast<int32_t>(begin);
    const auto first = static_cast<int32_t>(mark_);
    const bool is_inside = mark.partner >= first && mark.partner < static_cast<int32_t>(last);
    mark.partner = is_inside ? mark.partner - first : -1;
    return mark;
  }

  const nmt::MarkedText marked_;
  const bool joins_lines_;
  const TextOptions& options_;
  TranslatedText& planned_;
  size_t at_ = 0;    // earlier bytes are in the plan
  size_t mark_ = 0;  // so are earlier marks
};

// Texts with inline markup, between block tags.
void plan_html(std::string_view html, const TextOptions& options, TranslatedText& planned) {
  nmt::MarkupRemoval removal;
  Translation raw;
  bool keeps_lines = false;
  const auto flush = [&] {
    if (raw.empty()) return;
    SentencePlanner(removal.finish(), !keeps_lines, options, planned).add(raw);
    raw.clear();
  };
  for (const MarkupPart& part : split_markup(html)) {
    if (part.is_text) {
      removal.add_text(resolve_references(part.raw));
    } else if (part.is_inline) {
      removal.add_mark({.text = std::string(part.raw)});
    } else {
      flush();
      planned.after.push_back({std::string(part.raw)});
      continue;
    }
    raw.push_back({std::string(part.raw)});
    keeps_lines = part.keeps_lines;
  }
  flush();
}

void plan_marked(const nmt::MarkedText& text, const TextOptions& options, nmt::KeptKinds taken_out,
                 TranslatedText& planned) {
  const nmt::KeptKinds kinds = text.marks.empty() ? taken_out : nmt::KeptKinds::all();
  SentencePlanner(kinds.any() ? nmt::take_out_markup(text, kinds) : text, false, options, planned)
      .add(in_source_order(text));
}

}  // namespace

TranslatedText plan_text(const nmt::MarkedText& text, const TextOptions& options,
                         nmt::KeptKinds taken_out) {
  TranslatedText planned;
  if (options.html) {
    plan_html(text.text, options, planned);
  } else if (options.split || !text.marks.empty()) {
    plan_marked(text, options, taken_out, planned);
  } else {
    // Removing markup also removes white space, so that around the line is set aside first.
    const data::SplitText line = data::one_sentence(text.text);
    for (const data::SentencePiece& piece : line.pieces) {
      planned.after.push_back({std::string(piece.before)});
      plan_marked({.text = std::string(piece.sentence), .marks = {}}, options, taken_out, planned);
    }
    planned.after.push_back({std::string(line.after)});
  }
  return planned;
}

}  // namespace dietmt::service
