#include "service/documents/subtitles/cue_tokens.h"

#include <algorithm>
#include <utility>

#include "common/ascii.h"
#include "common/interruption.h"
#include "nmt/alignment/mark_syntax.h"
#include "service/documents/html_tags.h"

namespace dietmt::service {
namespace {

using Kind = CueToken::Kind;

constexpr const char *kOpenBracket = "<q>", *kCloseBracket = "</q>";

std::string tag_of(std::string_view code) {
  const bool is_override = code.starts_with("{\\") && code.find('}') + 1 == code.size();
  if (code.starts_with('{')) return is_override ? std::string(code) : "{\\}";
  const size_t name = code.starts_with("</") ? 2 : 1;
  if (!code.starts_with('<') || is_ascii_digit(code[name]) || code.ends_with("/>")) return "<wbr>";
  return html_lower_case(code.substr(0, code.find_first_of(" \t\r\n./>", name))) + ">";
}

Kind kind_of(CueCode::Kind kind) {
  switch (kind) {
    case CueCode::Kind::kTime:
      return Kind::kTime;
    case CueCode::Kind::kReading:
      return Kind::kReading;
    default:
      return Kind::kCode;
  }
}

// Captions that appear word by word have a <c> after each time, which has nothing but text inside.
void join_times_and_classes(std::vector<CueToken>& tokens) {
  std::vector<CueToken> joined;
  for (size_t i = 0; i < tokens.size(); ++i) {
    joined.push_back(std::move(tokens[i]));
    CueToken& token = joined.back();
    if (token.kind != Kind::kTime || i + 2 >= tokens.size()) continue;
    const CueToken& open = tokens[i + 1];
    const size_t next = tokens[i + 2].kind == Kind::kText ? i + 3 : i + 2;
    if (open.tag != "<c>" || next >= tokens.size() || tokens[next].tag != "</c>") continue;
    token.end = open.end;
    tokens[next].kind = Kind::kTimeEnd;
    ++i;
  }
  tokens = std::move(joined);
}

// How far the text goes between brackets with which a cue goes on; 0: it does not begin with them.
size_t size_in_brackets(std::string_view text, const CueSyntax& syntax) {
  constexpr size_t kLongest = 200;
  if (syntax.open_bracket.empty() || !text.starts_with(syntax.open_bracket)) return 0;
  text = text.substr(syntax.open_bracket.size(), kLongest);
  const size_t size = text.find(syntax.close_bracket);
  return size == text.npos || text.find(syntax.open_bracket) < size || text.starts_with(' ') ? 0
                                                                                             : size;
}

}  // namespace

std::vector<CueToken> tokens_of_cue(std::string_view file, size_t begin, size_t end,
                                    const CueSyntax& syntax) {
  std::vector<CueToken> tokens;
  size_t text = begin;
  bool has_bracket = false;  // an open one
  size_t close = begin;      // where the one is that closes it
  const auto add = [&](Kind kind, size_t first, size_t last) {
    if (last > first) tokens.push_back({kind, first, last});
  };
  while (begin < end) {
    check_interruption();
    const std::string_view rest = file.substr(begin, end - begin);
    CueCode code = syntax.code(rest);
    std::string tag;
    if (const size_t size = size_in_brackets(rest, syntax)) {
      code = {syntax.open_bracket.size()};
      close = begin + code.bytes + size;
      tag = kOpenBracket;
      has_bracket = true;
    } else if (has_bracket && begin == close) {
      code = {syntax.close_bracket.size()};
      tag = kCloseBracket;
      has_bracket = false;
    }
    const size_t size = code.bytes > 0 ? code.bytes : syntax.line_end(rest);
    if (size > 0) {
      add(Kind::kText, text, begin);
      add(code.bytes > 0 ? kind_of(code.kind) : Kind::kLineEnd, begin, begin + size);
      if (tokens.back().kind == Kind::kCode)
        tokens.back().tag = tag.empty() ? tag_of(rest.substr(0, size)) : tag;
      text = begin + size;
    }
    begin += std::max<size_t>(size, 1);
  }
  add(Kind::kText, text, end);
  join_times_and_classes(tokens);
  return tokens;
}

void pair_codes(std::vector<CueToken>& tokens, size_t first, size_t last) {
  std::vector<nmt::InlineMark> marks;
  std::vector<size_t> places;
  for (size_t i = first; i < last; ++i) {
    check_interruption();
    if (tokens[i].kind != Kind::kCode) continue;
    marks.push_back({.parts = {{tokens[i].tag, true}}, .kind = nmt::syntax_of(tokens[i].tag).kind});
    places.push_back(i);
  }
  nmt::find_partners(marks);
  for (size_t i = 0; i < marks.size(); ++i)
    if (marks[i].partner >= 0)
      tokens[places[i]].partner = places[static_cast<size_t>(marks[i].partner)];
}

}  // namespace dietmt::service
