#include "data/sample/random_phrase.h"

#include <numeric>

namespace dietmt::data {
namespace {

enum class Role { kSubject, kKnownSubject, kObject, kKnownObject };

Determiner random_determiner(Chooser& choose, Role role, Number number) {
  static const std::vector<Determiner> kKinds = {
      Determiner::kDefinite, Determiner::kIndefinite, Determiner::kThis,  Determiner::kPossessive,
      Determiner::kNumeral,  Determiner::kMany,       Determiner::kEvery, Determiner::kNo};
  const bool plural = number == Number::kPlural;
  const double in_plural = plural ? 1 : 0;
  std::vector<double> weights = {55, 12, 6, 8, 24 * in_plural, 8 * in_plural, 5, 4};
  if (role == Role::kObject) weights = {45, 28, 6, 16, 14 * in_plural, 5 * in_plural, 0, 0};
  if (role == Role::kKnownSubject) weights = {75, 0, 10, 15, 0, 0, 0, 0};
  if (role == Role::kKnownObject) weights = {80, 0, 20, 0, 0, 0, 0, 0};
  if (plural) weights[6] = weights[7] = 0;
  return kKinds[choose.weighted(weights)];
}

bool is_usable(const Possessor& possessor) {
  return possessor.person != 3 || possessor.number == Number::kPlural ||
         possessor.sex != Sex::kNone;
}

Possessor random_possessor(Chooser& choose, const NounPhrase* subject) {
  if (subject && choose.chance(0.6)) {
    const bool singular_noun = subject->person == 3 && !is_plural(*subject) && subject->noun;
    const Possessor own{subject->person, subject->number,
                        singular_noun ? subject->noun->sex : Sex::kNone};
    const bool fits = singular_noun ? can_be_antecedent(*subject) : true;
    if (fits && is_usable(own)) return own;
  }
  static const std::vector<Possessor> kOthers = {{1, Number::kSingular, Sex::kNone},
                                                 {1, Number::kPlural, Sex::kNone},
                                                 {2, Number::kSingular, Sex::kNone},
                                                 {3, Number::kSingular, Sex::kMale},
                                                 {3, Number::kSingular, Sex::kFemale}};
  return choose.pick(kOthers);
}

std::vector<const Adjective*> random_adjectives(Chooser& choose, const Noun& noun) {
  std::vector<const Adjective*> adjectives;
  const size_t count = choose.weighted({60, 34, 6});
  while (adjectives.size() < count) {
    const Adjective& adjective = choose.pick(
        lexicon().adjectives, [&](const Adjective& entry) { return noun.is(entry.nouns); });
    if (adjectives.empty() || adjectives.front()->rank != adjective.rank)
      adjectives.push_back(&adjective);
  }
  if (count == 2 && adjectives[0]->rank > adjectives[1]->rank)
    std::swap(adjectives[0], adjectives[1]);
  return adjectives;
}

std::shared_ptr<const NounPhrase> random_owner(Chooser& choose, const Noun& owned) {
  NounPhrase owner;
  owner.noun = &choose.pick(lexicon().nouns,
                            [&](const Noun& noun) { return noun.is(kHuman) && &noun != &owned; });
  const bool mine = owner.noun->is(kRelated) && choose.chance(0.4);
  owner.determiner = mine ? Determiner::kPossessive : Determiner::kDefinite;
  owner.possessor = {1, choose.chance(0.7) ? Number::kSingular : Number::kPlural, Sex::kNone};
  owner.adjectives = random_adjectives(choose, *owner.noun);
  return std::make_shared<const NounPhrase>(owner);
}

NounPhrase random_noun_phrase(Chooser& choose, unsigned classes, Role role,
                              const NounPhrase* subject) {
  NounPhrase phrase;
  // Names are half of the persons.
  const bool name = (classes & kName) && choose.chance(0.3);
  const unsigned wanted = name ? kName : classes & ~kName;
  phrase.noun = &choose.pick(lexicon().nouns, [&](const Noun& noun) { return noun.is(wanted); });
  if (phrase.noun->is(kName)) return phrase;
  phrase.number = choose.chance(0.38) ? Number::kPlural : Number::kSingular;
  phrase.determiner = random_determiner(choose, role, phrase.number);
  const bool can_be_owned = !phrase.noun->is(kHuman) || phrase.noun->is(kRelated);
  if (phrase.determiner == Determiner::kPossessive && !can_be_owned)
    phrase.determiner = Determiner::kDefinite;
  if (phrase.determiner == Determiner::kNumeral) phrase.numeral = choose.between(2, 6);
  if (phrase.determiner == Determiner::kPossessive)
    phrase.possessor = random_possessor(choose, subject);
  phrase.adjectives = random_adjectives(choose, *phrase.noun);
  const bool owned = phrase.determiner == Determiner::kDefinite && can_be_owned &&
                     !phrase.noun->is(kPlace) && choose.chance(0.1);
  if (owned) phrase.owner = random_owner(choose, *phrase.noun);
  return phrase;
}

NounPhrase random_pronoun(Chooser& choose) {
  const Lexicon& words = lexicon();
  switch (choose.weighted({22, 14, 18, 18, 14, 14})) {
    case 0:
      return pronoun_phrase(1, Number::kSingular, nullptr);
    case 1:
      return pronoun_phrase(2, Number::kSingular, nullptr);
    case 2:
      return pronoun_phrase(3, Number::kSingular, &words.noun("man"));
    case 3:
      return pronoun_phrase(3, Number::kSingular, &words.noun("woman"));
    case 4:
      return pronoun_phrase(1, Number::kPlural, nullptr);
    default:
      return pronoun_phrase(3, Number::kPlural, &words.noun("man"));
  }
}

NounPhrase random_coordination(Chooser& choose, unsigned classes) {
  NounPhrase phrase;
  phrase.kind = NounPhrase::Kind::kCoordination;
  phrase.number = Number::kPlural;
  const auto simple = [&] {
    NounPhrase member = random_noun_phrase(choose, classes, Role::kKnownSubject, nullptr);
    member.owner.reset();
    return member;
  };
  phrase.members.push_back(simple());
  do {
    phrase.members.resize(1);
    phrase.members.push_back(simple());
  } while (phrase.members[0].noun == phrase.members[1].noun);
  return phrase;
}

NounPhrase random_agent(Chooser& choose, unsigned classes, Role role) {
  if ((classes & kPerson) && choose.chance(0.2)) return random_pronoun(choose);
  if ((classes & kPerson) && choose.chance(0.08)) return random_coordination(choose, kPerson);
  return random_noun_phrase(choose, classes, role, nullptr);
}

}  // namespace

size_t Chooser::weighted(const std::vector<double>& weights) {
  double left = random_.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (size_t i = 0; i + 1 < weights.size(); ++i) {
    if (left < weights[i]) return i;
    left -= weights[i];
  }
  return weights.size() - 1;
}

NounPhrase pronoun_phrase(int person, Number number, const Noun* antecedent) {
  NounPhrase phrase;
  phrase.kind = NounPhrase::Kind::kPronoun;
  phrase.noun = antecedent;
  phrase.person = person;
  phrase.number = number;
  return phrase;
}

NounPhrase question_phrase_of(NounPhrase::Kind kind) {
  NounPhrase phrase;
  phrase.kind = kind;
  return phrase;
}

NounPhrase random_subject(Chooser& choose, unsigned classes) {
  return random_agent(choose, classes, Role::kSubject);
}

NounPhrase random_known_subject(Chooser& choose, unsigned classes) {
  return random_agent(choose, classes, Role::kKnownSubject);
}

NounPhrase random_object(Chooser& choose, unsigned classes, const NounPhrase& subject) {
  if ((classes & kPerson) && choose.chance(0.18)) {
    NounPhrase pronoun = random_pronoun(choose);
    if (pronoun.person == 3 || (pronoun.person != subject.person && is_pronoun(subject)))
      return pronoun;
  }
  if ((classes & kPerson) && choose.chance(0.05)) return random_coordination(choose, kPerson);
  for (;;) {
    NounPhrase phrase = random_noun_phrase(choose, classes, Role::kObject, &subject);
    if (phrase.noun != subject.noun) return phrase;
  }
}

NounPhrase random_known_object(Chooser& choose, unsigned classes, const Noun* other) {
  for (;;) {
    NounPhrase phrase = random_noun_phrase(choose, classes, Role::kKnownObject, nullptr);
    if (phrase.noun != other) return phrase;
  }
}

Place random_location(Chooser& choose) {
  Place place;
  if (choose.chance(0.25)) {
    place.kind = Place::Kind::kRelation;
    place.relation = &choose.pick(lexicon().relations);
    place.ground = random_known_object(choose, kLandmark, nullptr);
  } else {
    place.ground = random_known_object(choose, kPlace, nullptr);
  }
  place.ground.owner.reset();
  if (choose.chance(0.6)) place.ground.number = Number::kSingular;
  return place;
}

Place random_direction(Chooser& choose) {
  Place place;
  place.kind = Place::Kind::kDirection;
  place.ground = random_known_object(choose, kPlace, nullptr);
  place.ground.number = Number::kSingular;
  return place;
}

bool can_be_antecedent(const NounPhrase& phrase) {
  if (phrase.kind == NounPhrase::Kind::kCoordination) return true;
  if (phrase.kind != NounPhrase::Kind::kNoun || !spoken(phrase)) return false;
  // English "she" of a German neuter ("das Mädchen") leaves the gender open.
  const bool neuter_person =
      phrase.noun->sex != Sex::kNone && phrase.noun->german.gender == GermanGender::kNeuter;
  return (is_plural(phrase) || !neuter_person) && phrase.determiner != Determiner::kNo &&
         phrase.determiner != Determiner::kEvery;
}

bool is_quantified_or_new(const NounPhrase& phrase) {
  switch (phrase.determiner) {
    case Determiner::kIndefinite:
    case Determiner::kEvery:
    case Determiner::kNo:
    case Determiner::kMany:
    case Determiner::kNumeral:
      return true;
    default:
      return false;
  }
}

}  // namespace dietmt::data
