// German noun and prepositional phrases.
#pragma once

#include "data/sample/german_morphology.h"
#include "data/sample/meaning.h"

namespace dietmt::data {

/// A phrase whose relative clause may be spoken after the verbs (extraposition).
struct GermanPhrase {
  Words words;
  Words relative;  // with its pronoun, without commas

  bool empty() const { return words.empty(); }
  Words whole() const;  // the relative clause in place, between commas
};

/// `polarity`: negative turns "ein" into "kein".
GermanPhrase german_phrase(const NounPhrase& phrase, Case noun_case,
                           Polarity polarity = Polarity::kPositive);

/// With the preposition, if any: "auf den Zug", "im Garten", "darauf", "worauf".
GermanPhrase german_governed(const NounPhrase& phrase, const Government& government,
                             Polarity polarity = Polarity::kPositive);

GermanPhrase german_place(const Place& place);

/// A relative or other subordinate clause, its verb last; in german.cpp.
Words german_subordinate(const Clause& clause);

}  // namespace dietmt::data
