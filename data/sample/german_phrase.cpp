#include "data/sample/german_phrase.h"

#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

GermanAgreement agreement_of(const NounPhrase& phrase, Case noun_case) {
  const GermanGender gender = phrase.noun ? phrase.noun->german.gender : GermanGender::kMasculine;
  return {gender, phrase.number, noun_case};
}

std::string question_pronoun(const NounPhrase& phrase, Case noun_case) {
  if (phrase.kind == NounPhrase::Kind::kWhat) return "was";
  if (noun_case == Case::kDative) return "wem";
  return noun_case == Case::kAccusative ? "wen" : "wer";
}

// The relative pronoun with the preposition of its verb, and the clause.
Words relative_words(const NounPhrase& head) {
  const Clause& clause = *head.relative;
  const bool is_subject = clause.subject.form == NounPhrase::Form::kGap;
  const Government government =
      is_subject ? Government{"", Case::kNominative} : clause.verb->german.object;
  Words words;
  append(words, government.preposition);
  append(words, german_relative_pronoun(agreement_of(gap_of(clause), government.noun_case)));
  append(words, german_subordinate(clause));
  return words;
}

GermanPhrase noun_words(const NounPhrase& phrase, Case noun_case, Polarity polarity) {
  const GermanAgreement agreement = agreement_of(phrase, noun_case);
  GermanPhrase result;
  append(result.words, german_determiner(phrase, agreement, polarity));
  for (const Adjective* adjective : phrase.adjectives)
    append(result.words, german_adjective(*adjective, phrase.determiner, polarity, agreement));
  append(result.words, german_noun_form(*phrase.noun, phrase.number, noun_case));
  if (phrase.owner) append(result.words, german_phrase(*phrase.owner, Case::kGenitive).words);
  if (phrase.relative) result.relative = relative_words(phrase);
  return result;
}

}  // namespace

Words GermanPhrase::whole() const {
  if (relative.empty()) return words;
  Words all = words;
  append(all, ",");
  append(all, relative);
  append(all, ",");
  return all;
}

GermanPhrase german_phrase(const NounPhrase& phrase, Case noun_case, Polarity polarity) {
  switch (phrase.kind) {
    case NounPhrase::Kind::kWho:
    case NounPhrase::Kind::kWhat:
      return {{question_pronoun(phrase, noun_case)}, {}};
    case NounPhrase::Kind::kPronoun:
      return {{german_personal_pronoun(phrase.person, agreement_of(phrase, noun_case))}, {}};
    case NounPhrase::Kind::kCoordination: {
      Words words = german_phrase(phrase.members.at(0), noun_case).words;
      append(words, "und");
      append(words, german_phrase(phrase.members.at(1), noun_case).words);
      return {words, {}};
    }
    case NounPhrase::Kind::kNoun:
      break;
  }
  return noun_words(phrase, noun_case, polarity);
}

GermanPhrase german_governed(const NounPhrase& phrase, const Government& government,
                             Polarity polarity) {
  const std::string& preposition = government.preposition;
  if (preposition.empty()) return german_phrase(phrase, government.noun_case, polarity);
  const bool third_person = is_pronoun(phrase) && phrase.person == 3;
  if (third_person && phrase.noun && !phrase.noun->is(kAnimate))
    return {{german_compound("da", preposition)}, {}};
  if (phrase.kind == NounPhrase::Kind::kWhat) return {{german_compound("wo", preposition)}, {}};
  GermanPhrase result = german_phrase(phrase, government.noun_case);
  const bool article = phrase.determiner == Determiner::kDefinite;
  const std::string merged = article ? german_contraction(preposition, result.words.front()) : "";
  if (merged.empty())
    result.words.insert(result.words.begin(), preposition);
  else
    result.words.front() = merged;
  return result;
}

GermanPhrase german_place(const Place& place) {
  const PlaceWords& names = place.ground.noun->place;
  switch (place.kind) {
    case Place::Kind::kRelation:
      return german_governed(place.ground, place.relation->german);
    case Place::Kind::kDirection:
      return german_governed(place.ground, names.german_direction);
    case Place::Kind::kLocation:
      break;
  }
  return german_governed(place.ground, {names.german, Case::kDative});
}

}  // namespace dietmt::data
