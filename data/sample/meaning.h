// What a sample sentence means, in no language: a tree that each realiser turns into words. Every
// distinction here is visible in the English sentence, so that the German and Czech ones are a
// function of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/sample/lexicon.h"

namespace dietmt::data {

struct Clause;

/// A sentence as words and punctuation marks; surface.h makes text of it.
using Words = std::vector<std::string>;

enum class Determiner {
  kNone,        // names
  kDefinite,    // the
  kIndefinite,  // a; nothing in the plural
  kThis,
  kEvery,
  kNo,       // Czech negates the verb as well
  kMany,     // Czech: genitive plural
  kNumeral,  // two to six; Czech: genitive plural from five
  kPossessive
};

struct Possessor {
  int person = 3;
  Number number = Number::kSingular;
  Sex sex = Sex::kNone;
  bool operator==(const Possessor&) const = default;
};

struct NounPhrase {
  enum class Kind { kNoun, kPronoun, kCoordination, kWho, kWhat };
  /// A gap is the relativised phrase of a relative clause; an elided one is understood from the
  /// clause before. Both count for agreement and are not spoken.
  enum class Form { kSpoken, kGap, kElided };

  Kind kind = Kind::kNoun;
  Form form = Form::kSpoken;
  const Noun* noun = nullptr;  // of a pronoun of the third person: what it refers to
  int person = 3;
  Number number = Number::kSingular;
  Determiner determiner = Determiner::kNone;
  int numeral = 0;
  Possessor possessor;
  std::vector<const Adjective*> adjectives;
  std::shared_ptr<const NounPhrase> owner;  // "the old teacher's"
  std::shared_ptr<const Clause> relative;   // holds a phrase of form kGap
  std::vector<NounPhrase> members;          // of a coordination
};

struct Place {
  enum class Kind { kLocation, kDirection, kRelation };
  Kind kind = Kind::kLocation;
  const Relation* relation = nullptr;
  NounPhrase ground;
};

enum class Tense { kPresent, kPast, kPerfect, kPastPerfect, kFuture };
enum class View { kSimple, kProgressive };
enum class Voice { kActive, kPassive };
enum class Polarity { kPositive, kNegative };
enum class Attitude { kNone, kLikes };  // "likes to read", "liest gern", "rád čte"
enum class Front { kNone, kTime, kPlace };
enum class ObjectOrder { kRecipientFirst, kObjectFirst };  // "gave him it", "gave it to him"
enum class Phase { kNone, kAlready };                      // perfect: "already", "not yet"

struct Clause {
  const Verb* verb = nullptr;
  const Modal* modal = nullptr;
  Tense tense = Tense::kPresent;
  View view = View::kSimple;
  Voice voice = Voice::kActive;
  Polarity polarity = Polarity::kPositive;
  Attitude attitude = Attitude::kNone;
  Phase phase = Phase::kNone;
  NounPhrase subject;  // who acts, in the passive too
  std::optional<NounPhrase> object, recipient;
  ObjectOrder object_order = ObjectOrder::kRecipientFirst;
  const Adjective* predicate = nullptr;  // with the verb be
  std::optional<Place> place;
  const TimeAdverb* time = nullptr;
  const Manner* manner = nullptr;
  Front front = Front::kNone;
  std::shared_ptr<const Clause> that_clause, infinitive;
};

struct Sentence {
  enum class Kind { kStatement, kQuestion, kCleft };  // cleft: "it was Anna who ..."
  enum class Order { kMainFirst, kSubordinateFirst };

  Kind kind = Kind::kStatement;
  Clause main;
  const Noun* addressee = nullptr;
  const QuestionWord* question_word = nullptr;
  const Conjunction* conjunction = nullptr;  // of `subordinate`
  std::shared_ptr<const Clause> subordinate;
  Order order = Order::kMainFirst;
  std::shared_ptr<const Clause> second;  // coordinated; its subject may be elided
  bool contrast = false;                 // "but" instead of "and"
};

inline bool spoken(const NounPhrase& phrase) { return phrase.form == NounPhrase::Form::kSpoken; }
inline bool is_pronoun(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kPronoun;
}
inline bool is_indefinite(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kNoun && phrase.determiner == Determiner::kIndefinite;
}
inline bool is_question_phrase(const NounPhrase& phrase) {
  return phrase.kind == NounPhrase::Kind::kWho || phrase.kind == NounPhrase::Kind::kWhat;
}
inline bool is_plural(const NounPhrase& phrase) { return phrase.number == Number::kPlural; }

/// The relativised phrase of a relative clause.
const NounPhrase& gap_of(const Clause& relative);

/// The clause's own phrase that is asked for, or null: a yes/no question.
const NounPhrase* question_phrase(const Clause& clause);

}  // namespace dietmt::data
