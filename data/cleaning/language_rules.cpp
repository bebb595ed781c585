// Rules about the languages of the sides, and their scripts.
#include <algorithm>
#include <sstream>

#include "common/error.h"
#include "common/text_io.h"
#include "data/cleaning/rule_kinds.h"
#include "data/languages/detection.h"
#include "data/languages/scripts.h"

namespace dietmt::data {
namespace {

// Share of letters.
const OptionRule kScriptShare{.least = 0, .most = 1};

// "Latin" or several names with + between: "Han+Hiragana+Katakana".
ScriptSet scripts_from(const std::string& names, const std::string& language) {
  if (names.empty()) {
    if (language.empty())
      throw ConfigError("needs scripts, or --source-language and --target-language");
    ScriptSet known = ScriptSet::of_language(language);
    if (known.empty())
      throw ConfigError("needs scripts: those of the language '" + language + "' are not known");
    return known;
  }
  std::vector<std::string> parts;
  std::istringstream stream(names);
  for (std::string part; std::getline(stream, part, '+');) parts.push_back(part);
  const std::optional<ScriptSet> named = ScriptSet::named(parts);
  if (!named) throw ConfigError("scripts has '" + names + "', which Unicode does not know");
  return *named;
}

PairTest character_score_filter(const RuleSettings& settings, const PairFacts& languages) {
  const std::array<ScriptSet, 2> scripts = {
      scripts_from(settings.text("scripts", 0), languages.source),
      scripts_from(settings.text("scripts", 1), languages.target)};
  const std::array<double, 2> least = {settings.number("thresholds", 0),
                                       settings.number("thresholds", 1)};
  return [scripts, least](const PairText& pair) {
    for (size_t i = 0; i < 2; ++i) {
      const SideText& side = *pair.sides()[i];
      if (side.letters > 0 && scripts[i].share_of(side.text) < least[i]) return false;
    }
    return true;
  };
}

PairTest language_id_filter(const RuleSettings& settings, const PairFacts& languages) {
  std::array<std::string, 2> expected = {settings.text("languages", 0),
                                         settings.text("languages", 1)};
  if (expected[0].empty()) expected = {languages.source, languages.target};
  if (expected[0].empty() || expected[1].empty())
    throw ConfigError("needs languages, or --source-language and --target-language");
  const std::array<double, 2> least = {settings.number("thresholds", 0),
                                       settings.number("thresholds", 1)};
  for (size_t side = 0; side < 2; ++side)
    if (least[side] >= 0 && !can_identify(expected[side]))
      throw ConfigError("cannot identify '" + expected[side] + "', which CLD2 does not know");
  return [expected, least, keeps_unknown = settings.flag("keep_unknown")](const PairText& pair) {
    // CLD2 counts bytes as int, and the start of a line tells as much.
    constexpr size_t kMostBytes = 4096;
    for (size_t i = 0; i < 2; ++i) {
      const SideText& side = *pair.sides()[i];
      if (least[i] < 0) continue;
      std::string_view text = side.text;
      if (text.size() > kMostBytes) text = text.substr(0, cut_length(text, kMostBytes));
      const std::optional<double> confidence = confidence_in(expected[i], text);
      if (confidence ? *confidence <= least[i] : !keeps_unknown) return false;
    }
    return true;
  };
}

}  // namespace

std::vector<RuleKind> language_rules() {
  return {
      {.name = "CharacterScoreFilter",
       .aliases = {"char_script_score"},
       .help = "sides with too many letters of other scripts",
       .parameters = {{.name = "scripts",
                       .type = ParameterType::kText,
                       .default_value = "",
                       .help = "script as Unicode names it, or several with + between: Latin, "
                               "Han+Hiragana+Katakana; default: those of the languages",
                       .by_side = true},
                      {.name = "thresholds",
                       .default_value = "1",
                       .help = "least share of the letters",
                       .rule = kScriptShare,
                       .by_side = true}},
       .make = character_score_filter},
      {.name = "LanguageIDFilter",
       .aliases = {"langid"},
       .help = "sides in another language, as CLD2 identifies them",
       .parameters = {{.name = "languages",
                       .type = ParameterType::kText,
                       .default_value = "",
                       .help = "codes of both languages: [en, de]; default: those of "
                               "--source-language and --target-language",
                       .by_side = true},
                      {.name = "thresholds",
                       .default_value = "0",
                       .help = "the confidence that is not enough; negative: any language",
                       .rule = {.least = -1, .most = 1},
                       .by_side = true},
                      {.name = "keep_unknown",
                       .type = ParameterType::kFlag,
                       .default_value = "true",
                       .help = "keep sides that are too short or too mixed to be sure"},
                      {.name = "id_method",
                       .type = ParameterType::kText,
                       .default_value = "cld2",
                       .help = "the program that identifies languages",
                       .rule = {.choices = {"cld2"}}}},
       .make = language_id_filter},
  };
}

}  // namespace dietmt::data
