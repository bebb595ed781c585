// Rules about the characters of a side.
#include <unicode/utf8.h>

#include <cmath>

#include "common/ascii.h"
#include "data/cleaning/rule_kinds.h"

namespace dietmt::data {
namespace {

const OptionRule kShare{.least = 0, .most = 1};

PairTest encoding_filter(const RuleSettings&, const PairFacts&) {
  return [](const PairText& pair) {
    for (const SideText* side : pair.sides())
      if (!side->is_utf8 || side->has_control || side->has_replacement || side->is_mojibake)
        return false;
    return true;
  };
}

PairTest alphabet_ratio_filter(const RuleSettings& settings, const PairFacts&) {
  const std::array<double, 2> least = {settings.number("threshold", 0),
                                       settings.number("threshold", 1)};
  return [least, without_spaces = settings.flag("exclude_whitespace")](const PairText& pair) {
    for (size_t i = 0; i < 2; ++i) {
      const SideText& side = *pair.sides()[i];
      const int64_t all = side.characters - (without_spaces ? side.spaces : 0);
      if (static_cast<double>(side.letters) < least[i] * static_cast<double>(all)) return false;
    }
    return true;
  };
}

bool is_name_character(char c) { return is_ascii_word(c) || c == ':' || c == '-' || c == '_'; }

// <b>, </b>, <br/>, <a href="x">, <!-- comment -->; not "a < b" and "<5 kg>".
bool has_tag(std::string_view text) {
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    size_t name = at + 1;
    if (text.substr(name).starts_with("!--")) return true;
    if (name < text.size() && text[name] == '/') ++name;
    if (name >= text.size() || !is_ascii_letter(text[name])) continue;
    const size_t end = text.find_first_of("<>", name);
    if (end == text.npos) return false;
    if (text[end] != '>') continue;
    while (is_name_character(text[name])) ++name;
    if (name == end || text[name] == ' ' || text[name] == '\t' || text[name] == '/') return true;
  }
  return false;
}

// &nbsp; &#160; &#xA0;
bool has_entity(std::string_view text) {
  constexpr size_t kLongest = 12;
  for (size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
    size_t end = at + 1;
    if (end < text.size() && text[end] == '#') ++end;
    const size_t begin = end;
    while (end < text.size() && end - begin < kLongest && is_ascii_word(text[end])) ++end;
    if (end - begin >= 2 && end < text.size() && text[end] == ';') return true;
  }
  return false;
}

PairTest html_tag_filter(const RuleSettings& settings, const PairFacts&) {
  return [entities = settings.flag("entities")](const PairText& pair) {
    for (const SideText* side : pair.sides())
      if (has_tag(side->text) || (entities && has_entity(side->text))) return false;
    return true;
  };
}

int64_t count_terminal_marks(std::string_view text) {
  constexpr std::u32string_view kMarks = U".?!\u2026\u3002\uFF01\uFF1F\u061F\u0964\u06D4\u0589";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto end = static_cast<int64_t>(text.size());
  int64_t count = 0;
  for (int64_t at = 0; at < end;) {
    UChar32 code = 0;
    U8_NEXT(bytes, at, end, code);
    if (kMarks.find(static_cast<char32_t>(code)) != kMarks.npos) ++count;
  }
  return count;
}

// Vazquez et al., "The University of Helsinki submission to the WMT19 parallel corpus filtering
// task", 2019.
PairTest terminal_punctuation_filter(const RuleSettings& settings, const PairFacts&) {
  return [least = settings.number("threshold")](const PairText& pair) {
    const int64_t source = count_terminal_marks(pair.source.text);
    const int64_t target = count_terminal_marks(pair.target.text);
    const int64_t penalty = std::abs(source - target) + std::max<int64_t>(source - 1, 0) +
                            std::max<int64_t>(target - 1, 0);
    return -std::log(static_cast<double>(penalty) + 1.0) >= least;
  };
}

}  // namespace

std::vector<RuleKind> character_rules() {
  return {
      {.name = "EncodingFilter",
       .aliases = {},
       .help = "sides with bytes that are not UTF-8, U+FFFD, control characters, or UTF-8 that was "
               "read as Windows-1252",
       .parameters = {},
       .make = encoding_filter},
      {.name = "AlphabetRatioFilter",
       .aliases = {},
       .help = "sides with too few letters",
       .parameters = {{.name = "threshold",
                       .default_value = "0.75",
                       .help = "least share of letters",
                       .rule = kShare,
                       .by_side = true},
                      {.name = "exclude_whitespace",
                       .type = ParameterType::kFlag,
                       .default_value = "false",
                       .help = "white space does not count"}},
       .make = alphabet_ratio_filter},
      {.name = "HtmlTagFilter",
       .aliases = {},
       .help = "sides with tags of HTML or XML",
       .parameters = {{.name = "entities",
                       .type = ParameterType::kFlag,
                       .default_value = "false",
                       .help = "references such as &nbsp; and &#160; count too"}},
       .make = html_tag_filter},
      {.name = "TerminalPunctuationFilter",
       .aliases = {"terminal_punct"},
       .help = "pairs whose numbers of marks such as . ? ! differ, or that have many of them: the "
               "score is -log(1 + difference + marks beyond the first of each side)",
       .parameters = {{.name = "threshold",
                       .default_value = "-2",
                       .help = "least score",
                       .rule = {.least = -100, .most = 0}}},
       .make = terminal_punctuation_filter},
  };
}

}  // namespace dietmt::data
