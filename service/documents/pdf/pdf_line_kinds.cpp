#include "service/documents/pdf/pdf_line_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

#include "common/ascii.h"

namespace dietmt::service {
namespace {

// Without digits, which count the pages.
std::string without_digits(std::string_view text) {
  std::string kept;
  std::ranges::copy_if(text, std::back_inserter(kept), [](char c) { return !is_ascii_digit(c); });
  return kept;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) words.push_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

// In other fonts, digits have one width, and the same letter has it too.
bool has_different_letters(std::string_view word) {
  const auto first = std::ranges::find_if(word, is_ascii_letter);
  return std::any_of(first, word.end(), [&](char c) { return is_ascii_letter(c) && c != *first; });
}

// Whether all its characters may have one width.
bool has_width(const PdfLine& line) { return line.character_width > 0 && line.height() > 0; }

// Words that show whether the characters of a line have one width.
size_t telling_words(const PdfLine& line) {
  if (!has_width(line)) return 0;
  const auto words = words_of(line.text);
  return static_cast<size_t>(std::ranges::count_if(words, has_different_letters));
}

// In tenths of a point.
double rounded(double points) { return std::round(points * 10) / 10; }

// The width of a character, in two hundredths of the line's height.
long relative_width(const PdfLine& line) {
  constexpr double kSteps = 200;
  return std::lround(kSteps * line.character_width / line.height());
}

}  // namespace

size_t note_mark(std::string_view text) {
  constexpr std::array<std::string_view, 7> kSigns = {"*", "†", "‡", "§", "¶", "¹", "²"};
  for (const std::string_view sign : kSigns)
    if (text.starts_with(sign)) return sign.size();
  constexpr size_t kMostDigits = 3;
  const auto end = std::ranges::find_if_not(text, is_ascii_digit);
  const auto digits = static_cast<size_t>(end - text.begin());
  const bool is_number = digits > 0 && digits <= kMostDigits && end != text.end() && *end != '.' &&
                         *end != ')' && *end != ':' && *end != ',';
  return is_number ? digits : 0;
}

PdfLineKinds::PdfLineKinds(const std::vector<PdfPage>& pages) {
  find_edges(pages);
  find_widths_of_code(pages);
  find_usual_height(pages);
}

std::vector<PdfLineKind> PdfLineKinds::of(const PdfPage& page) const {
  std::vector<PdfLineKind> kinds;
  const PdfLine* last = nullptr;
  for (const PdfLine& line : page.lines) {
    const auto edge = edge_of(page, line);
    const PdfLineKind before = kinds.empty() ? PdfLineKind::kText : kinds.back();
    const bool is_same_block = last != nullptr && last->block == line.block;
    if (edge && edges_.contains(*edge))
      kinds.push_back(PdfLineKind::kEdge);
    else if ((before == PdfLineKind::kNote && (is_same_block || is_small(line))) ||
             (!is_same_block && begins_note(page, line)))
      kinds.push_back(PdfLineKind::kNote);
    else if (is_code(line, before == PdfLineKind::kCode))
      kinds.push_back(PdfLineKind::kCode);
    else
      kinds.push_back(PdfLineKind::kText);
    last = &line;
  }
  return kinds;
}

std::optional<PdfLineKinds::Edge> PdfLineKinds::edge_of(const PdfPage& page, const PdfLine& line) {
  constexpr double kPoints = 85;  // 3 cm; on a page of A4, a tenth
  const bool is_upper = line.bottom < kPoints;
  if (!is_upper && line.top < page.height - kPoints) return std::nullopt;
  return Edge{without_digits(line.text), is_upper};
}

// Left and right pages may differ.
void PdfLineKinds::find_edges(const std::vector<PdfPage>& pages) {
  constexpr size_t kLeast = 3;
  std::map<Edge, size_t> counts;
  for (const PdfPage& page : pages) {
    std::set<Edge> found;
    for (const PdfLine& line : page.lines)
      if (const auto edge = edge_of(page, line)) found.insert(*edge);
    for (const Edge& edge : found) ++counts[edge];
  }
  for (const auto& [edge, count] : counts)
    if (count >= std::max(kLeast, pages.size() / kLeast)) edges_.insert(edge);
}

void PdfLineKinds::find_usual_height(const std::vector<PdfPage>& pages) {
  std::map<double, size_t> bytes;
  for (const PdfPage& page : pages)
    for (const PdfLine& line : page.lines) bytes[rounded(line.height())] += line.text.size();
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; });
  if (most != bytes.end()) usual_height_ = most->first;
}

// A few words of other fonts are of one width by chance, but hardly those of several lines.
void PdfLineKinds::find_widths_of_code(const std::vector<PdfPage>& pages) {
  constexpr size_t kWords = 4;
  long width = 0;
  size_t block = 0, words = 0;
  for (const PdfPage& page : pages) {
    for (const PdfLine& line : page.lines) {
      if (line.block != block || !has_width(line) || std::abs(relative_width(line) - width) > 1) {
        block = line.block;
        width = has_width(line) ? relative_width(line) : 0;
        words = 0;
      }
      words += telling_words(line);
      if (words >= kWords) code_widths_.insert({width - 1, width, width + 1});
    }
  }
  size_t code_bytes = 0, bytes = 0;
  for (const PdfPage& page : pages) {
    for (const PdfLine& line : page.lines) {
      bytes += line.text.size();
      if (is_code(line, false)) code_bytes += line.text.size();
    }
  }
  if (2 * code_bytes > bytes) code_widths_.clear();  // written with a typewriter
}

bool PdfLineKinds::is_code(const PdfLine& line, bool is_after_code) const {
  if (!has_width(line) || !code_widths_.contains(relative_width(line))) return false;
  return is_after_code || !std::ranges::all_of(line.text, is_ascii_letter);
}

bool PdfLineKinds::is_small(const PdfLine& line) const {
  constexpr double kMostRatio = 0.95;
  return line.height() < kMostRatio * usual_height_;
}

bool PdfLineKinds::begins_note(const PdfPage& page, const PdfLine& line) const {
  const size_t mark = note_mark(line.text);
  if (mark == 0 || line.top < page.height / 2) return false;
  return is_small(line) || (mark < line.text.size() && is_ascii_letter(line.text[mark]));
}

}  // namespace dietmt::service
