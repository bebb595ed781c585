// Random noun phrases, and the choices that all random meanings are made of.
#pragma once

#include "common/random.h"
#include "data/sample/meaning.h"

namespace dietmt::data {

/// Choices by probability from one sequence of random numbers.
class Chooser {
 public:
  explicit Chooser(Random& random) : random_(random) {}

  bool chance(double probability) { return random_.uniform() < probability; }

  int between(int low, int high) {
    return low + static_cast<int>(random_.below(static_cast<uint64_t>(int64_t{high} - low + 1)));
  }

  /// The index of one of the weights.
  size_t weighted(const std::vector<double>& weights);

  /// One entry that satisfies `wanted`; there must be one.
  template <typename Entry, typename Predicate>
  const Entry& pick(const std::vector<Entry>& entries, Predicate wanted) {
    for (;;) {
      const Entry& entry = entries[random_.below(entries.size())];
      if (wanted(entry)) return entry;
    }
  }

  template <typename Entry>
  const Entry& pick(const std::vector<Entry>& entries) {
    return entries[random_.below(entries.size())];
  }

 private:
  Random& random_;
};

/// "the old dog", "Anna", "she", "Anna and the boy": of nouns with one of the bits `classes`.
NounPhrase random_subject(Chooser& choose, unsigned classes);

/// A subject that is known and can be negated, asked about or left out: no quantifier, no "a".
NounPhrase random_known_subject(Chooser& choose, unsigned classes);

/// `subject`: whom "his", "my" may refer to.
NounPhrase random_object(Chooser& choose, unsigned classes, const NounPhrase& subject);

/// "the new book", "this book", of another noun than `other`: no pronoun, no quantifier, no "a".
NounPhrase random_known_object(Chooser& choose, unsigned classes, const Noun* other);

Place random_location(Chooser& choose);
Place random_direction(Chooser& choose);

NounPhrase pronoun_phrase(int person, Number number, const Noun* antecedent);
NounPhrase question_phrase_of(NounPhrase::Kind kind);

/// Whether a pronoun can stand for the phrase: the same in all three languages.
bool can_be_antecedent(const NounPhrase& phrase);

bool is_quantified_or_new(const NounPhrase& phrase);

}  // namespace dietmt::data
