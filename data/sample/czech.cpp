// Czech clauses: aspect, clitics in second position, and the order known - verb - new.
#include "data/sample/czech_phrase.h"
#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

struct Verbs {
  std::string finite;     // negated if the clause is
  Words infinitive;       // after a modal or "budu"
  std::string auxiliary;  // clitic: "jsem", "bych"
};

enum class ClauseType { kMain, kCoordinated, kSubordinate, kYesNoQuestion, kCleft };

bool is_negated(const Clause& clause) {
  return clause.polarity == Polarity::kNegative || clause.subject.determiner == Determiner::kNo ||
         (clause.time && (clause.time->flags & kNegative));
}

// Repetition, duration and the real present are imperfective.
const CzechVerbForms& aspect_of(const Clause& clause) {
  const CzechVerb& verb = clause.verb->czech;
  const bool habitual = clause.time && (clause.time->flags & kHabitual);
  const bool real_present = clause.tense == Tense::kPresent && !clause.modal;
  const bool imperfective = habitual || real_present || clause.view == View::kProgressive ||
                            clause.attitude == Attitude::kLikes ||
                            verb.perfective.infinitive.empty();
  return imperfective ? verb.imperfective : verb.perfective;
}

std::string present(const CzechVerbForms& forms, const CzechSubject& subject) {
  const size_t plural = subject.number == Number::kPlural ? 3 : 0;
  return forms.present.at(static_cast<size_t>(subject.person - 1) + plural);
}

std::string clitic_auxiliary(const CzechSubject& subject, bool conditional) {
  static const std::array<const char*, 6> kPast = {"jsem", "jsi", "", "jsme", "jste", ""};
  static const std::array<const char*, 6> kConditional = {"bych",   "bys",   "by",
                                                          "bychom", "byste", "by"};
  const size_t index =
      static_cast<size_t>(subject.person - 1) + (subject.number == Number::kPlural ? 3 : 0);
  return (conditional ? kConditional : kPast).at(index);
}

Verbs modal_verbs(const Clause& clause, const CzechSubject& subject) {
  const Modal& modal = *clause.modal;
  const bool past = clause.tense == Tense::kPast;
  const bool forbids = !past && clause.polarity == Polarity::kNegative;
  const CzechVerbForms& forms = forbids ? modal.czech_negated : modal.czech;
  Verbs verbs{present(forms, subject), {aspect_of(clause).infinitive}, ""};
  if (past || modal.conditional) {
    verbs.finite = czech_participle(forms.past, subject);
    verbs.auxiliary = clitic_auxiliary(subject, modal.conditional);
  }
  return verbs;
}

Verbs plain_verbs(const Clause& clause, const CzechSubject& subject) {
  const CzechVerbForms& forms = aspect_of(clause);
  switch (clause.tense) {
    case Tense::kPresent:
      return {present(forms, subject), {}, ""};
    case Tense::kFuture:
      if (&forms == &clause.verb->czech.perfective) return {present(forms, subject), {}, ""};
      return {present(lexicon().be.czech.perfective, subject), {forms.infinitive}, ""};
    default:
      return {czech_participle(forms.past, subject), {}, clitic_auxiliary(subject, false)};
  }
}

Verbs verbs_of(const Clause& clause) {
  const CzechSubject subject = czech_subject(clause.subject);
  Verbs verbs = clause.modal ? modal_verbs(clause, subject) : plain_verbs(clause, subject);
  const bool gladly = clause.attitude == Attitude::kLikes;  // "nerad čte"
  if (is_negated(clause) && !gladly) verbs.finite = czech_negated(verbs.finite);
  return verbs;
}

bool is_clitic_object(const std::optional<NounPhrase>& phrase, const Government& government) {
  return phrase && is_pronoun(*phrase) && government.preposition.empty();
}

std::string short_pronoun(const NounPhrase& phrase, Case noun_case) {
  const CzechGender gender =
      phrase.noun ? czech_gender(*phrase.noun, phrase.number) : CzechGender::kAnimate;
  return czech_short_pronoun(phrase.person, {gender, phrase.number, noun_case});
}

// Auxiliary, reflexive, dative, accusative: "jsem si mu ho".
Words clitics(const Clause& clause, const Verbs& verbs) {
  const CzechVerb& verb = clause.verb->czech;
  Words words;
  if (verbs.auxiliary == "jsi" && !verb.reflexive.empty()) {
    append(words, verb.reflexive + "s");  // "ses", "sis"
  } else {
    append(words, verbs.auxiliary);
    append(words, verb.reflexive);
  }
  if (is_clitic_object(clause.recipient, {}))
    append(words, short_pronoun(*clause.recipient, Case::kDative));
  if (is_clitic_object(clause.object, verb.object))
    append(words, short_pronoun(*clause.object, verb.object.noun_case));
  return words;
}

bool is_known(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kNoun && spoken(phrase) &&
         phrase.determiner != Determiner::kIndefinite && phrase.determiner != Determiner::kMany &&
         phrase.determiner != Determiner::kNumeral;
}

/// Orders the constituents of one clause.
class Arrangement {
 public:
  Arrangement(const Clause& clause, ClauseType type)
      : clause_(clause),
        type_(type),
        verbs_(verbs_of(clause)),
        self_(possessor_of(clause.subject)) {
    if (type == ClauseType::kYesNoQuestion)
      arrange_question();
    else if (object_comes_first())
      arrange_object_first();
    else if (place_comes_first())
      arrange_place_first();
    else
      arrange_subject_first();
    add_clause_complements();
  }

  /// Clitics follow the introducer or the first constituent.
  Words words(const Words& introducer) const {
    Words all = introducer;
    bool pending = true;
    const auto add_clitics = [&] {
      append(all, clitics(clause_, verbs_));
      pending = false;
    };
    if (!introducer.empty()) add_clitics();
    for (const Words& part : parts_) {
      append(all, part);
      if (pending) add_clitics();
    }
    return all;
  }

 private:
  bool object_comes_first() const {
    if (clause_.voice == Voice::kPassive || type_ == ClauseType::kCleft) return true;
    return is_indefinite(clause_.subject) && spoken(clause_.subject) && clause_.object &&
           is_known(*clause_.object) && !clause_.recipient;
  }
  bool place_comes_first() const {
    return is_indefinite(clause_.subject) && spoken(clause_.subject) && clause_.place &&
           clause_.place->kind != Place::Kind::kDirection && !clause_.object && !clause_.predicate;
  }

  void add(const Words& part) {
    if (!part.empty()) parts_.push_back(part);
  }
  void add_word(const std::string& word) {
    if (!word.empty()) parts_.push_back({word});
  }

  void add_subject() {
    if (type_ == ClauseType::kCoordinated && spoken(clause_.subject) && is_pronoun(clause_.subject))
      add_word(czech_subject_pronoun(czech_subject(clause_.subject)));
    if (spoken(clause_.subject) && !is_pronoun(clause_.subject) &&
        !is_question_phrase(clause_.subject))
      add(czech_phrase(clause_.subject, Case::kNominative, self_));
  }
  void add_front() {
    if (clause_.front == Front::kTime) add_word(clause_.time->czech);
    if (clause_.front == Front::kPlace) add_place();
  }
  void add_place() { add(czech_place(*clause_.place, self_)); }
  void add_place_unless_in_front() {
    if (clause_.place && clause_.front != Front::kPlace) add_place();
  }

  void add_adverbs() {
    const bool negative = clause_.polarity == Polarity::kNegative;
    if (clause_.time && clause_.front != Front::kTime) add_word(clause_.time->czech);
    if (clause_.phase == Phase::kAlready) add_word(negative ? "ještě" : "už");
    if (clause_.view == View::kProgressive && type_ != ClauseType::kSubordinate) add_word("právě");
    if (clause_.attitude == Attitude::kLikes)
      add_word(czech_gladly(czech_subject(clause_.subject), clause_.polarity));
    if (clause_.manner) add_word(clause_.manner->czech);
  }

  void add_verbs() {
    add_word(verbs_.finite);
    add(verbs_.infinitive);
  }

  void add_object() {
    const std::optional<NounPhrase>& object = clause_.object;
    if (!object || !spoken(*object) || is_question_phrase(*object) ||
        is_clitic_object(object, clause_.verb->czech.object))
      return;
    add(czech_governed(*object, clause_.verb->czech.object, self_));
  }
  void add_recipient() {
    if (clause_.recipient && !is_pronoun(*clause_.recipient))
      add(czech_phrase(*clause_.recipient, Case::kDative, self_));
  }
  void add_objects() {
    const bool object_first = clause_.object_order == ObjectOrder::kObjectFirst;
    if (object_first) add_object();
    add_recipient();
    if (!object_first) add_object();
  }

  // "starý", after five genitive: the generator avoids the latter.
  void add_predicate() {
    if (!clause_.predicate) return;
    const CzechSubject subject = czech_subject(clause_.subject);
    add_word(czech_adjective(clause_.predicate->czech, clause_.predicate->czech_animate_plural,
                             {subject.gender, subject.number, Case::kNominative}));
  }

  void arrange_subject_first() {
    add_front();
    add_subject();
    add_adverbs();
    add_verbs();
    add_objects();
    add_predicate();
    add_place_unless_in_front();
  }

  void arrange_object_first() {
    add_front();
    add_object();
    add_adverbs();
    add_verbs();
    add_place_unless_in_front();
    if (type_ == ClauseType::kCleft) add_word("právě");
    add_subject();
  }

  void arrange_place_first() {
    if (clause_.front == Front::kTime) add_front();
    add_place();
    add_adverbs();
    add_verbs();
    add_subject();
  }

  void arrange_question() {
    add_word(verbs_.finite);
    add_subject();
    add_adverbs();
    add(verbs_.infinitive);
    add_objects();
    add_predicate();
    add_place_unless_in_front();
  }

  void add_clause_complements() {
    if (clause_.infinitive) add_infinitive(*clause_.infinitive);
    if (!clause_.that_clause) return;
    Words words{","};
    append(words, czech_subordinate(*clause_.that_clause, {"že"}));
    append(words, ",");
    add(words);
  }

  void add_infinitive(const Clause& infinitive) {
    const CzechVerb& verb = infinitive.verb->czech;
    const bool imperfective = clause_.verb->has(kPhase) || verb.perfective.infinitive.empty();
    add_word((imperfective ? verb.imperfective : verb.perfective).infinitive);
    if (infinitive.object) add(czech_governed(*infinitive.object, verb.object, self_));
    if (infinitive.place) add(czech_place(*infinitive.place, self_));
  }

  const Clause& clause_;
  ClauseType type_;
  Verbs verbs_;
  Possessor self_;
  std::vector<Words> parts_;
};

Words main_clause(const Clause& clause) { return Arrangement(clause, ClauseType::kMain).words({}); }

Words question(const Sentence& sentence) {
  const Clause& clause = sentence.main;
  Words introducer;
  if (sentence.question_word) append(introducer, sentence.question_word->czech);
  if (const NounPhrase* asked = question_phrase(clause)) {
    const Government subject{"", Case::kNominative};
    const bool is_subject = asked == &clause.subject;
    append(introducer,
           czech_governed(*asked, is_subject ? subject : clause.verb->czech.object, {}));
  }
  const ClauseType type = introducer.empty() ? ClauseType::kYesNoQuestion : ClauseType::kMain;
  return Arrangement(clause, type).words(introducer);
}

Words statement(const Sentence& sentence) {
  Words words = main_clause(sentence.main);
  if (sentence.second) {
    if (sentence.contrast) append(words, ",");
    append(words, sentence.contrast ? "ale" : "a");
    append(words, Arrangement(*sentence.second, ClauseType::kCoordinated).words({}));
  }
  if (!sentence.subordinate) return words;
  const Words subordinate = czech_subordinate(*sentence.subordinate, {sentence.conjunction->czech});
  const bool main_first = sentence.order == Sentence::Order::kMainFirst;
  Words all = main_first ? words : subordinate;
  append(all, ",");
  append(all, main_first ? subordinate : words);
  return all;
}

}  // namespace

Words czech_subordinate(const Clause& clause, const Words& introducer) {
  return Arrangement(clause, ClauseType::kSubordinate).words(introducer);
}

Words czech(const Sentence& sentence) {
  Words words;
  if (sentence.addressee)
    words = {sentence.addressee->czech.singular.at(static_cast<size_t>(Case::kVocative)), ","};
  if (sentence.kind == Sentence::Kind::kQuestion)
    append(words, question(sentence));
  else if (sentence.kind == Sentence::Kind::kCleft)
    append(words, Arrangement(sentence.main, ClauseType::kCleft).words({}));
  else
    append(words, statement(sentence));
  append(words, sentence.kind == Sentence::Kind::kQuestion ? "?" : ".");
  return words;
}

}  // namespace dietmt::data
