#include "data/sample/czech_phrase.h"

#include <algorithm>

#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

bool is_quantified(const NounPhrase& phrase) {
  return phrase.determiner == Determiner::kMany ||
         (phrase.determiner == Determiner::kNumeral && phrase.numeral > 4);
}

bool is_direct(Case noun_case) {
  return noun_case == Case::kNominative || noun_case == Case::kAccusative;
}

CzechAgreement agreement_of(const NounPhrase& phrase, Case noun_case) {
  const CzechGender gender =
      phrase.noun ? czech_gender(*phrase.noun, phrase.number) : CzechGender::kAnimate;
  return {gender, phrase.number, noun_case};
}

std::string determiner(const NounPhrase& phrase, const CzechAgreement& agreement,
                       const Possessor& possessor) {
  switch (phrase.determiner) {
    case Determiner::kNone:
    case Determiner::kDefinite:
    case Determiner::kIndefinite:
      return "";
    case Determiner::kThis:
      return czech_this(agreement);
    case Determiner::kEvery:
      return czech_adjective("každý", "každí", agreement);
    case Determiner::kNo:
      return czech_adjective("žádný", "žádní", agreement);
    case Determiner::kMany:
      return is_direct(agreement.noun_case) ? "mnoho" : "mnoha";
    case Determiner::kNumeral:
      return czech_numeral(phrase.numeral, agreement);
    case Determiner::kPossessive: {
      const bool reflexive =
          agreement.noun_case != Case::kNominative && phrase.possessor == possessor;
      return czech_possessive(phrase.possessor, reflexive, agreement);
    }
  }
  return "";
}

std::string question_pronoun(const NounPhrase& phrase, Case noun_case) {
  static const std::array<const char*, 7> kWho = {"kdo", "koho", "komu", "koho", "", "kom", "kým"};
  static const std::array<const char*, 7> kWhat = {"co", "čeho", "čemu", "co", "", "čem", "čím"};
  const auto& forms = phrase.kind == NounPhrase::Kind::kWho ? kWho : kWhat;
  return forms.at(static_cast<size_t>(noun_case));
}

// "kterého" with the preposition of its verb, and the clause.
Words relative_words(const NounPhrase& head) {
  const Clause& clause = *head.relative;
  const bool is_subject = clause.subject.form == NounPhrase::Form::kGap;
  const Government government =
      is_subject ? Government{"", Case::kNominative} : clause.verb->czech.object;
  const std::string pronoun =
      czech_adjective("který", "kteří", agreement_of(gap_of(clause), government.noun_case));
  Words introducer;
  append(introducer, czech_vocalised(government.preposition, pronoun));
  append(introducer, pronoun);
  return czech_subordinate(clause, introducer);
}

Words noun_words(const NounPhrase& phrase, Case noun_case, const Possessor& possessor) {
  const CzechAgreement outer = agreement_of(phrase, noun_case);
  CzechAgreement inner = outer;
  if (is_quantified(phrase) && is_direct(noun_case)) inner.noun_case = Case::kGenitive;
  Words words;
  append(words, determiner(phrase, outer, possessor));
  for (const Adjective* adjective : phrase.adjectives)
    append(words, czech_adjective(adjective->czech, adjective->czech_animate_plural, inner));
  const CzechNoun& forms = phrase.noun->czech;
  append(
      words,
      (is_plural(phrase) ? forms.plural : forms.singular).at(static_cast<size_t>(inner.noun_case)));
  if (phrase.owner) append(words, czech_phrase(*phrase.owner, Case::kGenitive, possessor));
  if (phrase.relative) {
    append(words, ",");
    append(words, relative_words(phrase));
    append(words, ",");
  }
  return words;
}

}  // namespace

CzechSubject czech_subject(const NounPhrase& phrase) {
  if (phrase.kind == NounPhrase::Kind::kCoordination) {
    const bool animate =
        std::any_of(phrase.members.begin(), phrase.members.end(), [](const NounPhrase& member) {
          return czech_subject(member).gender == CzechGender::kAnimate;
        });
    return {3, Number::kPlural, animate ? CzechGender::kAnimate : CzechGender::kFeminine};
  }
  // A relative pronoun is plural even after "five": "pět psů, kteří spali".
  if (is_quantified(phrase) && phrase.form != NounPhrase::Form::kGap)
    return {3, Number::kSingular, CzechGender::kNeuter};
  const CzechGender gender = agreement_of(phrase, Case::kNominative).gender;
  return {phrase.person, phrase.number, gender};
}

Possessor possessor_of(const NounPhrase& subject) {
  const bool named = subject.person == 3 && !is_plural(subject) && subject.noun;
  return {subject.person, subject.number, named ? subject.noun->sex : Sex::kNone};
}

Words czech_phrase(const NounPhrase& phrase, Case noun_case, const Possessor& possessor) {
  switch (phrase.kind) {
    case NounPhrase::Kind::kWho:
    case NounPhrase::Kind::kWhat:
      return {question_pronoun(phrase, noun_case)};
    case NounPhrase::Kind::kPronoun:
      return {czech_long_pronoun(phrase.person, agreement_of(phrase, noun_case))};
    case NounPhrase::Kind::kCoordination: {
      Words words = czech_phrase(phrase.members.at(0), noun_case, possessor);
      append(words, "a");
      append(words, czech_phrase(phrase.members.at(1), noun_case, possessor));
      return words;
    }
    case NounPhrase::Kind::kNoun:
      break;
  }
  return noun_words(phrase, noun_case, possessor);
}

Words czech_governed(const NounPhrase& phrase, const Government& government,
                     const Possessor& possessor) {
  const Words inner = czech_phrase(phrase, government.noun_case, possessor);
  Words words;
  append(words, czech_vocalised(government.preposition, inner.front()));
  append(words, inner);
  return words;
}

Words czech_place(const Place& place, const Possessor& possessor) {
  const PlaceWords& names = place.ground.noun->place;
  switch (place.kind) {
    case Place::Kind::kRelation:
      return czech_governed(place.ground, place.relation->czech, possessor);
    case Place::Kind::kDirection:
      return czech_governed(place.ground, names.czech_direction, possessor);
    case Place::Kind::kLocation:
      break;
  }
  return czech_governed(place.ground, {names.czech, Case::kLocative}, possessor);
}

}  // namespace dietmt::data
