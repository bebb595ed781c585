#include "service/api/text_plan.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "nmt/alignment/inline_markup.h"
#include "service/api/sentence_splitter.h"
#include "service/documents/markup.h"

namespace dietmt::service {
namespace {

SplitText split(std::string_view text, const TextOptions& options) {
  return options.split ? split_sentences(text, options.language) : one_sentence(text);
}

// Sentences of a text without its markup; each takes the marks inside it along.
class SentencePlanner {
 public:
  SentencePlanner(const nmt::MarkedText& marked, const TextOptions& options,
                  TranslatedText& planned)
      : marked_(marked), options_(options), planned_(planned) {}

  // `raw`: the text with its markup, which stays as it is if it has no sentences.
  void add(std::string_view raw) {
    const SplitText parts = split(marked_.text, options_);
    if (parts.pieces.empty()) {
      planned_.after += raw;
      return;
    }
    for (const SentencePiece& piece : parts.pieces) add_sentence(piece.sentence);
    add_between(marked_.text.size(), marked_.marks.size());
  }

 private:
  void add_sentence(std::string_view sentence) {
    const auto begin = static_cast<size_t>(sentence.data() - marked_.text.data());
    const size_t end = begin + sentence.size();
    add_between(begin, first_mark_of(begin));
    TranslatedSentence& added = planned_.sentences.emplace_back();
    added.before = std::exchange(planned_.after, {});
    added.source = sentence;
    added.marked.spellings = marked_.spellings;
    const size_t last = last_mark_of(end);
    if (last > mark_) {
      added.marked.text = sentence;
      for (size_t m = mark_; m < last; ++m)
        added.marked.marks.push_back(moved_mark(m, begin, last));
    }
    mark_ = last;
    at_ = end;
  }

  // White space and marks up to a byte and a mark.
  void add_between(size_t end, size_t last_mark) {
    const auto add_text = [&](size_t to) {
      const std::string_view text = std::string_view(marked_.text).substr(at_, to - at_);
      planned_.after += written(text);
      at_ = to;
    };
    for (; mark_ < last_mark; ++mark_) {
      add_text(std::max(at_, static_cast<size_t>(marked_.marks[mark_].at)));
      for (const nmt::MarkedPart& part : marked_.marks[mark_].parts)
        planned_.after += part.is_markup ? part.text : written(part.text);
    }
    add_text(end);
  }

  std::string written(std::string_view text) const {
    return options_.html ? escape_markup(text) : nmt::respelled(text, marked_.spellings);
  }

  // An end tag at the beginning of a sentence belongs to the one before.
  size_t first_mark_of(size_t begin) const {
    return find_mark([&](const nmt::InlineMark& mark) {
      const bool closes = mark.kind == nmt::InlineMark::Kind::kClose;
      const auto at = static_cast<size_t>(mark.at);
      return at > begin || (at == begin && !closes);
    });
  }

  // A start tag at the end belongs to the next.
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

  // A mark of a sentence from byte `begin` that has the marks mark_ .. last - 1.
  nmt::InlineMark moved_mark(size_t index, size_t begin, size_t last) const {
    nmt::InlineMark mark = marked_.marks[index];
    mark.at -= static_cast<int32_t>(begin);
    const auto first = static_cast<int32_t>(mark_);
    const bool is_inside = mark.partner >= first && mark.partner < static_cast<int32_t>(last);
    mark.partner = is_inside ? mark.partner - first : -1;
    return mark;
  }

  const nmt::MarkedText& marked_;
  const TextOptions& options_;
  TranslatedText& planned_;
  size_t at_ = 0;    // bytes before are in the plan
  size_t mark_ = 0;  // marks before it, too
};

void add_sentences(const nmt::MarkedText& marked, std::string_view raw, const TextOptions& options,
                   TranslatedText& planned) {
  SentencePlanner(marked, options, planned).add(raw);
}

// Texts with inline markup, between the tags of blocks.
void plan_html(std::string_view html, const TextOptions& options, TranslatedText& planned) {
  nmt::MarkupRemoval removal;
  std::string raw;
  const auto flush = [&] {
    if (raw.empty()) return;
    add_sentences(removal.finish(), raw, options, planned);
    raw.clear();
  };
  for (const MarkupPart& part : split_markup(html)) {
    if (part.is_text) {
      removal.add_text(resolve_references(part.raw));
    } else if (part.is_inline) {
      removal.add_mark(part.raw);
    } else {
      flush();
      planned.after += part.raw;
      continue;
    }
    raw += part.raw;
  }
  flush();
}

}  // namespace

TranslatedText plan_text(const std::string& text, const TextOptions& options) {
  TranslatedText planned;
  if (options.html)
    plan_html(text, options, planned);
  else
    add_sentences(options.markup ? nmt::take_out_markup(text) : nmt::MarkedText{text, {}}, text,
                  options, planned);
  return planned;
}

}  // namespace dietmt::service
