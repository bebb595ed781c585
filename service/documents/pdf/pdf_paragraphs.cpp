#include "service/documents/pdf/pdf_paragraphs.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

#include "common/ascii.h"
#include "common/interruption.h"

namespace dietmt::service {
namespace {

constexpr std::string_view kSoftHyphen = "\u00AD";
constexpr std::string_view kHyphen = "-";

UChar32 first_character(std::string_view text) {
  UChar32 first = U_SENTINEL;
  if (!text.empty()) {
    int32_t at = 0;
    U8_NEXT(text.data(), at, static_cast<int32_t>(text.size()), first);
  }
  return first;
}

UChar32 last_character(std::string_view text) {
  UChar32 last = U_SENTINEL;
  auto at = static_cast<int32_t>(text.size());
  if (at > 0) U8_PREV(text.data(), 0, at, last);
  return last;
}

// Whether the sentence can go on in the next line: it does not end with a full stop, also before
// closing quotes.
bool is_open(std::string_view text) {
  while (!text.empty()) {
    const UChar32 last = last_character(text);
    const auto type = u_charType(last);
    const bool closes = type == U_END_PUNCTUATION || type == U_FINAL_PUNCTUATION || last == '"';
    if (!closes) return !u_hasBinaryProperty(last, UCHAR_S_TERM) && last != ':';
    text.remove_suffix(static_cast<size_t>(U8_LENGTH(last)));
  }
  return false;
}

// "•", "-", "3.", "(a)", "12)": the mark of an item of a list.
bool is_item_mark(std::string_view word) {
  if (word.empty()) return false;
  const UChar32 first = first_character(word);
  if (word.size() == static_cast<size_t>(U8_LENGTH(first))) {
    const auto type = u_charType(first);
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

// Without digits, which count the pages.
std::string without_digits(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return !is_ascii_digit(c); });
  return kept;
}

struct Edge {
  std::string text;  // without digits
  bool is_upper = false;

  auto operator<=>(const Edge&) const = default;
};

std::optional<Edge> edge_of(const PdfPage& page, const PdfLine& line) {
  constexpr double kPoints = 85;  // 3 cm; on a page of A4, a tenth
  const bool is_upper = line.bottom < kPoints;
  if (!is_upper && line.top < page.height - kPoints) return std::nullopt;
  return Edge{without_digits(line.text), is_upper};
}

// The lines that at least three pages and a third of all have at an edge: left and right pages may
// differ.
std::set<Edge> repeated_edges(const std::vector<PdfPage>& pages) {
  constexpr size_t kLeast = 3;
  std::map<Edge, size_t> counts;
  for (const PdfPage& page : pages) {
    std::set<Edge> edges;
    for (const PdfLine& line : page.lines)
      if (const auto edge = edge_of(page, line)) edges.insert(*edge);
    for (const Edge& edge : edges) ++counts[edge];
  }
  std::set<Edge> repeated;
  for (const auto& [edge, count] : counts)
    if (count >= std::max(kLeast, pages.size() / kLeast)) repeated.insert(edge);
  return repeated;
}

bool is_alike(double one, double other) {
  constexpr double kMostRatio = 1.15;
  return std::max(one, other) <= kMostRatio * std::min(one, other);
}

class Joiner {
 public:
  explicit Joiner(const std::vector<PdfPage>& pages) : repeated_(repeated_edges(pages)) {
    for (const PdfPage& page : pages) {
      measure_blocks(page);
      for (const PdfLine& line : page.lines) note_hyphens(line.text);
    }
  }

  void add(const PdfPage& page) {
    for (const PdfLine& line : page.lines) {
      check_interruption();
      const auto edge = edge_of(page, line);
      if (edge && repeated_.contains(*edge)) {
        has_edges_ = true;
        continue;
      }
      if (goes_on(line))
        append(line.text);
      else
        begin_paragraph(line);
      last_ = &line;
    }
  }

  std::vector<PdfParagraph> take_paragraphs() { return std::move(paragraphs_); }
  bool has_edges() const { return has_edges_; }

 private:
  struct Block {
    double left = 0;
    double right = 0;
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

  bool goes_on(const PdfLine& line) const {
    if (last_ == nullptr) return false;
    const auto& [mark, before, height_before] = paragraphs_.back();
    if (before.empty()) return true;  // only a mark so far
    if (item_mark(line.text) > 0 || !is_alike(last_->height(), line.height())) return false;
    const bool is_lower = u_islower(first_character(line.text));
    if (line.block != last_->block)
      return is_open(before) && (is_lower || (is_below_last(line) && fills_column(*last_)));
    const Block& block = blocks_.at(line.block);
    const double height = line.height();
    const bool is_indented =
        line.left > block.left + height / 2 && last_->left < line.left - 1 && mark.empty();
    const bool was_short = last_->right < block.right - 4 * height;
    if (is_lower && is_open(before)) return true;
    return !(is_indented || (was_short && !is_open(before)));
  }

  // Whether there is no more space between the lines than within a paragraph.
  bool is_below_last(const PdfLine& line) const {
    const double gap = line.top - last_->bottom;
    return gap > -line.height() / 2 && gap < line.height() * 0.6;
  }

  // Whether a line has many words and goes to the right edge of its block: a heading does not.
  bool fills_column(const PdfLine& line) const {
    const Block& block = blocks_.at(line.block);
    return line.right - line.left > 25 * line.height() &&
           line.right > block.right - 2 * line.height();
  }

  void begin_paragraph(const PdfLine& line) {
    const size_t mark = item_mark(line.text);
    const size_t begin = std::min(line.text.find_first_not_of(' ', mark), line.text.size());
    paragraphs_.push_back({.mark = line.text.substr(0, mark),
                           .text = line.text.substr(begin),
                           .line_height = line.height()});
  }

  void append(std::string_view line) {
    std::string& text = paragraphs_.back().text;
    if (text.empty()) {
      text = line;
      return;
    }
    if (text.ends_with(kSoftHyphen)) {
      text.resize(text.size() - kSoftHyphen.size());
    } else if (text.ends_with(kHyphen) && u_islower(first_character(line))) {
      const size_t begin = text.rfind(' ') + 1;  // npos + 1 is 0
      const std::string_view rest = line.substr(0, line.find(' '));
      if (!hyphened_.contains(text.substr(begin) + std::string(rest)))
        text.resize(text.size() - kHyphen.size());
    } else {
      text += ' ';
    }
    text += line;
  }

  const std::set<Edge> repeated_;
  std::map<size_t, Block> blocks_;
  std::unordered_set<std::string> hyphened_;
  std::vector<PdfParagraph> paragraphs_;
  const PdfLine* last_ = nullptr;
  bool has_edges_ = false;
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
  Joiner joiner(pages);
  for (const PdfPage& page : pages) joiner.add(page);
  PdfText text = {.paragraphs = joiner.take_paragraphs(), .left_out = {}};
  if (joiner.has_edges()) text.left_out.emplace_back("what the pages have at their edges");
  const std::string empty = names_of_empty(pages);
  if (!empty.empty())
    text.left_out.push_back("what is on pages without text (number " + empty + ")");
  return text;
}

}  // namespace dietmt::service
