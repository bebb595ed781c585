// The three realisers: a meaning in, words out. They share no code: each has the word order and the
// agreement of its language.
#pragma once

#include "data/sample/meaning.h"

namespace dietmt::data {

Words english(const Sentence& sentence);

/// Verb second in main clauses, verb last in subordinate ones, separable prefixes, the bracket of
/// auxiliary and participle or infinitive, case and gender of articles and adjectives.
Words german(const Sentence& sentence);

/// Seven cases, agreement of participles and adjectives, clitics in second position, aspect, and an
/// order that puts what is known first: a passive or an indefinite subject gives
/// object-verb-subject.
Words czech(const Sentence& sentence);

}  // namespace dietmt::data
