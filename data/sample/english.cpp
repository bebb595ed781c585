// English: agreement, do-support, auxiliaries, stranded prepositions.
#include <array>

#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

struct Agreement {
  int person;
  Number number;
  bool third_singular() const { return person == 3 && number == Number::kSingular; }
};

Words clause_words(const Clause& clause);

std::string pronoun(int person, Number number, Sex sex, bool as_object) {
  const bool plural = number == Number::kPlural;
  if (person == 1) return plural ? (as_object ? "us" : "we") : (as_object ? "me" : "I");
  if (person == 2) return "you";
  if (plural) return as_object ? "them" : "they";
  if (sex == Sex::kMale) return as_object ? "him" : "he";
  if (sex == Sex::kFemale) return as_object ? "her" : "she";
  return "it";
}

std::string possessive(const Possessor& possessor) {
  const bool plural = possessor.number == Number::kPlural;
  if (possessor.person == 1) return plural ? "our" : "my";
  if (possessor.person == 2) return "your";
  if (plural) return "their";
  if (possessor.sex == Sex::kMale) return "his";
  return possessor.sex == Sex::kFemale ? "her" : "its";
}

std::string numeral(int value) {
  static const std::array<std::string, 5> kNames = {"two", "three", "four", "five", "six"};
  return kNames.at(static_cast<size_t>(value - 2));
}

std::string determiner(const NounPhrase& phrase) {
  const bool plural = is_plural(phrase);
  switch (phrase.determiner) {
    case Determiner::kNone:
      return "";
    case Determiner::kDefinite:
      return "the";
    case Determiner::kIndefinite:
      return plural ? "" : "a";
    case Determiner::kThis:
      return plural ? "these" : "this";
    case Determiner::kEvery:
      return "every";
    case Determiner::kNo:
      return "no";
    case Determiner::kMany:
      return "many";
    case Determiner::kNumeral:
      return numeral(phrase.numeral);
    case Determiner::kPossessive:
      return possessive(phrase.possessor);
  }
  return "";
}

bool starts_with_vowel(const std::string& word) {
  return std::string("aeiou").find(word.front()) != std::string::npos;
}

Words relative_words(const NounPhrase& phrase) {
  const bool who =
      phrase.noun->is(kPerson) && phrase.relative->subject.form == NounPhrase::Form::kGap;
  Words words{who ? "who" : "that"};
  append(words, clause_words(*phrase.relative));
  return words;
}

Words phrase_words(const NounPhrase& phrase, bool as_object = false) {
  switch (phrase.kind) {
    case NounPhrase::Kind::kWho:
      return {"who"};
    case NounPhrase::Kind::kWhat:
      return {"what"};
    case NounPhrase::Kind::kPronoun:
      return {pronoun(phrase.person, phrase.number, phrase.noun ? phrase.noun->sex : Sex::kNone,
                      as_object)};
    case NounPhrase::Kind::kCoordination: {
      Words words = phrase_words(phrase.members.at(0), as_object);
      append(words, "and");
      append(words, phrase_words(phrase.members.at(1), as_object));
      return words;
    }
    case NounPhrase::Kind::kNoun:
      break;
  }
  Words words;
  if (phrase.owner) {
    append(words, phrase_words(*phrase.owner));
    words.back() += "'s";
  } else {
    append(words, determiner(phrase));
  }
  for (const Adjective* adjective : phrase.adjectives) append(words, adjective->english);
  append(words, is_plural(phrase) ? phrase.noun->plural : phrase.noun->singular);
  if (words.front() == "a" && starts_with_vowel(words[1])) words.front() = "an";
  if (phrase.relative) append(words, relative_words(phrase));
  return words;
}

Words place_words(const Place& place) {
  const PlaceWords& names = place.ground.noun->place;
  Words words{place.kind == Place::Kind::kRelation    ? place.relation->english
              : place.kind == Place::Kind::kDirection ? "to"
                                                      : names.english};
  append(words, phrase_words(place.ground, true));
  return words;
}

std::string be_form(Tense tense, Agreement agreement) {
  const bool plural = agreement.number == Number::kPlural || agreement.person == 2;
  if (tense == Tense::kPast) return plural ? "were" : "was";
  if (plural) return "are";
  return agreement.person == 1 ? "am" : "is";
}

// A chain of verbs: each fixes the form of the next; the first one is finite.
class VerbChain {
 public:
  VerbChain(const Clause& clause, Agreement agreement)
      : agreement_(agreement), finite_past_(clause.tense == Tense::kPast) {
    if (clause.modal) add_modal(*clause.modal);
    if (clause.tense == Tense::kFuture) add_auxiliary("will", Next::kBase);
    if (clause.attitude == Attitude::kLikes) add_to_verb("like", "likes", "liked");
    if (clause.tense == Tense::kPerfect)
      add_auxiliary(agreement.third_singular() ? "has" : "have", Next::kParticiple);
    if (clause.tense == Tense::kPastPerfect) add_auxiliary("had", Next::kParticiple);
    if (clause.view == View::kProgressive) add_be(Next::kProgressive);
    if (clause.voice == Voice::kPassive) add_be(Next::kParticiple);
    add_lexical(*clause.verb);
  }

  const std::string& finite() const { return words_.front(); }

  /// Of the passive with its adverb: "been slowly opened".
  Words rest(const Clause& clause) const {
    Words words(words_.begin() + 1, words_.end());
    if (clause.voice == Voice::kPassive && clause.manner)
      words.insert(words.end() - 1, clause.manner->english);
    return words;
  }
  bool has_auxiliary() const { return has_auxiliary_; }

  /// "buys" -> "does buy", unless the finite verb is an auxiliary already.
  void support_with_do() {
    if (has_auxiliary_) return;
    words_.front() = finite_base_;
    const std::string present = agreement_.third_singular() ? "does" : "do";
    words_.insert(words_.begin(), finite_past_ ? "did" : present);
    has_auxiliary_ = true;
  }

 private:
  enum class Next { kFinite, kBase, kParticiple, kProgressive };

  void add_auxiliary(const std::string& form, Next next) {
    if (words_.empty()) has_auxiliary_ = true;
    words_.push_back(form);
    next_ = next;
  }

  void add_be(Next next) {
    static const std::array<std::string, 3> kForms = {"be", "been", "being"};
    const std::string form =
        next_ == Next::kFinite ? be_form(finite_past_ ? Tense::kPast : Tense::kPresent, agreement_)
                               : kForms.at(static_cast<size_t>(next_) - 1);
    add_auxiliary(form, next);
  }

  void add_to_verb(const std::string& base, const std::string& third, const std::string& past) {
    const std::string present = agreement_.third_singular() ? third : base;
    if (words_.empty()) finite_base_ = base;
    words_.push_back(next_ != Next::kFinite ? base : finite_past_ ? past : present);
    words_.push_back("to");
    next_ = Next::kBase;
  }

  void add_modal(const Modal& modal) {
    const bool auxiliary =
        finite_past_ ? modal.english_auxiliary_past : modal.english_auxiliary_present;
    if (auxiliary)
      add_auxiliary(finite_past_ ? modal.english_past : modal.english_present, Next::kBase);
    else if (modal.english_past == "have to")
      add_to_verb("have", "has", "had");
    else
      add_to_verb("want", "wants", "wanted");
  }

  void add_lexical(const Verb& verb) {
    const EnglishVerb& forms = verb.english;
    if (forms.base == "be") return add_be(Next::kBase);
    if (words_.empty()) finite_base_ = forms.base;
    switch (next_) {
      case Next::kBase:
        return words_.push_back(forms.base);
      case Next::kParticiple:
        return words_.push_back(forms.participle);
      case Next::kProgressive:
        return words_.push_back(forms.progressive);
      case Next::kFinite:
        break;
    }
    words_.push_back(finite_past_                  ? forms.past
                     : agreement_.third_singular() ? forms.third
                                                   : forms.base);
  }

  Agreement agreement_;
  bool finite_past_;
  bool has_auxiliary_ = false;
  Next next_ = Next::kFinite;
  std::string finite_base_;
  Words words_;
};

const NounPhrase& grammatical_subject(const Clause& clause) {
  return clause.voice == Voice::kPassive ? *clause.object : clause.subject;
}

// "often", "already", "not yet": between the finite auxiliary and the rest.
Words middle_adverbs(const Clause& clause) {
  Words words;
  const bool negative = clause.polarity == Polarity::kNegative;
  if (negative) append(words, "not");
  if (clause.phase == Phase::kAlready) append(words, negative ? "yet" : "already");
  if (clause.time && (clause.time->flags & kBeforeVerb)) append(words, clause.time->english);
  return words;
}

void append_objects(Words& words, const Clause& clause) {
  if (clause.voice == Voice::kPassive) {
    append(words, "by");
    append(words, phrase_words(clause.subject, true));
    return;
  }
  const bool object_spoken =
      clause.object && spoken(*clause.object) && !is_question_phrase(*clause.object);
  const bool recipient_last = clause.recipient && clause.object_order == ObjectOrder::kObjectFirst;
  if (clause.recipient && !recipient_last) append(words, phrase_words(*clause.recipient, true));
  if (object_spoken) append(words, phrase_words(*clause.object, true));
  if (recipient_last) {
    append(words, "to");
    append(words, phrase_words(*clause.recipient, true));
  }
}

Words infinitive_words(const Clause& clause) {
  Words words{"to", clause.verb->english.base};
  append(words, clause.verb->english.tail);
  append_objects(words, clause);
  if (clause.place) append(words, place_words(*clause.place));
  return words;
}

// Everything after the verbs.
void append_complements(Words& words, const Clause& clause) {
  append(words, clause.verb->english.tail);
  append_objects(words, clause);
  if (clause.predicate) append(words, clause.predicate->english);
  if (clause.manner && clause.voice == Voice::kActive) append(words, clause.manner->english);
  if (clause.place && clause.front != Front::kPlace) append(words, place_words(*clause.place));
  if (clause.time && clause.front != Front::kTime && !(clause.time->flags & kBeforeVerb))
    append(words, clause.time->english);
  if (clause.infinitive) append(words, infinitive_words(*clause.infinitive));
  if (clause.that_clause) {
    append(words, "that");
    append(words, clause_words(*clause.that_clause));
  }
}

Agreement agreement_of(const NounPhrase& subject) { return {subject.person, subject.number}; }

Words clause_words(const Clause& clause) {
  const NounPhrase& subject = grammatical_subject(clause);
  VerbChain verbs(clause, agreement_of(subject));
  if (clause.polarity == Polarity::kNegative) verbs.support_with_do();
  Words words;
  if (clause.front == Front::kTime) append(words, clause.time->english);
  if (clause.front == Front::kPlace) append(words, place_words(*clause.place));
  if (clause.front != Front::kNone) append(words, ",");
  if (spoken(subject)) append(words, phrase_words(subject));
  if (verbs.has_auxiliary()) append(words, verbs.finite());
  append(words, middle_adverbs(clause));
  if (!verbs.has_auxiliary()) append(words, verbs.finite());
  append(words, verbs.rest(clause));
  append_complements(words, clause);
  return words;
}

Words question_words(const Sentence& sentence) {
  const Clause& clause = sentence.main;
  if (is_question_phrase(clause.subject)) return clause_words(clause);
  const NounPhrase& subject = grammatical_subject(clause);
  VerbChain verbs(clause, agreement_of(subject));
  verbs.support_with_do();
  Words words;
  if (sentence.question_word) append(words, sentence.question_word->english);
  if (const NounPhrase* asked = question_phrase(clause)) append(words, phrase_words(*asked));
  append(words, verbs.finite());
  append(words, phrase_words(subject));
  append(words, middle_adverbs(clause));
  append(words, verbs.rest(clause));
  append_complements(words, clause);
  return words;
}

Words cleft_words(const Clause& clause) {
  Words words{"it", clause.tense == Tense::kPast ? "was" : "is"};
  append(words, phrase_words(clause.subject));
  append(words, clause.subject.noun->is(kPerson) ? "who" : "that");
  Clause rest = clause;
  rest.subject.form = NounPhrase::Form::kGap;
  append(words, clause_words(rest));
  return words;
}

Words statement_words(const Sentence& sentence) {
  Words words = clause_words(sentence.main);
  if (sentence.second) {
    if (sentence.contrast || spoken(sentence.second->subject)) append(words, ",");
    append(words, sentence.contrast ? "but" : "and");
    append(words, clause_words(*sentence.second));
  }
  if (!sentence.subordinate) return words;
  Words subordinate{sentence.conjunction->english};
  append(subordinate, clause_words(*sentence.subordinate));
  if (sentence.order == Sentence::Order::kMainFirst) {
    append(words, subordinate);
    return words;
  }
  append(subordinate, ",");
  append(subordinate, words);
  return subordinate;
}

}  // namespace

Words english(const Sentence& sentence) {
  Words words;
  if (sentence.addressee) words = {sentence.addressee->singular, ","};
  if (sentence.kind == Sentence::Kind::kQuestion)
    append(words, question_words(sentence));
  else if (sentence.kind == Sentence::Kind::kCleft)
    append(words, cleft_words(sentence.main));
  else
    append(words, statement_words(sentence));
  append(words, sentence.kind == Sentence::Kind::kQuestion ? "?" : ".");
  return words;
}

}  // namespace dietmt::data
