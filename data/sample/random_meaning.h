// Draws random meanings that make sense: verbs get subjects and objects they can have, tenses agree
// between clauses, pronouns have an antecedent in the sentence.
#pragma once

#include "common/random.h"
#include "data/sample/meaning.h"

namespace dietmt::data {

/// A meaning; a function of the state of `random` alone.
Sentence random_sentence(Random& random);

}  // namespace dietmt::data
