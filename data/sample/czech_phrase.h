// Czech noun and prepositional phrases.
#pragma once

#include "data/sample/czech_morphology.h"
#include "data/sample/meaning.h"

namespace dietmt::data {

/// What the verb agrees with; five or more and "many" count as neuter singular.
CzechSubject czech_subject(const NounPhrase& phrase);

/// `possessor`: the subject of the clause, which "svůj" refers to.
Words czech_phrase(const NounPhrase& phrase, Case noun_case, const Possessor& possessor);

Words czech_governed(const NounPhrase& phrase, const Government& government,
                     const Possessor& possessor);

Words czech_place(const Place& place, const Possessor& possessor);

/// The subject as a possessor.
Possessor possessor_of(const NounPhrase& subject);

/// A relative or other subordinate clause after its first word; in czech.cpp.
Words czech_subordinate(const Clause& clause, const Words& introducer);

}  // namespace dietmt::data
