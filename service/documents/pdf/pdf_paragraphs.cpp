#include "service/documents/pdf/pdf_paragraphs.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_set>

#include "common/ascii.h"
#include "common/interruption.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/pdf/pdf_line_kinds.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kSoftHyphen = "\u00AD";
constexpr std::string_view kHyphen = "-";

// Whether the sentence can go on in the next line: it does not end with a full stop, also before
// closing quotes.
bool is_open(std::string_view text) {
  while (!text.empty()) {
    const auto last = static_cast<UChar32>(nmt::last_character(text));
    const auto type = u_charType(last);
    const bool closes = type == U_END_PUNCTUATION || type == U_FINAL_PUNCTUATION || last == '"';
    if (!closes) return !u_hasBinaryProperty(last, UCHAR_S_TERM) && last != ':';
    nmt::drop_last(text);
  }
  return false;
}

// "•", "-", "3.", "(a)", "12)": the mark of an item of a list.
bool is_item_mark(std::string_view word) {
  if (word.empty()) return false;
  if (word.size() == static_cast<size_t>(nmt::bytes_of_first(word))) {
    const auto type = u_charType(static_cast<UChar32>(nmt::first_character(word)));
    return type == U_OTHER_PUNCTUATION || type == U_DASH_PUNCTUATION || type == U_OTHER_SYMBOL ||
           type == U_MATH_SYMBOL;
  }
  constexpr size_t kLongestNumber = 6;
  if (word.size() > kLongestNumber || (word.back() != '.' && word.back() != ')')) return false;
  word.remove_suffix(1);
  if (word.front() == '(') word.remove_prefix(1);
  const auto counts = [](char c) { return is_ascii_digit(c) || c == '.'; };
  return word.size() == 1 || (std::ranges::all_of(word, counts) && word.front() != '.');
}

// The mark of an item of a list, with which a line begins, or all of it; 0 bytes: none.
size_t item_mark(std::string_view line) {
  const size_t space = std::min(line.find(' '), line.size());
  return is_item_mark(line.substr(0, space)) ? space : 0;
}

struct Leader {
  size_t begin;
  size_t end;  // where the number of the page begins
};

// The first dots after text, with spaces between them or not, that lead from a heading to its
// page's number; the end of the line if it has none.
Leader leader_in(std::string_view line) {
  constexpr std::ptrdiff_t kLeastDots = 4;
  constexpr size_t kNone = std::string_view::npos;
  for (size_t at = line.find('.', 1); at < line.size(); at = line.find('.', at)) {
    const size_t end = std::min(line.find_first_not_of(". ", at), line.size());
    const size_t last = line.find_last_not_of(". ", at);
    if (last != kNone && std::ranges::count(line.substr(at, end - at), '.') >= kLeastDots)
      return {last + 1, end};
    at = end;
  }
  return {line.size(), line.size()};
}

std::string with_single_spaces(std::string text) {
  const auto is_repeated = [](char one, char other) { return one == ' ' && other == ' '; };
  text.erase(std::ranges::unique(text, is_repeated).begin(), text.end());
  return text;
}

bool is_alike(double one, double other) {
  constexpr double kMostRatio = 1.15;
  return std::max(one, other) <= kMostRatio * std::min(one, other);
}

class Joiner {
 public:
  explicit Joiner(const std::vector<PdfPage>& pages) {
    for (const PdfPage& page : pages) {
      measure_blocks(page);
      for (const PdfLine& line : page.lines) note_hyphens(line.text);
    }
  }

  void add(const PdfLine& line, PdfLineKind kind) {
    if (kind == PdfLineKind::kCode) {
      add_code(line);
    } else if (kind == PdfLineKind::kNote) {
      add_text(line, begins_note(line) ? note_mark(line.text) : 0, notes_);
    } else {
      add_text(line, item_mark(line.text), body_);
    }
  }

  std::vector<PdfParagraph> take_paragraphs() {
    add_notes();
    return std::move(body_.paragraphs);
  }

 private:
  struct Block {
    double left = 0;
    double right = 0;
  };

  struct Flow {
    std::vector<PdfParagraph> paragraphs = {};
    const PdfLine* last = nullptr;
  };

  void measure_blocks(const PdfPage& page) {
    for (const PdfLine& line : page.lines) {
      const auto [block, is_new] = blocks_.try_emplace(line.block, Block{line.left, line.right});
      block->second.left = std::min(block->second.left, line.left);
      block->second.right = std::max(block->second.right, line.right);
    }
  }

  // Words with a hyphen inside a line, which keep it at the end of one.
  void note_hyphens(std::string_view text) {
    for (size_t at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {
      constexpr size_t kNone = std::string_view::npos;
      const size_t space = text.rfind(' ', at);
      const size_t begin = space == kNone ? 0 : space + 1;
      const size_t end = std::min(text.find(' ', at), text.size());
      constexpr size_t kLongestWord = 100;
      if (end - begin <= kLongestWord) hyphened_.emplace(text.substr(begin, end - begin));
    }
  }

  // A number at the beginning of another line is one of its words.
  bool begins_note(const PdfLine& line) const {
    return notes_.last == nullptr || notes_.last->block != line.block ||
           !is_open(notes_.paragraphs.back().text);
  }

  void add_text(const PdfLine& line, size_t mark, Flow& flow) {
    const Leader leader = leader_in(line.text);
    const std::string text = line.text.substr(0, leader.begin);
    if (goes_on(line, mark, flow)) {
      append(text, flow.paragraphs.back().text);
    } else {
      if (&flow == &body_) add_notes();
      const size_t begin = std::min(text.find_first_not_of(' ', mark), text.size());
      flow.paragraphs.push_back({.mark = text.substr(0, mark),
                                 .text = with_single_spaces(text.substr(begin)),
                                 .line_height = line.height()});
    }
    flow.paragraphs.back().page = line.text.substr(leader.end);
    flow.last = &line;
  }

  void add_code(const PdfLine& line) {
    constexpr double kMostSpaces = 100;
    const double indent =
        std::round((line.left - blocks_.at(line.block).left) / line.character_width);
    const std::string text =
        std::string(static_cast<size_t>(std::clamp(indent, 0.0, kMostSpaces)), ' ') + line.text;
    const bool goes_on =
        body_.last != nullptr && body_.paragraphs.back().is_code && body_.last->block == line.block;
    if (goes_on) {
      body_.paragraphs.back().text += '\n' + text;
    } else {
      add_notes();
      body_.paragraphs.push_back({.text = text, .line_height = line.height(), .is_code = true});
    }
    body_.last = &line;
  }

  void add_notes() {
    std::ranges::move(notes_.paragraphs, std::back_inserter(body_.paragraphs));
    notes_ = {};
  }

  bool goes_on(const PdfLine& line, size_t mark, const Flow& flow) const {
    if (flow.last == nullptr || flow.paragraphs.back().is_code) return false;
    const auto& [mark_before, before, page, height_before, is_code] = flow.paragraphs.back();
    if (!page.empty()) return false;
    if (before.empty()) return true;  // only a mark so far
    if (mark > 0 || !is_alike(flow.last->height(), line.height())) return false;
    const bool is_lower = u_islower(static_cast<UChar32>(nmt::first_character(line.text)));
    if (line.block != flow.last->block)
      return is_open(before) &&
             (is_lower || (is_below(line, *flow.last) && fills_column(*flow.last)));
    const Block& block = blocks_.at(line.block);
    const double height = line.height();
    const bool is_indented = line.left > block.left + height / 2 &&
                             flow.last->left < line.left - 1 && mark_before.empty();
    const bool was_short = flow.last->right < block.right - 4 * height;
    if (is_lower && is_open(before)) return true;
    return !(is_indented || (was_short && !is_open(before)));
  }

  // Whether there is no more space between the lines than within a paragraph.
  static bool is_below(const PdfLine& line, const PdfLine& last) {
    const double gap = line.top - last.bottom;
    return gap > -line.height() / 2 && gap < line.height() * 0.6;
  }

  // Whether a line has many words and goes to the right edge of its block: a heading does not.
  bool fills_column(const PdfLine& line) const {
    const Block& block = blocks_.at(line.block);
    return line.right - line.left > 25 * line.height() &&
           line.right > block.right - 2 * line.height();
  }

  void append(const std::string& added, std::string& text) const {
    const std::string line = with_single_spaces(added);
    if (text.empty()) {
      text = line;
      return;
    }
    if (text.ends_with(kSoftHyphen)) {
      text.resize(text.size() - kSoftHyphen.size());
    } else if (text.ends_with(kHyphen) &&
               u_islower(static_cast<UChar32>(nmt::first_character(line)))) {
      const size_t begin = text.rfind(' ') + 1;  // npos + 1 is 0
      const std::string_view rest = std::string_view(line).substr(0, line.find(' '));
      if (!hyphened_.contains(text.substr(begin) + std::string(rest)))
        text.resize(text.size() - kHyphen.size());
    } else {
      text += ' ';
    }
    text += line;
  }

  std::map<size_t, Block> blocks_;
  std::unordered_set<std::string> hyphened_;
  Flow body_;
  Flow notes_;
};

std::string names_of_empty(const std::vector<PdfPage>& pages) {
  constexpr size_t kMostNumbers = 20;
  std::string numbers;
  size_t count = 0;
  for (size_t i = 0; i < pages.size(); ++i)
    if (pages[i].lines.empty() && ++count <= kMostNumbers)
      numbers += (numbers.empty() ? "" : ", ") + std::to_string(i + 1);
  if (count > kMostNumbers) numbers += ", ...";
  return numbers;
}

}  // namespace

PdfText pdf_paragraphs(const std::vector<PdfPage>& pages) {
  const PdfLineKinds kinds(pages);
  Joiner joiner(pages);
  bool has_edges = false;
  for (const PdfPage& page : pages) {
    const std::vector<PdfLineKind> kinds_of_page = kinds.of(page);
    for (size_t i = 0; i < page.lines.size(); ++i) {
      check_interruption();
      if (kinds_of_page[i] == PdfLineKind::kEdge)
        has_edges = true;
      else
        joiner.add(page.lines[i], kinds_of_page[i]);
    }
  }
  PdfText text = {.paragraphs = joiner.take_paragraphs(), .left_out = {}};
  if (has_edges) text.left_out.emplace_back("what the pages have at their edges");
  const std::string empty = names_of_empty(pages);
  if (!empty.empty())
    text.left_out.push_back("what is on pages without text (number " + empty + ")");
  return text;
}

}  // namespace dietmt::service
