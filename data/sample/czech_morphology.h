// Czech forms: declension of determiners, adjectives and pronouns, participles, prepositions.
#pragma once

#include <string>

#include "data/sample/meaning.h"

namespace dietmt::data {

/// What a Czech word of the noun phrase agrees with.
struct CzechAgreement {
  CzechGender gender;
  Number number;
  Case noun_case;
};

/// What a verb agrees with.
struct CzechSubject {
  int person;
  Number number;
  CzechGender gender;
};

CzechGender czech_gender(const Noun& noun, Number number);

/// "starý" (hard) or "moderní" (soft) declined; `animate_plural`: "staří".
std::string czech_adjective(const std::string& adjective, const std::string& animate_plural,
                            const CzechAgreement& agreement);

std::string czech_this(const CzechAgreement& agreement);
std::string czech_numeral(int value, const CzechAgreement& agreement);

/// `reflexive`: "svůj", when the possessor is the clause's subject.
std::string czech_possessive(const Possessor& possessor, bool reflexive,
                             const CzechAgreement& agreement);

/// Spoken only where subjects are contrasted.
std::string czech_subject_pronoun(const CzechSubject& subject);

/// Short forms stand in second position ("ho", "mu"), long ones follow a preposition ("něj").
std::string czech_short_pronoun(int person, const CzechAgreement& agreement);
std::string czech_long_pronoun(int person, const CzechAgreement& agreement);

/// "koupil" -> "koupila", "koupily", ...; "šel" -> "šla".
std::string czech_participle(const std::string& masculine, const CzechSubject& subject);

/// "rád" in the form of the subject.
std::string czech_gladly(const CzechSubject& subject, Polarity polarity);

std::string czech_negated(const std::string& verb);

/// "v" -> "ve" before "škole", "s" -> "se" before "sestrou".
std::string czech_vocalised(const std::string& preposition, const std::string& next);

}  // namespace dietmt::data
