#include "data/sample/german_morphology.h"

#include <array>

#include "data/sample/rows.h"

namespace dietmt::data {
namespace {

// Columns: masculine, feminine, neuter, plural; rows: nominative, genitive, dative, accusative.
using Table = std::array<std::array<const char*, 4>, 4>;

constexpr Table kDefinite = {{{"der", "die", "das", "die"},
                              {"des", "der", "des", "der"},
                              {"dem", "der", "dem", "den"},
                              {"den", "die", "das", "die"}}};
constexpr Table kStrongArticle = {{{"er", "e", "es", "e"},  // dieser, jeder
                                   {"es", "er", "es", "er"},
                                   {"em", "er", "em", "en"},
                                   {"en", "e", "es", "e"}}};
constexpr Table kEinArticle = {
    {{"", "e", "", "e"}, {"es", "er", "es", "er"}, {"em", "er", "em", "en"}, {"en", "e", "", "e"}}};
constexpr Table kWeakAdjective = {{{"e", "e", "e", "en"},
                                   {"en", "en", "en", "en"},
                                   {"en", "en", "en", "en"},
                                   {"en", "e", "e", "en"}}};
constexpr Table kMixedAdjective = {{{"er", "e", "es", "en"},
                                    {"en", "en", "en", "en"},
                                    {"en", "en", "en", "en"},
                                    {"en", "e", "es", "en"}}};
// After no article or an uninflected one; the singular does not occur.
constexpr Table kStrongAdjective = {{{"er", "e", "es", "e"},
                                     {"en", "er", "en", "er"},
                                     {"em", "er", "em", "en"},
                                     {"en", "e", "es", "e"}}};

constexpr Table kThirdPerson = {{{"er", "sie", "es", "sie"},
                                 {"seiner", "ihrer", "seiner", "ihrer"},
                                 {"ihm", "ihr", "ihm", "ihnen"},
                                 {"ihn", "sie", "es", "sie"}}};

std::string cell(const Table& table, const GermanAgreement& agreement) {
  const size_t column =
      agreement.number == Number::kPlural ? 3 : static_cast<size_t>(agreement.gender);
  return table.at(static_cast<size_t>(agreement.noun_case)).at(column);
}

std::string possessive_stem(const Possessor& possessor) {
  const bool plural = possessor.number == Number::kPlural;
  if (possessor.person == 1) return plural ? "unser" : "mein";
  if (possessor.person == 2) return "dein";
  return plural || possessor.sex == Sex::kFemale ? "ihr" : "sein";
}

bool ends_in(const std::string& text, const std::string& letters) {
  return letters.find(text.back()) != std::string::npos;
}

}  // namespace

std::string german_determiner(const NounPhrase& phrase, const GermanAgreement& agreement,
                              Polarity polarity) {
  static const std::array<const char*, 5> kNumerals = {"zwei", "drei", "vier", "fünf", "sechs"};
  switch (phrase.determiner) {
    case Determiner::kNone:
      return "";
    case Determiner::kDefinite:
      return cell(kDefinite, agreement);
    case Determiner::kIndefinite:
      if (polarity == Polarity::kNegative) return "kein" + cell(kEinArticle, agreement);
      return is_plural(phrase) ? "" : "ein" + cell(kEinArticle, agreement);
    case Determiner::kThis:
      return "dies" + cell(kStrongArticle, agreement);
    case Determiner::kEvery:
      return "jed" + cell(kStrongArticle, agreement);
    case Determiner::kNo:
      return "kein" + cell(kEinArticle, agreement);
    case Determiner::kMany:
      return "viel" + cell(kStrongArticle, agreement);
    case Determiner::kNumeral:
      return kNumerals.at(static_cast<size_t>(phrase.numeral - 2));
    case Determiner::kPossessive:
      return possessive_stem(phrase.possessor) + cell(kEinArticle, agreement);
  }
  return "";
}

std::string german_adjective(const Adjective& adjective, Determiner determiner, Polarity polarity,
                             const GermanAgreement& agreement) {
  const bool bare_plural = determiner == Determiner::kIndefinite &&
                           agreement.number == Number::kPlural && polarity == Polarity::kPositive;
  const Table* table = &kMixedAdjective;
  if (determiner == Determiner::kDefinite || determiner == Determiner::kThis ||
      determiner == Determiner::kEvery)
    table = &kWeakAdjective;
  if (determiner == Determiner::kMany || determiner == Determiner::kNumeral || bare_plural)
    table = &kStrongAdjective;
  return adjective.german_stem + cell(*table, agreement);
}

std::string german_noun_form(const Noun& noun, Number number, Case noun_case) {
  if (number == Number::kPlural)
    return noun_case == Case::kDative ? noun.german.plural_dative : noun.german.plural;
  return noun.german.singular.at(static_cast<size_t>(noun_case));
}

std::string german_relative_pronoun(const GermanAgreement& agreement) {
  if (agreement.noun_case == Case::kDative && agreement.number == Number::kPlural) return "denen";
  return cell(kDefinite, agreement);
}

std::string german_personal_pronoun(int person, const GermanAgreement& agreement) {
  if (person == 3) return cell(kThirdPerson, agreement);
  // Columns: nominative, dative, accusative.
  static const std::array<std::array<const char*, 3>, 4> kForms = {{{"ich", "mir", "mich"},
                                                                    {"du", "dir", "dich"},
                                                                    {"wir", "uns", "uns"},
                                                                    {"ihr", "euch", "euch"}}};
  const size_t row =
      static_cast<size_t>(person - 1) + (agreement.number == Number::kPlural ? 2 : 0);
  const size_t column = agreement.noun_case == Case::kNominative ? 0
                        : agreement.noun_case == Case::kDative   ? 1
                                                                 : 2;
  return kForms.at(row).at(column);
}

std::string german_reflexive_pronoun(int person, Number number) {
  if (person == 3) return "sich";
  return german_personal_pronoun(person, {GermanGender::kMasculine, number, Case::kAccusative});
}

std::string german_contraction(const std::string& preposition, const std::string& article) {
  static const std::array<std::array<const char*, 3>, 7> kContractions = {{{"in", "dem", "im"},
                                                                           {"in", "das", "ins"},
                                                                           {"an", "dem", "am"},
                                                                           {"an", "das", "ans"},
                                                                           {"von", "dem", "vom"},
                                                                           {"zu", "dem", "zum"},
                                                                           {"zu", "der", "zur"}}};
  for (const auto& [first, second, both] : kContractions)
    if (preposition == first && article == second) return both;
  return "";
}

std::string german_compound(const std::string& stem, const std::string& preposition) {
  const bool vowel = std::string("aeiou").find(preposition.front()) != std::string::npos ||
                     preposition.starts_with("ü");
  return stem + (vowel ? "r" : "") + preposition;
}

std::string german_finite(const GermanVerb& verb, int person, Number number, Tense tense) {
  const bool plural = number == Number::kPlural;
  if (tense != Tense::kPast)
    return verb.present.at(static_cast<size_t>(person - 1) + (plural ? 3 : 0));
  const std::string& past = verb.preterite;
  if (plural && person != 2) return past + (ends_in(past, "e") ? "n" : "en");
  if (person != 2) return past;
  if (plural) return past + (ends_in(past, "td") ? "et" : "t");
  return past + (ends_in(past, "tds") || past.ends_with("ß") ? "est" : "st");
}

const GermanVerb& german_auxiliary_have() {
  static const GermanVerb verb = german_verb("haben habe hast hat habt hatte gehabt", "");
  return verb;
}

const GermanVerb& german_auxiliary_become() {
  static const GermanVerb verb =
      german_verb("werden werde wirst wird werdet wurde geworden", "sein");
  return verb;
}

}  // namespace dietmt::data
