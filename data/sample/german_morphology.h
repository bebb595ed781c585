// German forms: articles, adjective endings, pronouns and conjugation.
#pragma once

#include <string>

#include "data/sample/meaning.h"

namespace dietmt::data {

/// What a German word of the noun phrase agrees with.
struct GermanAgreement {
  GermanGender gender;
  Number number;
  Case noun_case;
};

/// Polarity::kNegative turns the indefinite article into kein.
std::string german_determiner(const NounPhrase& phrase, const GermanAgreement& agreement,
                              Polarity polarity);

std::string german_adjective(const Adjective& adjective, Determiner determiner, Polarity polarity,
                             const GermanAgreement& agreement);

std::string german_noun_form(const Noun& noun, Number number, Case noun_case);

std::string german_relative_pronoun(const GermanAgreement& agreement);
std::string german_personal_pronoun(int person, const GermanAgreement& agreement);
std::string german_reflexive_pronoun(int person, Number number);

/// "in" + "dem" -> "im"; empty if the two stay apart.
std::string german_contraction(const std::string& preposition, const std::string& article);

/// "da" + "auf" -> "darauf"; "wo" + "mit" -> "womit".
std::string german_compound(const std::string& stem, const std::string& preposition);

std::string german_finite(const GermanVerb& verb, int person, Number number, Tense tense);

const GermanVerb& german_auxiliary_have();
const GermanVerb& german_auxiliary_become();

}  // namespace dietmt::data
