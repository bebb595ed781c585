#include "service/api/abbreviations.h"

#include <algorithm>

namespace dietmt::service {
namespace {

// Words that precede a name or occur inside a sentence, rarely at its end; with #, only before a
// number.
constexpr std::string_view kEnglish[] = {
    "Jan", "Feb",  "Aug", "Sept", "Oct", "Nov", "Dec",  "Mt",   "Dr",  "Mr",    "Mrs",
    "Ms",  "Prof", "St",  "Gen",  "Sen", "Rep", "Gov",  "Lt",   "Col", "Sgt",   "Capt",
    "Rev", "Hon",  "vs",  "e.g",  "i.e", "No#", "Fig#", "Vol#", "cf",  "approx"};
constexpr std::string_view kGerman[] = {
    "Dr",   "Prof", "Hr",   "Fr",  "St",   "Nr#",  "Abb#", "Bd#", "ca",   "bzw",  "vgl",
    "z",    "d.h",  "z.B",  "u.a", "Hrsg", "Dipl", "Ing",  "geb", "gest", "Art#", "Abs#",
    "Kap#", "sog",  "evtl", "ggf", "inkl", "zzgl", "max",  "min", "Mio",  "Mrd",  "Hl",
    "Str",  "Tel",  "Jan",  "Feb", "Aug",  "Sept", "Okt",  "Nov", "Dez"};
constexpr std::string_view kFrench[] = {"M",   "MM", "Mme", "Mlle", "Dr",  "Pr", "St",
                                        "Ste", "p#", "cf",  "art#", "no#", "av", "env"};
constexpr std::string_view kCzech[] = {"p#", "pan",  "dr", "prof", "doc", "ing", "mgr", "tzv",
                                       "tj", "např", "č#", "str#", "sv",  "cca", "mj",  "tzn"};
constexpr std::string_view kSpanish[] = {"Sr",  "Sra",  "Srta", "Dr",   "Dra",  "D", "Ud",
                                         "Uds", "pág#", "núm#", "art#", "p.ej", "S#"};

struct Table {
  std::string_view language;
  std::span<const std::string_view> words;
  bool ordinals;
};

constexpr Table kTables[] = {
    {"en", kEnglish, false}, {"de", kGerman, true}, {"fr", kFrench, false}, {"cs", kCzech, true},
    {"es", kSpanish, false}, {"da", {}, true},      {"fi", {}, true},       {"no#", {}, true},
    {"nb", {}, true},        {"pl", {}, true},      {"sk", {}, true},       {"sl", {}, true},
    {"hu", {}, true},        {"hr", {}, true},      {"et", {}, true},
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// One capital letter of any alphabet in UTF-8's one or two bytes: Latin, Greek, Cyrillic.
bool is_initial(std::string_view word) {
  if (word.size() == 1) return word[0] >= 'A' && word[0] <= 'Z';
  return word.size() == 2 && static_cast<unsigned char>(word[0]) >= 0xC3 &&
         static_cast<unsigned char>(word[0]) <= 0xD4;
}

}  // namespace

Abbreviations::Abbreviations(const std::string& language) {
  const std::string_view code = std::string_view(language).substr(0, language.find('_'));
  const auto* table = std::find_if(std::begin(kTables), std::end(kTables),
                                   [&](const Table& one) { return one.language == code; });
  if (table == std::end(kTables)) return;
  words_ = table->words;
  ordinals_ = table->ordinals;
}

bool Abbreviations::continues(std::string_view text, std::string_view rest) const {
  if (!text.ends_with('.')) return false;
  text.remove_suffix(1);
  const size_t space = text.find_last_of(" \t(\"'");
  const std::string_view word = space == std::string_view::npos ? text : text.substr(space + 1);
  if (word.empty()) return false;
  if (is_initial(word)) return true;
  const bool before_number = !rest.empty() && is_digit(rest.front());
  const auto is_word = [&](std::string_view one) {
    if (!one.ends_with('#')) return one == word;
    one.remove_suffix(1);
    return before_number && one == word;
  };
  if (std::any_of(words_.begin(), words_.end(), is_word)) return true;
  // A year can end a sentence; a day or a list number cannot.
  return ordinals_ && word.size() <= 2 && std::all_of(word.begin(), word.end(), is_digit);
}

}  // namespace dietmt::service
