#include "data/sample/czech_morphology.h"

#include <algorithm>
#include <array>

namespace dietmt::data {
namespace {

// Columns: animate, inanimate, feminine, neuter; rows in the order of Case.
using Table = std::array<std::array<const char*, 4>, 7>;

constexpr Table kHardSingular = {{{"ý", "ý", "á", "é"},
                                  {"ého", "ého", "é", "ého"},
                                  {"ému", "ému", "é", "ému"},
                                  {"ého", "ý", "ou", "é"},
                                  {"ý", "ý", "á", "é"},
                                  {"ém", "ém", "é", "ém"},
                                  {"ým", "ým", "ou", "ým"}}};
constexpr Table kHardPlural = {{{"", "é", "é", "á"},  // animate: its own form
                                {"ých", "ých", "ých", "ých"},
                                {"ým", "ým", "ým", "ým"},
                                {"é", "é", "é", "á"},
                                {"", "é", "é", "á"},
                                {"ých", "ých", "ých", "ých"},
                                {"ými", "ými", "ými", "ými"}}};
constexpr Table kSoftSingular = {{{"í", "í", "í", "í"},
                                  {"ího", "ího", "í", "ího"},
                                  {"ímu", "ímu", "í", "ímu"},
                                  {"ího", "í", "í", "í"},
                                  {"í", "í", "í", "í"},
                                  {"ím", "ím", "í", "ím"},
                                  {"ím", "ím", "í", "ím"}}};
constexpr std::array<const char*, 7> kSoftPlural = {"í", "ích", "ím", "í", "í", "ích", "ími"};

constexpr Table kThisSingular = {{{"tento", "tento", "tato", "toto"},
                                  {"tohoto", "tohoto", "této", "tohoto"},
                                  {"tomuto", "tomuto", "této", "tomuto"},
                                  {"tohoto", "tento", "tuto", "toto"},
                                  {"tento", "tento", "tato", "toto"},
                                  {"tomto", "tomto", "této", "tomto"},
                                  {"tímto", "tímto", "touto", "tímto"}}};
constexpr Table kThisPlural = {{{"tito", "tyto", "tyto", "tato"},
                                {"těchto", "těchto", "těchto", "těchto"},
                                {"těmto", "těmto", "těmto", "těmto"},
                                {"tyto", "tyto", "tyto", "tato"},
                                {"tito", "tyto", "tyto", "tato"},
                                {"těchto", "těchto", "těchto", "těchto"},
                                {"těmito", "těmito", "těmito", "těmito"}}};

// After "m-", "tv-", "sv-".
constexpr Table kMineSingular = {{{"ůj", "ůj", "oje", "oje"},
                                  {"ého", "ého", "é", "ého"},
                                  {"ému", "ému", "é", "ému"},
                                  {"ého", "ůj", "ou", "oje"},
                                  {"ůj", "ůj", "oje", "oje"},
                                  {"ém", "ém", "é", "ém"},
                                  {"ým", "ým", "ou", "ým"}}};
constexpr Table kMinePlural = {{{"oji", "oje", "oje", "oje"},
                                {"ých", "ých", "ých", "ých"},
                                {"ým", "ým", "ým", "ým"},
                                {"oje", "oje", "oje", "oje"},
                                {"oji", "oje", "oje", "oje"},
                                {"ých", "ých", "ých", "ých"},
                                {"ými", "ými", "ými", "ými"}}};
constexpr Table kOurSingular = {{{"náš", "náš", "naše", "naše"},
                                 {"našeho", "našeho", "naší", "našeho"},
                                 {"našemu", "našemu", "naší", "našemu"},
                                 {"našeho", "náš", "naši", "naše"},
                                 {"náš", "náš", "naše", "naše"},
                                 {"našem", "našem", "naší", "našem"},
                                 {"naším", "naším", "naší", "naším"}}};
constexpr Table kOurPlural = {{{"naši", "naše", "naše", "naše"},
                               {"našich", "našich", "našich", "našich"},
                               {"našim", "našim", "našim", "našim"},
                               {"naše", "naše", "naše", "naše"},
                               {"naši", "naše", "naše", "naše"},
                               {"našich", "našich", "našich", "našich"},
                               {"našimi", "našimi", "našimi", "našimi"}}};

std::string cell(const Table& table, const CzechAgreement& agreement) {
  return table.at(static_cast<size_t>(agreement.noun_case))
      .at(static_cast<size_t>(agreement.gender));
}

std::string cell(const Table& singular, const Table& plural, const CzechAgreement& agreement) {
  return cell(agreement.number == Number::kPlural ? plural : singular, agreement);
}

size_t pronoun_row(int person, const CzechAgreement& agreement) {
  const bool plural = agreement.number == Number::kPlural;
  if (person < 3) return static_cast<size_t>(person - 1) + (plural ? 2 : 0);
  if (plural) return 7;
  if (agreement.gender == CzechGender::kFeminine) return 5;
  return agreement.gender == CzechGender::kNeuter ? 6 : 4;
}

bool is_one_of(char letter, const std::string& letters) {
  return letters.find(letter) != std::string::npos;
}

bool starts_with_any(const std::string& word, std::initializer_list<const char*> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return word.starts_with(start); });
}

bool starts_with_sibilant(const std::string& word) {
  return starts_with_any(word, {"s", "z", "š", "ž"});
}

// A sibilant before another consonant: "škole", "staré".
bool starts_with_sibilant_cluster(const std::string& word) {
  const size_t length = starts_with_any(word, {"š", "ž"}) ? 2 : 1;
  return starts_with_sibilant(word) && word.size() > length &&
         is_one_of(word[length], "bcdfghjklmnpqrstvwxz");
}

}  // namespace

CzechGender czech_gender(const Noun& noun, Number number) {
  return number == Number::kPlural ? noun.czech.plural_gender : noun.czech.gender;
}

std::string czech_adjective(const std::string& adjective, const std::string& animate_plural,
                            const CzechAgreement& agreement) {
  const bool plural = agreement.number == Number::kPlural;
  const std::string stem = adjective.substr(0, adjective.size() - 2);  // "ý" or "í": two bytes
  if (adjective.ends_with("í"))
    return stem + (plural ? kSoftPlural.at(static_cast<size_t>(agreement.noun_case))
                          : cell(kSoftSingular, agreement));
  const std::string ending = cell(kHardSingular, kHardPlural, agreement);
  return ending.empty() ? animate_plural : stem + ending;
}

std::string czech_this(const CzechAgreement& agreement) {
  return cell(kThisSingular, kThisPlural, agreement);
}

std::string czech_numeral(int value, const CzechAgreement& agreement) {
  const auto row = static_cast<size_t>(agreement.noun_case);
  static const std::array<const char*, 7> kThree = {"tři", "tří",   "třem", "tři",
                                                    "tři", "třech", "třemi"};
  static const std::array<const char*, 7> kFour = {"čtyři", "čtyř",    "čtyřem", "čtyři",
                                                   "čtyři", "čtyřech", "čtyřmi"};
  if (value == 3) return kThree.at(row);
  if (value == 4) return kFour.at(row);
  const bool direct =
      agreement.noun_case == Case::kNominative || agreement.noun_case == Case::kAccusative;
  if (value == 2) {
    const bool masculine =
        agreement.gender == CzechGender::kAnimate || agreement.gender == CzechGender::kInanimate;
    if (direct) return masculine ? "dva" : "dvě";
    const bool dual =
        agreement.noun_case == Case::kDative || agreement.noun_case == Case::kInstrumental;
    return dual ? "dvěma" : "dvou";
  }
  const std::string name = value == 5 ? "pět" : "šest";
  return direct ? name : (value == 5 ? "pěti" : "šesti");
}

std::string czech_possessive(const Possessor& possessor, bool reflexive,
                             const CzechAgreement& agreement) {
  if (reflexive) return "sv" + cell(kMineSingular, kMinePlural, agreement);
  const bool plural = possessor.number == Number::kPlural;
  if (possessor.person == 1 && plural) return cell(kOurSingular, kOurPlural, agreement);
  if (possessor.person == 1) return "m" + cell(kMineSingular, kMinePlural, agreement);
  if (possessor.person == 2) return "tv" + cell(kMineSingular, kMinePlural, agreement);
  if (plural) return "jejich";
  return possessor.sex == Sex::kFemale ? czech_adjective("její", "její", agreement) : "jeho";
}

std::string czech_subject_pronoun(const CzechSubject& subject) {
  const bool plural = subject.number == Number::kPlural;
  if (subject.person == 1) return plural ? "my" : "já";
  if (subject.person == 2) return plural ? "vy" : "ty";
  static const std::array<const char*, 4> kSingular = {"on", "on", "ona", "ono"};
  static const std::array<const char*, 4> kPlural = {"oni", "ony", "ony", "ona"};
  return (plural ? kPlural : kSingular).at(static_cast<size_t>(subject.gender));
}

std::string czech_short_pronoun(int person, const CzechAgreement& agreement) {
  // Columns: genitive, dative, accusative.
  static const std::array<std::array<const char*, 3>, 8> kForms = {{{"mě", "mi", "mě"},
                                                                    {"tě", "ti", "tě"},
                                                                    {"nás", "nám", "nás"},
                                                                    {"vás", "vám", "vás"},
                                                                    {"ho", "mu", "ho"},
                                                                    {"jí", "jí", "ji"},
                                                                    {"ho", "mu", "ho"},
                                                                    {"jich", "jim", "je"}}};
  return kForms.at(pronoun_row(person, agreement)).at(static_cast<size_t>(agreement.noun_case) - 1);
}

std::string czech_long_pronoun(int person, const CzechAgreement& agreement) {
  // Columns: genitive, dative, accusative, (vocative), locative, instrumental.
  static const std::array<std::array<const char*, 6>, 8> kForms = {
      {{"mě", "mně", "mě", "", "mně", "mnou"},
       {"tebe", "tobě", "tebe", "", "tobě", "tebou"},
       {"nás", "nám", "nás", "", "nás", "námi"},
       {"vás", "vám", "vás", "", "vás", "vámi"},
       {"něj", "němu", "něj", "", "něm", "ním"},
       {"ní", "ní", "ni", "", "ní", "ní"},
       {"něj", "němu", "ně", "", "něm", "ním"},
       {"nich", "nim", "ně", "", "nich", "nimi"}}};
  return kForms.at(pronoun_row(person, agreement)).at(static_cast<size_t>(agreement.noun_case) - 1);
}

std::string czech_participle(const std::string& masculine, const CzechSubject& subject) {
  const bool plural = subject.number == Number::kPlural;
  if (!plural && static_cast<int>(subject.gender) < 2) return masculine;
  std::string stem = masculine;
  if (stem.ends_with("šel")) stem.replace(stem.size() - 2, 2, "l");
  static const std::array<const char*, 4> kSingular = {"", "", "a", "o"};
  static const std::array<const char*, 4> kPlural = {"i", "y", "y", "a"};
  return stem + (plural ? kPlural : kSingular).at(static_cast<size_t>(subject.gender));
}

std::string czech_gladly(const CzechSubject& subject, Polarity polarity) {
  const std::string stem = polarity == Polarity::kNegative ? "nerad" : "rád";
  return czech_participle(stem, subject);
}

std::string czech_negated(const std::string& verb) { return verb == "je" ? "není" : "ne" + verb; }

std::string czech_vocalised(const std::string& preposition, const std::string& next) {
  const bool numeral = starts_with_any(next, {"dv", "tř", "čtyř"});
  bool vocalised = false;
  if (preposition == "v")
    vocalised =
        numeral || starts_with_any(next, {"v", "f", "měst"}) || starts_with_sibilant_cluster(next);
  if (preposition == "s")
    vocalised = numeral || starts_with_sibilant(next) || next == "psem" || next == "mnou" ||
                starts_with_any(next, {"psy"});
  return vocalised ? preposition + "e" : preposition;
}

}  // namespace dietmt::data
