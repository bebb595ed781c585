// Random clauses: a verb with fitting phrases, tense, negation, adverbs, relative clauses.
#pragma once

#include "data/sample/random_phrase.h"

namespace dietmt::data {

/// What the place of a clause in the sentence asks of it.
struct ClauseRequest {
  std::vector<Tense> tenses;     // one of them
  double relative_chance = 0.0;  // of each noun phrase
  double modal_chance = 0.0;
  double progressive_chance = 0.0;  // present and past
  double adverb_chance = 0.0;       // time, manner
  bool lasting = false;             // after "while": something that takes time
  bool known_subject = false;
  const NounPhrase* subject = nullptr;  // given, e.g. a pronoun
};

Clause random_clause(Chooser& choose, const ClauseRequest& request);

/// "the window was opened by Anna": Czech object-verb-subject.
Clause random_passive(Chooser& choose);

/// A transitive clause whose subject a cleft can single out.
Clause random_cleft(Chooser& choose);

/// "says that", "tries to".
Clause random_thought(Chooser& choose);
Clause random_undertaking(Chooser& choose);

/// "it was old", with an adjective that fits the noun.
Clause random_description(Chooser& choose, const NounPhrase& subject, Tense tense);

/// Adds a relative clause to a noun phrase that can have one.
void add_relative(Chooser& choose, NounPhrase& phrase);

}  // namespace dietmt::data
