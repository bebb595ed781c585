#include "data/sample/random_meaning.h"

#include "data/sample/random_clause.h"

namespace dietmt::data {
namespace {

const std::vector<Tense> kMainTenses = {Tense::kPresent, Tense::kPresent, Tense::kPast,
                                        Tense::kPast,    Tense::kPerfect, Tense::kFuture};

ClauseRequest main_request() {
  return {.tenses = kMainTenses,
          .relative_chance = 0.3,
          .modal_chance = 0.2,
          .progressive_chance = 0.25,
          .adverb_chance = 0.35};
}

void choose_front(Chooser& choose, Clause& clause) {
  const bool time = clause.time && !(clause.time->flags & kBeforeVerb);
  const bool place = clause.place && clause.place->kind == Place::Kind::kLocation;
  if (time && choose.chance(0.4))
    clause.front = Front::kTime;
  else if (place && choose.chance(0.3))
    clause.front = Front::kPlace;
}

Sentence simple_sentence(Chooser& choose) {
  Sentence sentence;
  sentence.main = random_clause(choose, main_request());
  choose_front(choose, sentence.main);
  return sentence;
}

Sentence descriptive_sentence(Chooser& choose) {
  NounPhrase subject = random_known_subject(choose, kAnimate | kGoods | kMachine | kTold);
  if (choose.chance(0.6)) add_relative(choose, subject);
  const Tense tense = choose.chance(0.6) ? Tense::kPresent : Tense::kPast;
  Sentence sentence;
  sentence.main = random_description(choose, subject, tense);
  return sentence;
}

/// A pronoun for the subject or object of `main`, if one of them can be an antecedent.
std::optional<NounPhrase> pronoun_for(Chooser& choose, const Clause& main) {
  const NounPhrase& subject = main.subject;
  const bool prefer_object = main.object && can_be_antecedent(*main.object) && choose.chance(0.45);
  const NounPhrase& antecedent = prefer_object ? *main.object : subject;
  if (is_pronoun(antecedent)) return antecedent;
  if (!can_be_antecedent(antecedent)) return std::nullopt;
  if (antecedent.kind == NounPhrase::Kind::kCoordination) return std::nullopt;
  return pronoun_phrase(3, antecedent.number, antecedent.noun);
}

/// "because she needed it": the object of `main` again, as a pronoun.
bool can_need(const Clause& main) {
  return !main.verb->has(kState) && main.object && can_be_antecedent(*main.object) &&
         main.object->noun && main.object->noun->is(kGoods | kMachine) && main.subject.noun &&
         (is_pronoun(main.subject) || can_be_antecedent(main.subject)) &&
         main.subject.noun->is(kPerson);
}

Clause need_clause(const Clause& main, Tense tense) {
  Clause clause;
  clause.verb = &lexicon().verb("need");
  clause.tense = tense;
  const NounPhrase& subject = main.subject;
  clause.subject = is_pronoun(subject) ? subject : pronoun_phrase(3, subject.number, subject.noun);
  clause.object = pronoun_phrase(3, main.object->number, main.object->noun);
  return clause;
}

Clause reason_clause(Chooser& choose, const Clause& main, Tense tense) {
  if (can_need(main) && choose.chance(0.5)) return need_clause(main, tense);
  const std::optional<NounPhrase> pronoun = pronoun_for(choose, main);
  if (pronoun && choose.chance(0.35)) return random_description(choose, *pronoun, tense);
  ClauseRequest request{
      .tenses = {tense}, .relative_chance = 0.08, .modal_chance = 0.2, .adverb_chance = 0.12};
  if (pronoun && choose.chance(0.6) && (!pronoun->noun || pronoun->noun->is(kAnimate)))
    request.subject = &*pronoun;
  return random_clause(choose, request);
}

Sentence complex_sentence(Chooser& choose) {
  Sentence sentence;
  sentence.conjunction = &choose.pick(lexicon().conjunctions);
  const std::string& name = sentence.conjunction->english;
  const bool past = name == "before" || name == "while" || (name != "if" && choose.chance(0.5));
  const Tense tense = past ? Tense::kPast : Tense::kPresent;
  const bool reason = name == "because" || name == "although";
  ClauseRequest main{
      .tenses = {tense}, .relative_chance = 0.15, .adverb_chance = 0.1, .known_subject = true};
  if (reason || name == "if") main.modal_chance = 0.2;
  sentence.main = random_clause(choose, main);
  if (reason) {
    sentence.subordinate =
        std::make_shared<const Clause>(reason_clause(choose, sentence.main, tense));
  } else {
    ClauseRequest request{.tenses = {tense},
                          .relative_chance = 0.08,
                          .lasting = name == "while",
                          .known_subject = true};
    const std::optional<NounPhrase> pronoun = pronoun_for(choose, sentence.main);
    if (pronoun && choose.chance(0.5) && (!pronoun->noun || pronoun->noun->is(kAnimate)))
      request.subject = &*pronoun;
    sentence.subordinate = std::make_shared<const Clause>(random_clause(choose, request));
  }
  if (choose.chance(0.4)) sentence.order = Sentence::Order::kSubordinateFirst;
  return sentence;
}

Sentence coordinated_sentence(Chooser& choose) {
  Sentence sentence;
  const Tense tense = choose.chance(0.6) ? Tense::kPast : Tense::kPresent;
  ClauseRequest request{
      .tenses = {tense}, .relative_chance = 0.12, .adverb_chance = 0.15, .known_subject = true};
  sentence.main = random_clause(choose, request);
  sentence.contrast = choose.chance(0.4);
  NounPhrase elided = sentence.main.subject;
  elided.form = NounPhrase::Form::kElided;
  const bool acts = !elided.noun || elided.noun->is(kAnimate);  // a tree can only stand
  if (acts && choose.chance(0.55)) request.subject = &elided;
  Clause second = random_clause(choose, request);
  while (second.verb == sentence.main.verb) second = random_clause(choose, request);
  sentence.second = std::make_shared<const Clause>(second);
  return sentence;
}

void choose_addressee(Chooser& choose, Sentence& sentence) {
  if (!choose.chance(0.25)) return;
  const Clause& clause = sentence.main;
  if (clause.subject.person == 3 && clause.subject.noun && clause.subject.noun->is(kName)) return;
  sentence.addressee = &choose.pick(lexicon().nouns, [&](const Noun& noun) {
    return noun.is(kName) && (!clause.object || clause.object->noun != &noun);
  });
}

const Verb& question_verb(Chooser& choose, unsigned object_classes) {
  return choose.pick(lexicon().verbs, [&](const Verb& verb) {
    return (verb.subjects & kPerson) && (verb.objects & object_classes) && !verb.has(kState);
  });
}

void ask_for_object(Chooser& choose, Sentence& sentence) {
  const bool person = choose.chance(0.45);
  Clause& clause = sentence.main;
  clause.verb = &question_verb(choose, person ? kPerson : kGoods | kReadable | kEdible);
  clause.subject = random_known_subject(choose, clause.verb->subjects);
  clause.object = question_phrase_of(person ? NounPhrase::Kind::kWho : NounPhrase::Kind::kWhat);
  clause.tense = choose.pick(kMainTenses);
}

Sentence question_sentence(Chooser& choose) {
  Sentence sentence;
  sentence.kind = Sentence::Kind::kQuestion;
  const size_t kind = choose.weighted({40, 15, 25, 20});
  if (kind == 2) {
    ask_for_object(choose, sentence);
    choose_addressee(choose, sentence);
    return sentence;
  }
  const NounPhrase who = question_phrase_of(NounPhrase::Kind::kWho);
  ClauseRequest request{.tenses = kMainTenses,
                        .relative_chance = 0.12,
                        .modal_chance = 0.2,
                        .progressive_chance = 0.15,
                        .known_subject = true};
  if (kind == 1) request.subject = &who;
  sentence.main = random_clause(choose, request);
  choose_addressee(choose, sentence);
  if (kind == 0 || kind == 1) return sentence;
  sentence.main.phase = Phase::kNone;
  sentence.question_word = &choose.pick(lexicon().question_words, [&](const QuestionWord& word) {
    return word.english != "where" || !sentence.main.place;
  });
  return sentence;
}

Sentence with_main(Clause clause) {
  Sentence sentence;
  sentence.main = std::move(clause);
  return sentence;
}

Sentence cleft_sentence(Chooser& choose) {
  Sentence sentence = with_main(random_cleft(choose));
  sentence.kind = Sentence::Kind::kCleft;
  return sentence;
}

}  // namespace

Sentence random_sentence(Random& random) {
  Chooser choose(random);
  switch (choose.weighted({26, 6, 22, 10, 12, 8, 4, 7, 5})) {
    case 0:
      return simple_sentence(choose);
    case 1:
      return descriptive_sentence(choose);
    case 2:
      return complex_sentence(choose);
    case 3:
      return coordinated_sentence(choose);
    case 4:
      return question_sentence(choose);
    case 5:
      return with_main(random_passive(choose));
    case 6:
      return cleft_sentence(choose);
    case 7:
      return with_main(random_thought(choose));
    default:
      return with_main(random_undertaking(choose));
  }
}

}  // namespace dietmt::data
