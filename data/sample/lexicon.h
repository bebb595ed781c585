// The words of the sample corpus in three languages. An entry is one concept with the English,
// German and Czech forms that the realisers need; nothing is guessed from spelling.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace dietmt::data {

enum class Number { kSingular, kPlural };
enum class Sex { kNone, kMale, kFemale };
enum class Case {
  kNominative,
  kGenitive,
  kDative,
  kAccusative,
  kVocative,
  kLocative,
  kInstrumental
};
enum class GermanGender { kMasculine, kFeminine, kNeuter };
enum class CzechGender { kAnimate, kInanimate, kFeminine, kNeuter };

/// What a noun can stand for: verbs and adjectives choose their nouns by these bits.
enum NounClass : unsigned {
  kHuman = 1,
  kAnimal = 2,
  kReadable = 4,
  kEdible = 8,
  kOpenable = 16,
  kMachine = 32,
  kGoods = 64,
  kVehicle = 128,
  kLandmark = 256,
  kPlace = 512,
  kName = 1024,
  kTold = 2048,
  kRelated = 4096,  // persons that one has: "my sister"
  kPerson = kHuman | kName,
  kAnimate = kPerson | kAnimal,
  kThing = kReadable | kEdible | kOpenable | kMachine | kGoods | kVehicle | kLandmark | kTold
};

/// A preposition (may be empty) and the case it governs.
struct Government {
  std::string preposition;
  Case noun_case = Case::kAccusative;
};

/// How a place is named: "at the market", "auf dem Markt", "na trhu"; "to the market", ...
struct PlaceWords {
  std::string english;
  std::string german;
  Government german_direction;
  std::string czech;
  Government czech_direction;
};

struct GermanNoun {
  GermanGender gender;
  std::array<std::string, 4> singular;  // nominative, genitive, dative, accusative
  std::string plural, plural_dative;
};

struct CzechNoun {
  CzechGender gender, plural_gender;
  std::array<std::string, 7> singular, plural;  // in the order of Case
};

struct Noun {
  unsigned classes;
  Sex sex;
  std::string singular, plural;  // English
  GermanNoun german;
  CzechNoun czech;
  PlaceWords place;  // empty unless kPlace

  bool is(unsigned any_of) const { return (classes & any_of) != 0; }
};

struct EnglishVerb {
  std::string base, third, past, participle, progressive;
  std::string tail;  // follows the verb: "for" of "wait for", "up" of "get up"
};

struct GermanVerb {
  std::string infinitive;              // without the prefix
  std::array<std::string, 6> present;  // ich du er wir ihr sie
  std::string preterite, participle;   // first person singular; with the prefix
  std::string prefix;                  // of a separable verb
  bool reflexive = false;
  bool perfect_with_sein = false;
  Government object;
};

/// One member of an aspect pair.
struct CzechVerbForms {
  std::string infinitive;
  std::array<std::string, 6> present;  // of a perfective verb: its future
  std::string past;                    // masculine singular
};

struct CzechVerb {
  CzechVerbForms imperfective, perfective;  // perfective: empty infinitive if there is none
  std::string reflexive;                    // "se", "si" or empty
  Government object;
};

enum VerbFlag : unsigned {
  kNoProgressive = 1,
  kPassive = 2,     // has a natural passive
  kPhase = 4,       // Czech: its infinitive is imperfective
  kStationary = 8,  // sounds natural with a place and an indefinite subject
  kMannered = 16,   // can be done slowly, quietly, ...
  kState = 32,      // is not begun, wanted or finished
};

struct Verb {
  EnglishVerb english;
  GermanVerb german;
  CzechVerb czech;
  unsigned subjects, objects;  // NounClass bits; objects 0: intransitive
  unsigned flags;

  bool has(VerbFlag flag) const { return (flags & flag) != 0; }
  bool reflexive() const { return german.reflexive || !czech.reflexive.empty(); }
};

struct Adjective {
  std::string english;
  std::string german_stem, german_predicate;
  std::string czech, czech_animate_plural;  // "starý", "staří"
  unsigned nouns;                           // NounClass bits of what it may describe
  int rank;  // of two adjectives the lower one comes first; one of each rank
};

enum TimeFlag : unsigned {
  kWithPast = 1,
  kWithPresent = 2,
  kWithFuture = 4,
  kHabitual = 8,  // Czech: imperfective
  kBeforeVerb = 16,
  kNegative = 32,  // "never": Czech negates the verb as well
};

struct TimeAdverb {
  std::string english, german, czech;
  unsigned flags;
};

struct Manner {
  std::string english, german, czech;
};

/// The relations of a noun phrase of place other than "in/at/on", which the place itself chooses.
struct Relation {
  std::string english;
  Government german, czech;
};

struct Conjunction {
  std::string english, german, german_past, czech;
};

struct QuestionWord {
  std::string english, german, czech;
};

struct Modal {
  std::string english_present, english_past;  // "can", "could"
  bool english_auxiliary_present, english_auxiliary_past;
  GermanVerb german, german_negated;
  CzechVerbForms czech, czech_negated;
  bool conditional;  // should: "sollte", "měl by"
};

/// Vectors keep their order: it is part of what a seed means.
struct Lexicon {
  std::vector<Noun> nouns;  // names included
  std::vector<Adjective> adjectives;
  std::vector<TimeAdverb> times;
  std::vector<Manner> manners;
  std::vector<Relation> relations;
  std::vector<Conjunction> conjunctions;
  std::vector<QuestionWord> question_words;
  std::vector<Modal> modals;
  std::vector<Verb> verbs;         // intransitive and with one object
  std::vector<Verb> transfers;     // with recipient and object
  std::vector<Verb> thoughts;      // with a that-clause
  std::vector<Verb> undertakings;  // with an infinitive
  std::vector<Verb> motions;       // with a direction
  Verb be;

  const Noun& noun(const std::string& english) const;
  const Verb& verb(const std::string& english) const;  // of any list, e.g. "wait for"
  const Adjective& adjective(const std::string& english) const;
  const TimeAdverb& time(const std::string& english) const;
  const Conjunction& conjunction(const std::string& english) const;
  const Modal& modal(const std::string& english_present) const;
};

const Lexicon& lexicon();

// The tables, one file each.
std::vector<Noun> make_nouns();
std::vector<Adjective> make_adjectives();
std::vector<TimeAdverb> make_times();
std::vector<Manner> make_manners();
std::vector<Relation> make_relations();
std::vector<Conjunction> make_conjunctions();
std::vector<QuestionWord> make_question_words();
std::vector<Modal> make_modals();
std::vector<Verb> make_verbs();
std::vector<Verb> make_transfers();
std::vector<Verb> make_thoughts();
std::vector<Verb> make_undertakings();
std::vector<Verb> make_motions();
Verb make_be();

}  // namespace dietmt::data
