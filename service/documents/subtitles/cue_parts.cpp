#include "service/documents/subtitles/cue_parts.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "common/interruption.h"
#include "common/trimmed.h"
#include "data/text/sentence_ends.h"
#include "nmt/alignment/text_shape.h"
#include "service/documents/subtitles/cue_times.h"
#include "service/documents/subtitles/cue_tokens.h"
#include "service/documents/subtitles/speaker_labels.h"
#include "service/documents/subtitles/subtitle_lines.h"

namespace dietmt::service {
namespace {

class CueReader {
 public:
  CueReader(std::string_view file, size_t begin, size_t end, const CueSyntax& syntax)
      : file_(file), syntax_(syntax), tokens_(tokens_of_cue(file, begin, end, syntax)) {}

  std::vector<CuePart> parts(const std::string& language) {
    std::string before;  // words of the lines that may belong to the part of the next one
    size_t first = 0;    // token of that part
    for (size_t i = 0; i < tokens_.size();) {
      check_interruption();
      const size_t line = i;
      while (i < tokens_.size() && tokens_[i].kind != Token::Kind::kLineEnd) ++i;
      const std::string words = words_of(line, i);
      if (begins_part(line, i, before, words, language)) {
        read_part(first, line);
        first = line;
      }
      if (!words.empty()) before = words;
      if (i < tokens_.size()) ++i;
    }
    read_part(first, tokens_.size());
    return std::move(parts_);
  }

 private:
  using Token = CueToken;

  std::string_view raw(const Token& token) const {
    return file_.substr(token.begin, token.end - token.begin);
  }

  // The text of a line, without codes.
  std::string words_of(size_t first, size_t last) const {
    std::string words;
    for (size_t i = first; i < last; ++i)
      if (tokens_[i].kind == Token::Kind::kText) words += raw(tokens_[i]);
    return std::string(trimmed(words, kCueSpaces));
  }

  bool begins_part(size_t first, size_t last, const std::string& before, const std::string& words,
                   const std::string& language) const {
    if (before.empty() || words.empty()) return false;
    const auto is_voice = [](const Token& token) { return token.tag == "<v>"; };
    const auto line = std::span(tokens_).subspan(first, last - first);
    if (std::ranges::any_of(line, is_voice) || starts_part(words)) return true;
    const Brackets brackets = brackets_of(before);
    const bool was_description = !brackets.open.empty() && before.ends_with(brackets.close);
    return was_description || without_ending(before).size() < before.size() ||
           has_sentence_end(before, words, language);
  }

  // Finds the words among tokens first .. last-1: what is around them stays in the file.
  void read_part(size_t first, size_t last) {
    pair_codes(tokens_, first, last);
    tail_ = last;
    while (tail_ > first && (tokens_[tail_ - 1].kind != Token::Kind::kText ||
                             without_ending(raw(tokens_[tail_ - 1])).empty()))
      --tail_;
    if (tail_ == first) return;
    const Token& last_words = tokens_[tail_ - 1];
    end_ = last_words.begin + without_ending(raw(last_words)).size();
    begin_ = tokens_[first].begin;
    token_ = first;
    CuePart part;
    check_interruption();
    while (token_ < tail_ && (skip_code(part) || skip_label(part))) continue;
    if (token_ == tail_) return;
    for (size_t i = tail_; i < last; ++i)
      part.has_ending = part.has_ending || tokens_[i].kind == Token::Kind::kText;
    part.has_ending = part.has_ending || end_ < tokens_[tail_ - 1].end;
    for (size_t i = last; i-- > tail_;) {
      const std::optional<size_t> partner = tokens_[i].partner;
      const bool is_pair = partner && *partner >= token_ && *partner < tail_;
      if (!is_pair && tokens_[i].kind != Token::Kind::kReading) continue;
      end_ = tokens_[i].end;
      break;
    }
    part.begin = begin_;
    part.end = end_;
    read_words(part);
    measure(part, first, last);
    parts_.push_back(std::move(part));
  }

  // A line end, or a code that is for all words that follow.
  bool skip_code(CuePart& part) {
    const Token& token = tokens_[token_];
    if (token.kind == Token::Kind::kText || token.kind == Token::Kind::kReading) return false;
    if (token.partner && *token.partner > token_ && *token.partner < tail_) return false;
    if (token.tag == "<v>") part.voice = raw(token);
    begin_ = token.end;
    ++token_;
    return true;
  }

  // Spaces, and what is before the words of a speaker.
  bool skip_label(CuePart& part) {
    const Token& token = tokens_[token_];
    if (token.kind != Token::Kind::kText) return false;
    const size_t end = std::min(token.end, end_);
    std::string_view text = file_.substr(begin_, end - begin_);
    skip_spaces(text);
    const bool is_label = take_dash(text) || take_notes(text) || take_name(text) ||
                          take_around("#", "#", text) || take_brackets(text);
    part.has_label = part.has_label || is_label;
    begin_ = place_of(text);
    if (text.empty()) {
      begin_ = token.end;
      ++token_;
    }
    return is_label || text.empty();
  }

  // # or brackets around all words.
  bool take_around(std::string_view open, std::string_view close, std::string_view& text) {
    if (!text.starts_with(open)) return false;
    const size_t begin = place_of(text) + open.size();
    if (begin + close.size() > end_ || !file_.substr(begin, end_ - begin).ends_with(close))
      return false;
    end_ -= close.size();
    text = file_.substr(begin, std::min(tokens_[token_].end, end_) - begin);
    return true;
  }

  // Brackets around all words, or before others: around a name, or a description, which is a part.
  bool take_brackets(std::string_view& text) {
    const Brackets brackets = brackets_of(text);
    if (brackets.open.empty()) return false;
    const size_t close = text.find(brackets.close);
    const bool is_all = close + brackets.close.size() == text.size() && token_ + 1 == tail_;
    if (close == text.npos || is_all) return take_around(brackets.open, brackets.close, text);
    const size_t begin = place_of(text) + brackets.open.size(), end = place_of(text) + close;
    if (!is_name(file_.substr(begin, end - begin))) {
      parts_.emplace_back();
      parts_.back().begin = begin;
      parts_.back().end = end;
      parts_.back().has_label = parts_.back().has_ending = true;
      read_words(parts_.back());
    }
    text.remove_prefix(close + brackets.close.size());
    return true;
  }

  size_t place_of(std::string_view text) const {
    return static_cast<size_t>(text.data() - file_.data());
  }

  // The text of tokens first .. last-1 between two bytes.
  size_t columns(size_t first, size_t last, size_t begin, size_t end) const {
    size_t columns = 0;
    for (size_t i = first; i < last; ++i)
      if (tokens_[i].kind == Token::Kind::kText)
        columns += columns_of(clipped(tokens_[i], begin, end));
    return columns;
  }

  std::string_view clipped(const Token& token, size_t begin, size_t end) const {
    const size_t first = std::clamp(token.begin, begin, end);
    return file_.substr(first, std::clamp(token.end, first, end) - first);
  }

  // Measures the lines of a part, all of whose tokens are first .. last-1.
  void measure(CuePart& part, size_t first, size_t last) const {
    for (size_t line = first; line < last;) {
      check_interruption();
      size_t next = line;
      while (next < last && tokens_[next].kind != Token::Kind::kLineEnd) ++next;
      const size_t all = columns(line, next, 0, file_.size());
      part.longest_line = std::max(part.longest_line, all);
      const bool has_words =
          next > line && tokens_[line].begin < part.end && tokens_[next - 1].end > part.begin;
      if (has_words)
        part.columns_around =
            std::max(part.columns_around, all - columns(line, next, part.begin, part.end));
      line = next + 1;
    }
  }

  // Adds the text, codes and line ends between the bytes of a part. Readings are no text.
  void read_words(CuePart& part) const {
    bool is_new_line = false;
    size_t line_mark = 0;  // the first mark of a line
    for (size_t i = token_; i < tokens_.size() && tokens_[i].begin < part.end; ++i) {
      const Token& token = tokens_[i];
      if (token.kind == Token::Kind::kLineEnd) {
        part.line_ends.emplace_back(raw(token));
        is_new_line = true;
        line_mark = part.text.marks.size();
      } else if (is_timed(i)) {
        part.timed_codes.push_back({std::string(raw(token)),
                                    static_cast<double>(part.text.text.size()),
                                    token.kind == Token::Kind::kTimeEnd});
      } else if (token.kind == Token::Kind::kCode) {
        part.codes.emplace_back(raw(token));
        add_mark(token.tag, part.text);
      } else if (token.kind == Token::Kind::kText) {
        const std::string words = syntax_.read(clipped(token, part.begin, part.end));
        if (is_new_line) add_line_space(words, line_mark, part.text);
        is_new_line = false;
        part.text.text += words;
      }
    }
    for (TimedCode& code : part.timed_codes)
      code.share /= static_cast<double>(std::max<size_t>(part.text.text.size(), 1));
  }

  // Codes inside words, as for letters in several colors, belong to their places, not to the words.
  bool is_timed(size_t i) const {
    const Token& token = tokens_[i];
    if (token.kind != Token::Kind::kCode || token.partner || i == 0 || i + 1 == tokens_.size())
      return token.kind == Token::Kind::kTime || token.kind == Token::Kind::kTimeEnd;
    const Token &before = tokens_[i - 1], &after = tokens_[i + 1];
    return before.kind == Token::Kind::kText && after.kind == Token::Kind::kText &&
           nmt::is_word_character(nmt::last_character(raw(before))) &&
           nmt::is_word_character(nmt::first_character(raw(after)));
  }

  static void add_line_space(std::string_view words, size_t first_mark, nmt::MarkedText& text) {
    if (text.text.empty() || text.text.ends_with(' ') || words.starts_with(' ') ||
        are_written_together(text.text, words))
      return;
    text.text += ' ';
    for (size_t i = first_mark; i < text.marks.size(); ++i) ++text.marks[i].at;
  }

  std::string_view file_;
  const CueSyntax& syntax_;
  std::vector<Token> tokens_;
  std::vector<CuePart> parts_;
  // The part being read:
  size_t token_ = 0;
  size_t tail_ = 0;   // the first token after its words
  size_t begin_ = 0;  // bytes of its words
  size_t end_ = 0;
};

}  // namespace

std::vector<CuePart> parts_of_cue(std::string_view file, size_t begin, size_t end,
                                  const CueSyntax& syntax, const std::string& language) {
  return CueReader(file, begin, end, syntax).parts(language);
}

bool has_sentence_end(std::string_view text, std::string_view next, const std::string& language) {
  constexpr size_t kRead = 200;  // bytes
  if (text.size() > kRead) text.remove_prefix(text.find(' ', text.size() - kRead) + 1);
  next = next.substr(0, next.find(' ', kRead));
  const std::string line = std::string(text) + " " + std::string(next);
  const std::vector<size_t> ends = data::sentence_ends(line, language);
  return std::ranges::find(ends, text.size() + 1) != ends.end();
}

}  // namespace dietmt::service
