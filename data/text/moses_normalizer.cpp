#include "data/text/moses_normalizer.h"

#include <unicode/uchar.h>

#include <algorithm>

namespace dietmt::data {
namespace {

bool is_blank(char32_t code) { return code == ' '; }
bool is_decimal(char32_t code) { return u_isdigit(static_cast<UChar32>(code)); }
bool is_end_mark(char32_t code) {
  return std::u32string_view(U".!:?;,").find(code) != std::u32string_view::npos;
}

struct Replacement {
  char32_t from;
  std::u32string_view to;
  bool takes_spaces = false;  // those that follow, too
};

// replace-unicode-punctuation.perl
constexpr Replacement kUnicode[] = {
    {U'，', U","},  {U'。', U". ", true}, {U'、', U","}, {U'”', U"\""},  {U'“', U"\""},
    {U'∶', U":"},   {U'：', U":"},        {U'？', U"?"}, {U'《', U"\""}, {U'》', U"\""},
    {U'）', U")"},  {U'！', U"!"},        {U'（', U"("}, {U'；', U";"},  {U'」', U"\""},
    {U'「', U"\""}, {U'．', U". ", true}, {U'～', U"~"}, {U'’', U"'"},   {U'…', U"..."},
    {U'━', U"-"},   {U'〈', U"<"},        {U'〉', U">"}, {U'【', U"["},  {U'】', U"]"},
    {U'％', U"%"},  {U'０', U"0"},        {U'１', U"1"}, {U'２', U"2"},  {U'３', U"3"},
    {U'４', U"4"},  {U'５', U"5"},        {U'６', U"6"}, {U'７', U"7"},  {U'８', U"8"},
    {U'９', U"9"}};

// normalize-punctuation.perl, in three parts with runs of spaces joined after each.
constexpr TextRule kSpacedBrackets[] = {
    {.from = U"\r", .to = U""}, {.from = U"(", .to = U" ("}, {.from = U")", .to = U") "}};
constexpr TextRule kSpacedMarks[] = {{.from = U") ", .after = is_end_mark, .to = U")"},
                                     {.from = U"( ", .to = U"("},
                                     {.from = U" )", .to = U")"},
                                     {.before = is_decimal, .from = U" %", .to = U"%"},
                                     {.from = U" :", .to = U":"},
                                     {.from = U" ;", .to = U";"},
                                     {.from = U"`", .to = U"'"},
                                     {.from = U"''", .to = U" \" "},
                                     {.from = U"„", .to = U"\""},
                                     {.from = U"“", .to = U"\""},
                                     {.from = U"”", .to = U"\""},
                                     {.from = U"–", .to = U"-"},
                                     {.from = U"—", .to = U" - "}};
constexpr TextRule kPlainQuotes[] = {{.from = U"´", .to = U"'"},
                                     {.from = U"‘", .to = U"'"},
                                     {.from = U"‚", .to = U"'"},
                                     {.from = U"’", .to = U"'"},
                                     {.from = U"''", .to = U"\""},
                                     {.from = U"…", .to = U"..."},
                                     {.from = U"\u00A0«\u00A0", .to = U"\""},
                                     {.from = U"«\u00A0", .to = U"\""},
                                     {.from = U"«", .to = U"\""},
                                     {.from = U"\u00A0»\u00A0", .to = U"\""},
                                     {.from = U"\u00A0»", .to = U"\""},
                                     {.from = U"»", .to = U"\""},
                                     {.from = U"\u00A0%", .to = U"%"},
                                     {.from = U"nº\u00A0", .to = U"nº "},
                                     {.from = U"\u00A0:", .to = U":"},
                                     {.from = U"\u00A0ºC", .to = U" ºC"},
                                     {.from = U"\u00A0cm", .to = U" cm"},
                                     {.from = U"\u00A0?", .to = U"?"},
                                     {.from = U"\u00A0!", .to = U"!"},
                                     {.from = U"\u00A0;", .to = U";"},
                                     {.from = U",\u00A0", .to = U", "}};
constexpr TextRule kContinentalCommas[] = {{.from = U",\"", .to = U"\","}};
constexpr TextRule kCommaInNumber[] = {
    {.before = is_decimal, .from = U"\u00A0", .after = is_decimal, .to = U","}};
constexpr TextRule kPeriodInNumber[] = {
    {.before = is_decimal, .from = U"\u00A0", .after = is_decimal, .to = U"."}};

void replace_unicode_punctuation(Characters& text) {
  Characters changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const SourceCharacter one = text[at++];
    const auto* found = one.code < 0x80 ? std::end(kUnicode)
                                        : std::ranges::find(kUnicode, one.code, &Replacement::from);
    if (found == std::end(kUnicode)) {
      changed.push_back(one);
      continue;
    }
    while (found->takes_spaces && at < text.size() && is_any_space(text[at].code)) ++at;
    append(found->to, one.begin, text[at - 1].end, changed);
  }
  text = std::move(changed);
}

// English: a quotation mark goes after the commas and periods that follow it.
void move_quotes_back(Characters& text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at].code != '"') continue;
    for (; at + 1 < text.size() && (text[at + 1].code == ',' || text[at + 1].code == '.'); ++at)
      std::swap(text[at], text[at + 1]);
  }
}

// The end of what follows a quotation mark that moves: white space and the character after it,
// unless that is <. npos: it does not move.
size_t end_of_following(const Characters& text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && is_any_space(text[end].code)) ++end;
  if (end < text.size() && text[end].code != '<') return end + 1;
  return end > begin ? end : std::u32string_view::npos;
}

// German, Spanish and French: a quotation mark goes before the periods that it follows, except at
// the end of a text.
void move_quotes_before_periods(Characters& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    while (at < text.size() && text[at].code == '.') ++at;
    const bool is_quoted = at > begin && at < text.size() && text[at].code == '"';
    if (at == begin) ++at;
    if (!is_quoted) continue;
    const size_t end = end_of_following(text, at + 1);
    if (end == std::u32string_view::npos) continue;
    std::rotate(text.begin() + static_cast<std::ptrdiff_t>(begin),
                text.begin() + static_cast<std::ptrdiff_t>(at),
                text.begin() + static_cast<std::ptrdiff_t>(at + 1));
    at = end;
  }
}

}  // namespace

void normalize_punctuation(std::string_view language, Characters& text) {
  substitute(kSpacedBrackets, text);
  join_spaces(is_blank, text);
  substitute(kSpacedMarks, text);
  join_spaces(is_blank, text);
  substitute(kPlainQuotes, text);
  join_spaces(is_blank, text);
  if (language == "en") move_quotes_back(text);
  const bool is_continental = language == "de" || language == "es" || language == "fr";
  if (is_continental) {
    substitute(kContinentalCommas, text);
    move_quotes_before_periods(text);
  }
  substitute(is_continental || language == "cs" ? kCommaInNumber : kPeriodInNumber, text);
  trim(text);
}

bool is_printed(char32_t code) {
  return (U_GET_GC_MASK(static_cast<UChar32>(code)) & U_GC_C_MASK) == 0;
}

void normalize_for_moses(const MosesLanguage& language, MosesSteps steps, Characters& text) {
  if (steps == MosesSteps::kAll) replace_unicode_punctuation(text);
  normalize_punctuation(language.code, text);
  if (steps == MosesSteps::kAll)
    std::erase_if(text, [](const SourceCharacter& one) { return !is_printed(one.code); });
}

}  // namespace dietmt::data
