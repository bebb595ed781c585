// German word order: forefield, verb second, middle field, right bracket, what follows it.
#include "data/sample/german_phrase.h"
#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

enum class VerbPosition { kFirst, kSecond, kLast };

/// The verbs of a clause: "hat" + "gekauft", "muss" + "gelesen werden", "ruft" + "an".
struct Verbs {
  std::string finite;
  Words nonfinite;     // in the right bracket
  std::string prefix;  // separated from `finite`; joined to it when the verb is last
};

const NounPhrase& grammatical_subject(const Clause& clause) {
  return clause.voice == Voice::kPassive ? *clause.object : clause.subject;
}

const GermanVerb& modal_verb(const Clause& clause) {
  const bool forbids = clause.polarity == Polarity::kNegative && clause.tense == Tense::kPresent;
  return forbids ? clause.modal->german_negated : clause.modal->german;
}

Verbs verbs_of(const Clause& clause) {
  const NounPhrase& subject = grammatical_subject(clause);
  const auto finite = [&](const GermanVerb& verb, Tense tense) {
    return german_finite(verb, subject.person, subject.number, tense);
  };
  const GermanVerb& verb = clause.verb->german;
  const GermanVerb& become = german_auxiliary_become();
  const bool passive = clause.voice == Voice::kPassive;
  const bool perfect = clause.tense == Tense::kPerfect || clause.tense == Tense::kPastPerfect;
  if (perfect) {
    const bool with_sein = passive || verb.perfect_with_sein;
    const GermanVerb& auxiliary = with_sein ? lexicon().be.german : german_auxiliary_have();
    const Tense tense = clause.tense == Tense::kPastPerfect ? Tense::kPast : Tense::kPresent;
    Words participles{verb.participle};
    if (passive) append(participles, "worden");
    return {finite(auxiliary, tense), participles, ""};
  }
  if (clause.modal || clause.tense == Tense::kFuture) {
    const Words infinitives =
        passive ? Words{verb.participle, "werden"} : Words{verb.prefix + verb.infinitive};
    if (!clause.modal) return {finite(become, Tense::kPresent), infinitives, ""};
    const Tense tense = clause.modal->conditional ? Tense::kPast : clause.tense;
    return {finite(modal_verb(clause), tense), infinitives, ""};
  }
  if (passive) return {finite(become, clause.tense), {verb.participle}, ""};
  return {finite(verb, clause.tense), {}, verb.prefix};
}

bool takes_first_object_slot(const NounPhrase& phrase) {
  switch (phrase.determiner) {
    case Determiner::kIndefinite:
    case Determiner::kNo:
    case Determiner::kMany:
    case Determiner::kNumeral:
      return false;
    default:
      return true;
  }
}

// Whether the indefinite object carries the negation: "kauft kein Buch".
Polarity object_polarity(const Clause& clause) {
  const bool carries = clause.polarity == Polarity::kNegative && clause.voice == Voice::kActive &&
                       clause.object && is_indefinite(*clause.object) &&
                       clause.verb->german.object.preposition.empty() &&
                       clause.attitude == Attitude::kNone;
  return carries ? Polarity::kNegative : Polarity::kPositive;
}

/// The middle field: subject, pronouns, time, known objects, negation, manner, place, new objects,
/// prepositional object, direction, predicate.
class MiddleField {
 public:
  MiddleField(const Clause& clause, VerbPosition position, bool with_subject)
      : clause_(clause), polarity_(object_polarity(clause)) {
    const NounPhrase& subject = grammatical_subject(clause);
    // "weil er sich freut", but "weil sich der Mann freut"
    if (!with_subject || !is_pronoun(subject)) add_reflexive();
    if (with_subject) add(german_phrase(subject, Case::kNominative));
    if (with_subject && is_pronoun(subject)) add_reflexive();
    add_object_pronouns();
    if (clause.time && clause.front != Front::kTime) add_word(clause.time->german);
    if (clause.view == View::kProgressive && position != VerbPosition::kLast) add_word("gerade");
    add_objects(true);
    add_negation();
    if (clause.attitude == Attitude::kLikes) add_word("gern");
    if (clause.manner) add_word(clause.manner->german);
    add_passive_agent();
    if (has_place(Place::Kind::kLocation) || has_place(Place::Kind::kRelation)) add_place();
    add_objects(false);
    add_prepositional_object();
    if (has_place(Place::Kind::kDirection)) add_place();
    if (clause.predicate) add_word(clause.predicate->german_predicate);
  }

  /// The last relative clause goes behind the right bracket if there is one.
  Words words(bool has_right_bracket, Words& extraposed) const {
    Words all;
    for (size_t i = 0; i < parts_.size(); ++i) {
      const bool moves = i + 1 == parts_.size() && has_right_bracket && !parts_[i].relative.empty();
      append(all, moves ? parts_[i].words : parts_[i].whole());
      if (moves) extraposed = parts_[i].relative;
    }
    return all;
  }

 private:
  void add(const GermanPhrase& phrase) {
    if (!phrase.empty()) parts_.push_back(phrase);
  }
  void add_word(const std::string& word) { add({{word}, {}}); }
  bool has_place(Place::Kind kind) const {
    return clause_.place && clause_.place->kind == kind && clause_.front != Front::kPlace;
  }
  void add_place() { add(german_place(*clause_.place)); }

  bool is_plain_object(const std::optional<NounPhrase>& phrase) const {
    return clause_.voice == Voice::kActive && phrase && spoken(*phrase) &&
           !is_question_phrase(*phrase);
  }
  bool object_has_preposition() const { return !clause_.verb->german.object.preposition.empty(); }

  void add_reflexive() {
    if (clause_.verb->german.reflexive)
      add_word(german_reflexive_pronoun(clause_.subject.person, clause_.subject.number));
  }

  void add_object_pronouns() {
    if (is_plain_object(clause_.object) && is_pronoun(*clause_.object) && !object_has_preposition())
      add(german_phrase(*clause_.object, clause_.verb->german.object.noun_case));
    if (is_plain_object(clause_.recipient) && is_pronoun(*clause_.recipient))
      add(german_phrase(*clause_.recipient, Case::kDative));
  }

  void add_object_if(bool known) {
    if (!is_plain_object(clause_.object) || is_pronoun(*clause_.object) ||
        object_has_preposition() || takes_first_object_slot(*clause_.object) != known)
      return;
    add(german_phrase(*clause_.object, clause_.verb->german.object.noun_case, polarity_));
  }

  void add_recipient_if(bool known) {
    if (!is_plain_object(clause_.recipient) || is_pronoun(*clause_.recipient) ||
        takes_first_object_slot(*clause_.recipient) != known)
      return;
    add(german_phrase(*clause_.recipient, Case::kDative));
  }

  void add_objects(bool known) {
    const bool object_first = clause_.object_order == ObjectOrder::kObjectFirst;
    if (object_first) add_object_if(known);
    add_recipient_if(known);
    if (!object_first) add_object_if(known);
  }

  void add_negation() {
    const bool negative = clause_.polarity == Polarity::kNegative;
    if (clause_.phase == Phase::kAlready) add_word(negative ? "noch" : "schon");
    if (negative && polarity_ == Polarity::kPositive) add_word("nicht");
  }

  void add_passive_agent() {
    if (clause_.voice == Voice::kPassive)
      add(german_governed(clause_.subject, {"von", Case::kDative}));
  }

  void add_prepositional_object() {
    if (is_plain_object(clause_.object) && object_has_preposition())
      add(german_governed(*clause_.object, clause_.verb->german.object));
  }

  const Clause& clause_;
  Polarity polarity_;
  std::vector<GermanPhrase> parts_;
};

// ", das Fenster aufzumachen"
Words infinitive_words(const Clause& clause) {
  Words words{","};
  Words extraposed;
  append(words, MiddleField(clause, VerbPosition::kLast, false).words(true, extraposed));
  const GermanVerb& verb = clause.verb->german;
  if (verb.prefix.empty()) {
    append(words, "zu");
    append(words, verb.infinitive);
  } else {
    append(words, verb.prefix + "zu" + verb.infinitive);
  }
  append(words, ",");
  append(words, extraposed);
  return words;
}

void append_clause_complements(Words& words, const Clause& clause) {
  if (clause.infinitive) append(words, infinitive_words(*clause.infinitive));
  if (!clause.that_clause) return;
  append(words, Words{",", "dass"});
  append(words, german_subordinate(*clause.that_clause));
  append(words, ",");
}

// From the finite verb on; `with_subject`: the subject stands in the middle field.
Words clause_body(const Clause& clause, VerbPosition position, bool with_subject) {
  const Verbs verbs = verbs_of(clause);
  const bool last = position == VerbPosition::kLast;
  const bool bracket = last || !verbs.nonfinite.empty() || !verbs.prefix.empty();
  Words words;
  Words extraposed;
  if (!last) append(words, verbs.finite);
  append(words, MiddleField(clause, position, with_subject).words(bracket, extraposed));
  append(words, verbs.nonfinite);
  if (last)
    append(words, verbs.prefix + verbs.finite);
  else
    append(words, verbs.prefix);
  if (!extraposed.empty()) {
    append(words, ",");
    append(words, extraposed);
    append(words, ",");
  }
  append_clause_complements(words, clause);
  return words;
}

Words forefield(const Clause& clause) {
  if (clause.front == Front::kTime) return {clause.time->german};
  if (clause.front == Front::kPlace) return german_place(*clause.place).whole();
  return german_phrase(grammatical_subject(clause), Case::kNominative).whole();
}

Words main_clause(const Clause& clause) {
  if (!spoken(grammatical_subject(clause))) return clause_body(clause, VerbPosition::kFirst, false);
  Words words = forefield(clause);
  append(words, clause_body(clause, VerbPosition::kSecond, clause.front != Front::kNone));
  return words;
}

Words question(const Sentence& sentence) {
  const Clause& clause = sentence.main;
  const NounPhrase* asked = question_phrase(clause);
  if (asked == &clause.subject) return main_clause(clause);
  Words words;
  if (sentence.question_word) append(words, sentence.question_word->german);
  if (asked) append(words, german_governed(*asked, clause.verb->german.object).words);
  append(words, clause_body(clause, VerbPosition::kFirst, true));
  return words;
}

// "Es war Anna, die das Brot kaufte."
Words cleft(const Clause& clause) {
  const Tense tense = clause.tense == Tense::kPast ? Tense::kPast : Tense::kPresent;
  NounPhrase focus = clause.subject;
  Clause rest = clause;
  rest.subject.form = NounPhrase::Form::kGap;
  focus.relative = std::make_shared<const Clause>(rest);
  Words words{"es", german_finite(lexicon().be.german, 3, focus.number, tense)};
  append(words, german_phrase(focus, Case::kNominative).whole());
  return words;
}

Words statement(const Sentence& sentence) {
  const bool subordinate_first =
      sentence.subordinate && sentence.order == Sentence::Order::kSubordinateFirst;
  Words words = subordinate_first ? clause_body(sentence.main, VerbPosition::kFirst, true)
                                  : main_clause(sentence.main);
  if (sentence.second) {
    if (sentence.contrast) append(words, ",");
    append(words, sentence.contrast ? "aber" : "und");
    append(words, main_clause(*sentence.second));
  }
  if (!sentence.subordinate) return words;
  const bool past = sentence.subordinate->tense == Tense::kPast;
  Words subordinate{past ? sentence.conjunction->german_past : sentence.conjunction->german};
  append(subordinate, german_subordinate(*sentence.subordinate));
  Words all = subordinate_first ? subordinate : words;
  append(all, ",");
  append(all, subordinate_first ? words : subordinate);
  return all;
}

}  // namespace

Words german_subordinate(const Clause& clause) {
  return clause_body(clause, VerbPosition::kLast, spoken(grammatical_subject(clause)));
}

Words german(const Sentence& sentence) {
  Words words;
  if (sentence.addressee) words = {sentence.addressee->german.singular[0], ","};
  if (sentence.kind == Sentence::Kind::kQuestion)
    append(words, question(sentence));
  else if (sentence.kind == Sentence::Kind::kCleft)
    append(words, cleft(sentence.main));
  else
    append(words, statement(sentence));
  append(words, sentence.kind == Sentence::Kind::kQuestion ? "?" : ".");
  return words;
}

}  // namespace dietmt::data
