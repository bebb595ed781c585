#include "data/sample/lexicon.h"

#include <algorithm>

#include "common/error.h"

namespace dietmt::data {
namespace {

template <typename Entry, typename Name>
const Entry& find(const std::vector<Entry>& entries, const std::string& wanted, Name name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return name(entry) == wanted; });
  if (found == entries.end()) throw Error("the sample lexicon has no word '" + wanted + "'");
  return *found;
}

std::string verb_name(const Verb& verb) {
  return verb.english.tail.empty() ? verb.english.base
                                   : verb.english.base + " " + verb.english.tail;
}

}  // namespace

const Noun& Lexicon::noun(const std::string& english) const {
  return find(nouns, english, [](const Noun& entry) { return entry.singular; });
}

const Verb& Lexicon::verb(const std::string& english) const {
  for (const auto* list : {&verbs, &transfers, &thoughts, &undertakings})
    for (const Verb& entry : *list)
      if (verb_name(entry) == english) return entry;
  return find(motions, english, verb_name);
}

const Adjective& Lexicon::adjective(const std::string& english) const {
  return find(adjectives, english, [](const Adjective& entry) { return entry.english; });
}

const TimeAdverb& Lexicon::time(const std::string& english) const {
  return find(times, english, [](const TimeAdverb& entry) { return entry.english; });
}

const Conjunction& Lexicon::conjunction(const std::string& english) const {
  return find(conjunctions, english, [](const Conjunction& entry) { return entry.english; });
}

const Modal& Lexicon::modal(const std::string& english_present) const {
  return find(modals, english_present, [](const Modal& entry) { return entry.english_present; });
}

const Lexicon& lexicon() {
  static const Lexicon instance{
      make_nouns(),        make_adjectives(),     make_times(),   make_manners(), make_relations(),
      make_conjunctions(), make_question_words(), make_modals(),  make_verbs(),   make_transfers(),
      make_thoughts(),     make_undertakings(),   make_motions(), make_be()};
  return instance;
}

}  // namespace dietmt::data
