#include "data/sample/random_clause.h"

#include <algorithm>

namespace dietmt::data {
namespace {

bool takes_place(const Verb& verb) {
  if (!verb.objects) return verb.has(kStationary);
  return !verb.german.reflexive && (!verb.has(kNoProgressive) || verb.has(kPassive));
}

bool fits(const Verb& verb, const ClauseRequest& request) {
  if (request.lasting && verb.has(kNoProgressive)) return false;
  if (request.lasting && !verb.objects && !verb.has(kStationary)) return false;
  if (!request.subject) return true;
  const NounPhrase& subject = *request.subject;
  const unsigned classes = subject.noun && subject.kind != NounPhrase::Kind::kCoordination
                               ? subject.noun->classes
                               : static_cast<unsigned>(kPerson);
  return (classes & verb.subjects) != 0;
}

bool is_perfect(Tense tense) { return tense == Tense::kPerfect || tense == Tense::kPastPerfect; }

bool may_be_negated(const Clause& clause) {
  const bool plain_object =
      !clause.object || !is_quantified_or_new(*clause.object) || is_indefinite(*clause.object);
  const bool plain_recipient = !clause.recipient || !is_quantified_or_new(*clause.recipient);
  return !is_quantified_or_new(clause.subject) && plain_object && plain_recipient &&
         clause.view == View::kSimple && !clause.manner && clause.voice == Voice::kActive;
}

void choose_mood(Chooser& choose, Clause& clause, const ClauseRequest& request) {
  const bool simple = clause.tense == Tense::kPresent || clause.tense == Tense::kPast;
  if (request.lasting && clause.tense == Tense::kPast) {
    clause.view = View::kProgressive;
    return;
  }
  if (!simple) return;
  if (!clause.verb->has(kState) && choose.chance(request.modal_chance)) {
    clause.modal = &choose.pick(lexicon().modals, [&](const Modal& modal) {
      return clause.tense == Tense::kPresent || !modal.conditional;
    });
  } else if (!clause.verb->has(kNoProgressive) && choose.chance(request.progressive_chance)) {
    clause.view = View::kProgressive;
  } else if (clause.subject.determiner != Determiner::kNumeral &&
             clause.subject.determiner != Determiner::kMany && !clause.verb->has(kNoProgressive) &&
             !is_quantified_or_new(clause.subject) && clause.verb->objects != 0 &&
             !clause.verb->german.reflexive && choose.chance(0.08)) {
    clause.attitude = Attitude::kLikes;
  }
}

void choose_place(Chooser& choose, Clause& clause) {
  if (!takes_place(*clause.verb)) return;
  if (choose.chance(clause.verb->objects ? 0.18 : 0.7)) clause.place = random_location(choose);
}

unsigned tense_flag(const Clause& clause) {
  if (clause.tense == Tense::kPast) return kWithPast;
  if (clause.tense == Tense::kFuture) return kWithFuture;
  return clause.tense == Tense::kPresent ? kWithPresent : 0U;
}

void choose_adverbs(Chooser& choose, Clause& clause, const ClauseRequest& request) {
  const bool perfect = clause.tense == Tense::kPerfect;
  if (perfect && !is_quantified_or_new(clause.subject) && choose.chance(0.5))
    clause.phase = Phase::kAlready;
  const bool simple = clause.view == View::kSimple && clause.attitude == Attitude::kNone;
  if (clause.verb->has(kMannered) && simple && !clause.modal &&
      choose.chance(request.adverb_chance))
    clause.manner = &choose.pick(lexicon().manners);
  const unsigned flag = tense_flag(clause);
  if (flag == 0 || !simple || !choose.chance(request.adverb_chance)) return;
  const TimeAdverb& time = choose.pick(
      lexicon().times, [&](const TimeAdverb& entry) { return (entry.flags & flag) != 0; });
  const bool negative = (time.flags & kNegative) != 0;
  if (negative && (clause.modal || clause.manner || !may_be_negated(clause))) return;
  if ((time.flags & kBeforeVerb) && clause.modal) return;
  clause.time = &time;
}

void choose_polarity(Chooser& choose, Clause& clause) {
  const bool habitual = clause.time && (clause.time->flags & kHabitual);
  if (!may_be_negated(clause) || habitual || clause.place) return;
  if (choose.chance(0.16)) clause.polarity = Polarity::kNegative;
}

void choose_objects(Chooser& choose, Clause& clause) {
  if (clause.verb->objects)
    clause.object = random_object(choose, clause.verb->objects, clause.subject);
  const auto& transfers = lexicon().transfers;
  const bool transfer =
      clause.verb >= transfers.data() && clause.verb < transfers.data() + transfers.size();
  if (!transfer) return;
  clause.recipient = random_object(choose, kPerson, clause.subject);
  if (clause.recipient->kind == NounPhrase::Kind::kNoun &&
      clause.recipient->noun == clause.object->noun)
    clause.recipient->noun = &lexicon().noun("woman");
  const bool new_recipient = is_quantified_or_new(*clause.recipient);
  const bool new_object = is_quantified_or_new(*clause.object);
  if (new_recipient && new_object) clause.recipient->determiner = Determiner::kDefinite;
  if (new_recipient && !new_object) clause.object_order = ObjectOrder::kObjectFirst;
  // A German name shows no case: it stays before the object.
  const bool shows_case =
      clause.recipient->kind == NounPhrase::Kind::kNoun && !clause.recipient->noun->is(kName);
  if (!new_recipient && !new_object && shows_case && choose.chance(0.4))
    clause.object_order = ObjectOrder::kObjectFirst;
}

const Verb& random_verb(Chooser& choose, const ClauseRequest& request) {
  const Lexicon& words = lexicon();
  const size_t kind = request.lasting ? 0 : choose.weighted({84, 11, 5});
  const auto& list = kind == 0 ? words.verbs : kind == 1 ? words.transfers : words.motions;
  const auto wanted = [&](const Verb& verb) { return fits(verb, request); };
  if (std::none_of(list.begin(), list.end(), wanted)) return choose.pick(words.verbs, wanted);
  return choose.pick(list, wanted);
}

bool is_motion(const Verb& verb) {
  const auto& motions = lexicon().motions;
  return &verb >= motions.data() && &verb < motions.data() + motions.size();
}

// English: an adverb behind an object's relative clause would seem to belong to it.
bool has_final_adverb(const Clause& clause) {
  return clause.place || clause.manner || (clause.time && !(clause.time->flags & kBeforeVerb));
}

NounPhrase gap_for(const NounPhrase& head) {
  NounPhrase gap;
  gap.form = NounPhrase::Form::kGap;
  gap.noun = head.noun;
  gap.number = head.number;
  gap.determiner = Determiner::kDefinite;
  return gap;
}

}  // namespace

void add_relative(Chooser& choose, NounPhrase& phrase) {
  const bool possible = phrase.kind == NounPhrase::Kind::kNoun && spoken(phrase) &&
                        !phrase.noun->is(kName | kPlace) && !phrase.owner &&
                        phrase.determiner != Determiner::kPossessive;
  if (!possible) return;
  const NounPhrase gap = gap_for(phrase);
  const std::vector<Tense> tenses = {Tense::kPresent, Tense::kPast};
  const bool as_subject = phrase.noun->is(kAnimate) && choose.chance(0.5);
  Clause clause;
  if (as_subject) {
    clause = random_clause(choose, {.tenses = tenses, .progressive_chance = 0.1, .subject = &gap});
  } else {
    clause.verb = &choose.pick(lexicon().verbs, [&](const Verb& verb) {
      return phrase.noun->is(verb.objects) ||
             (verb.objects == 0 && !phrase.noun->is(kAnimate) && phrase.noun->is(verb.subjects));
    });
    clause.tense = choose.pick(tenses);
    if (clause.verb->objects == 0) {
      clause.subject = gap;
    } else {
      do clause.subject = random_known_subject(choose, clause.verb->subjects);
      while (clause.subject.noun == gap.noun);
      clause.subject.owner.reset();
      clause.object = gap;
    }
  }
  phrase.relative = std::make_shared<const Clause>(clause);
}

Clause random_clause(Chooser& choose, const ClauseRequest& request) {
  Clause clause;
  clause.tense = choose.pick(request.tenses);
  do clause.verb = &random_verb(choose, request);
  while (clause.verb->has(kState) && is_perfect(clause.tense));
  if (request.subject)
    clause.subject = *request.subject;
  else
    clause.subject = request.known_subject ? random_known_subject(choose, clause.verb->subjects)
                                           : random_subject(choose, clause.verb->subjects);
  choose_objects(choose, clause);
  choose_mood(choose, clause, request);
  if (is_motion(*clause.verb))
    clause.place = random_direction(choose);
  else
    choose_place(choose, clause);
  choose_adverbs(choose, clause, request);
  choose_polarity(choose, clause);
  if (!request.subject && choose.chance(request.relative_chance))
    add_relative(choose, clause.subject);
  else if (clause.object && !has_final_adverb(clause) && choose.chance(request.relative_chance))
    add_relative(choose, *clause.object);
  return clause;
}

Clause random_passive(Chooser& choose) {
  Clause clause;
  clause.voice = Voice::kPassive;
  clause.verb = &choose.pick(lexicon().verbs, [](const Verb& verb) { return verb.has(kPassive); });
  clause.tense = choose.pick(std::vector<Tense>{Tense::kPast, Tense::kPast, Tense::kPerfect});
  do clause.subject = random_subject(choose, clause.verb->subjects);
  while (is_pronoun(clause.subject) || clause.subject.determiner == Determiner::kNo);
  clause.object = random_known_object(choose, clause.verb->objects, clause.subject.noun);
  if (choose.chance(0.2)) {
    clause.tense = Tense::kPresent;
    clause.modal = &choose.pick(lexicon().modals, [](const Modal& modal) {
      return modal.english_present == "must" || modal.english_present == "can";
    });
  } else {
    choose_adverbs(choose, clause, {.tenses = {}, .adverb_chance = 0.4});
  }
  if (choose.chance(0.25)) add_relative(choose, *clause.object);
  return clause;
}

Clause random_cleft(Chooser& choose) {
  Clause clause;
  clause.verb = &choose.pick(lexicon().verbs, [](const Verb& verb) { return verb.objects != 0; });
  clause.tense = choose.chance(0.75) ? Tense::kPast : Tense::kPresent;
  do clause.subject = random_known_subject(choose, clause.verb->subjects);
  while (clause.subject.kind != NounPhrase::Kind::kNoun);
  clause.object = random_known_object(choose, clause.verb->objects, clause.subject.noun);
  choose_place(choose, clause);
  return clause;
}

Clause random_thought(Chooser& choose) {
  Clause clause;
  clause.verb = &choose.pick(lexicon().thoughts);
  clause.tense = choose.chance(0.6) ? Tense::kPresent : Tense::kPast;
  clause.subject = random_known_subject(choose, kPerson);
  if (choose.chance(0.2)) add_relative(choose, clause.subject);
  std::vector<Tense> tenses = {Tense::kPastPerfect};
  if (clause.tense == Tense::kPresent)
    tenses = {Tense::kPresent, Tense::kPast, Tense::kPerfect, Tense::kFuture};
  clause.that_clause = std::make_shared<const Clause>(random_clause(
      choose,
      {.tenses = tenses, .relative_chance = 0.1, .modal_chance = 0.15, .adverb_chance = 0.15}));
  return clause;
}

Clause random_undertaking(Chooser& choose) {
  Clause clause;
  clause.verb = &choose.pick(lexicon().undertakings);
  clause.tense =
      choose.pick(std::vector<Tense>{Tense::kPresent, Tense::kPast, Tense::kPast, Tense::kPerfect});
  clause.subject = random_known_subject(choose, kPerson);
  if (choose.chance(0.25)) add_relative(choose, clause.subject);
  Clause infinitive;
  infinitive.subject = clause.subject;
  infinitive.verb = &choose.pick(lexicon().verbs, [&](const Verb& verb) {
    const CzechVerb& czech = verb.czech;
    const bool deliberate = verb.has(kPassive) && czech.perfective.past != czech.imperfective.past;
    const bool lasting = !verb.has(kNoProgressive);
    return (verb.subjects & kHuman) && !verb.reflexive() && (verb.objects || verb.has(kMannered)) &&
           (lasting || (deliberate && !clause.verb->has(kPhase)));
  });
  if (infinitive.verb->objects)
    infinitive.object = random_known_object(choose, infinitive.verb->objects, clause.subject.noun);
  if (choose.chance(0.3)) infinitive.place = random_location(choose);
  clause.infinitive = std::make_shared<const Clause>(infinitive);
  return clause;
}

Clause random_description(Chooser& choose, const NounPhrase& subject, Tense tense) {
  Clause clause;
  clause.verb = &lexicon().be;
  clause.tense = tense;
  clause.subject = subject;
  const bool single = subject.noun && subject.kind != NounPhrase::Kind::kCoordination;
  unsigned classes = single ? subject.noun->classes : static_cast<unsigned>(kHuman);
  if (classes & kName) classes = kHuman;
  clause.predicate = &choose.pick(lexicon().adjectives, [&](const Adjective& adjective) {
    return (adjective.nouns & classes) != 0;
  });
  if (!is_quantified_or_new(subject) && choose.chance(0.15)) clause.polarity = Polarity::kNegative;
  return clause;
}

}  // namespace dietmt::data
