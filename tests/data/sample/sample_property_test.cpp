// Rules of the grammars, checked on thousands of random meanings against the words that come out.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "common/random.h"
#include "data/sample/random_meaning.h"
#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

constexpr uint64_t kDraws = 20000;

/// Calls `check` on each random sentence; returns on how many it reports that the rule applied.
int64_t for_each_sentence(const std::function<bool(const Sentence&)>& check) {
  int64_t applied = 0;
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    Random random(random_key(77, draw));
    applied += check(random_sentence(random));
  }
  return applied;
}

bool has_relative(const NounPhrase& phrase) { return phrase.relative != nullptr; }

bool is_flat(const Clause& clause) {
  return !has_relative(clause.subject) && !(clause.object && has_relative(*clause.object)) &&
         !(clause.recipient && has_relative(*clause.recipient)) && !clause.infinitive &&
         !clause.that_clause;
}

bool is_simple_statement(const Sentence& sentence) {
  return sentence.kind == Sentence::Kind::kStatement && !sentence.subordinate && !sentence.second &&
         is_flat(sentence.main);
}

bool is_simple_tense(const Clause& clause) {
  return (clause.tense == Tense::kPresent || clause.tense == Tense::kPast) && !clause.modal &&
         clause.voice == Voice::kActive;
}

void add_german_forms(std::set<std::string>& forms, const GermanVerb& verb) {
  for (const std::string& form : verb.present) forms.insert(verb.prefix + form);
  for (const char* ending : {"", "st", "est", "n", "en", "t", "et"})
    forms.insert(verb.prefix + verb.preterite + ending);
}

/// Every form that may be the finite one of the clause, its prefix attached.
std::set<std::string> german_finite_forms(const Clause& clause) {
  std::set<std::string> forms = {"haben", "habe",  "hast",   "hat",  "hatte", "hatten", "hattest",
                                 "werde", "wirst", "werden", "wird", "wurde", "wurden", "wurdest"};
  add_german_forms(forms, lexicon().be.german);
  add_german_forms(forms, clause.verb->german);
  for (const Modal& modal : lexicon().modals) {
    add_german_forms(forms, modal.german);
    add_german_forms(forms, modal.german_negated);
  }
  return forms;
}

std::string joined(const Words& words) { return surface(words); }

TEST(SampleGerman, FiniteVerbIsLastAfterConjunctions) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    if (!sentence.subordinate || !is_flat(*sentence.subordinate)) return false;
    const Words words = german(sentence);
    const bool past = sentence.subordinate->tense == Tense::kPast;
    const auto start =
        std::find(words.begin(), words.end(),
                  past ? sentence.conjunction->german_past : sentence.conjunction->german);
    EXPECT_NE(start, words.end()) << joined(words);
    const auto end = std::find_if(
        start, words.end(), [](const std::string& word) { return word == "," || word == "."; });
    EXPECT_TRUE(german_finite_forms(*sentence.subordinate).count(*(end - 1))) << joined(words);
    return true;
  });
  EXPECT_GT(applied, 3000);
}

TEST(SampleGerman, SeparatedPrefixEndsMainClause) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    if (!is_simple_statement(sentence) || !is_simple_tense(sentence.main)) return false;
    const std::string& prefix = sentence.main.verb->german.prefix;
    if (prefix.empty()) return false;
    const Words words = german(sentence);
    EXPECT_EQ(words[words.size() - 2], prefix) << joined(words);
    return true;
  });
  EXPECT_GT(applied, 300);
}

TEST(SampleGerman, ParticipleEndsMainClauseInThePerfect) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const bool perfect = sentence.main.tense == Tense::kPerfect;
    if (!perfect || !is_simple_statement(sentence)) return false;
    const Words words = german(sentence);
    const bool passive = sentence.main.voice == Voice::kPassive;
    EXPECT_EQ(words[words.size() - 2], passive ? "worden" : sentence.main.verb->german.participle)
        << joined(words);
    return true;
  });
  EXPECT_GT(applied, 300);
}

TEST(SampleGerman, VerbIsSecondInMainClauses) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const Clause& clause = sentence.main;
    if (!is_simple_statement(sentence) || !is_simple_tense(clause)) return false;
    const bool name = clause.subject.noun && clause.subject.noun->is(kName) &&
                      clause.subject.kind == NounPhrase::Kind::kNoun;
    const bool one_word_subject =
        clause.front == Front::kNone && (is_pronoun(clause.subject) || name);
    const bool one_word_time =
        clause.front == Front::kTime && clause.time->german.find(' ') == std::string::npos;
    if (!one_word_subject && !one_word_time) return false;
    std::set<std::string> forms;
    GermanVerb verb = clause.verb->german;
    verb.prefix.clear();
    add_german_forms(forms, verb);
    add_german_forms(forms, lexicon().be.german);
    EXPECT_TRUE(forms.count(german(sentence)[1])) << joined(german(sentence));
    return true;
  });
  EXPECT_GT(applied, 400);
}

TEST(SampleGerman, WordOrderDiffersBetweenMainAndSubordinateClause) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    if (!is_simple_statement(sentence) || sentence.main.front != Front::kNone) return false;
    const bool has_object = sentence.main.object && sentence.main.voice == Voice::kActive;
    if (sentence.main.view == View::kProgressive || !has_object) return false;
    Sentence embedded;
    embedded.main = sentence.main;
    embedded.conjunction = &lexicon().conjunction("because");
    embedded.subordinate = std::make_shared<const Clause>(sentence.main);
    const Words words = german(embedded);
    const auto conjunction = std::find(words.begin(), words.end(), "weil");
    Words after(conjunction + 1, words.end() - 1);
    Words main = german(sentence);
    main.pop_back();
    EXPECT_NE(after, main) << joined(words);
    return true;
  });
  EXPECT_GT(applied, 1000);
}

TEST(SampleCzech, ReflexiveStandsInSecondPosition) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const Clause& clause = sentence.main;
    const std::string& reflexive = clause.verb->czech.reflexive;
    const bool name = clause.subject.noun && clause.subject.noun->is(kName) &&
                      clause.subject.kind == NounPhrase::Kind::kNoun;
    if (reflexive.empty() || !name || !is_simple_statement(sentence)) return false;
    if (clause.front != Front::kNone) return false;
    const Words words = czech(sentence);
    const bool conditional = clause.modal && clause.modal->conditional;  // "by se"
    EXPECT_EQ(words[conditional ? 2 : 1], reflexive) << joined(words);
    return true;
  });
  EXPECT_GT(applied, 100);
}

TEST(SampleCzech, RepeatedActionsAreImperfectiveInThePast) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const Clause& clause = sentence.main;
    const CzechVerb& verb = clause.verb->czech;
    const bool pair =
        !verb.perfective.infinitive.empty() && verb.perfective.past != verb.imperfective.past;
    if (!pair || !is_simple_statement(sentence) || clause.tense != Tense::kPast || clause.modal ||
        clause.view != View::kSimple || clause.attitude != Attitude::kNone)
      return false;
    const bool habitual = clause.time && (clause.time->flags & kHabitual);
    const std::string& past = habitual ? verb.imperfective.past : verb.perfective.past;
    const std::string stem = past.substr(0, past.size() - 2);  // "šel" has "šla" beside it
    const Words words = czech(sentence);
    const bool found = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return word.find(stem) != std::string::npos;
    });
    EXPECT_TRUE(found) << joined(words) << " lacks " << past;
    return true;
  });
  EXPECT_GT(applied, 400);
}

TEST(SampleCzech, IndefiniteSubjectFollowsTheVerbBeforeKnownObjects) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const Clause& clause = sentence.main;
    const bool passive = clause.voice == Voice::kPassive;
    if (!passive || !is_simple_statement(sentence) || clause.subject.owner || clause.place)
      return false;
    if (clause.subject.kind != NounPhrase::Kind::kNoun) return false;
    const CzechNoun& noun = clause.subject.noun->czech;
    const std::string last = czech(sentence).rbegin()[1];
    const bool plural = clause.subject.number == Number::kPlural;
    const bool agent_last = last == (plural ? noun.plural : noun.singular)[0] ||
                            (plural && last == noun.plural[1]);  // "pět žen"
    EXPECT_TRUE(agent_last) << joined(czech(sentence));
    return true;
  });
  EXPECT_GT(applied, 200);
}

TEST(SampleEnglish, VerbAgreesWithItsSubjectAcrossRelativeClauses) {
  const int64_t applied = for_each_sentence([](const Sentence& sentence) {
    const Clause& clause = sentence.main;
    const bool plain = sentence.kind == Sentence::Kind::kStatement && is_simple_tense(clause) &&
                       clause.tense == Tense::kPresent && clause.view == View::kSimple &&
                       clause.attitude == Attitude::kNone && clause.verb != &lexicon().be &&
                       clause.polarity == Polarity::kPositive && clause.front == Front::kNone;
    if (!plain || !has_relative(clause.subject) || sentence.subordinate || sentence.second)
      return false;
    const Clause& relative = *clause.subject.relative;
    if (relative.verb == clause.verb) return false;
    const Words words = english(sentence);
    const bool plural = clause.subject.number == Number::kPlural;
    const EnglishVerb& verb = clause.verb->english;
    const std::string& wanted = plural ? verb.base : verb.third;
    const std::string& wrong = plural ? verb.third : verb.base;
    EXPECT_NE(std::find(words.begin(), words.end(), wanted), words.end()) << joined(words);
    const bool shared_base = relative.verb->english.base == verb.base;  // "sit", "sit down"
    const bool inner_object = clause.object && has_relative(*clause.object);
    if (!shared_base && !inner_object && !clause.that_clause) {
      EXPECT_EQ(std::find(words.begin(), words.end(), wrong), words.end()) << joined(words);
    }
    return true;
  });
  EXPECT_GT(applied, 100);
}

}  // namespace
}  // namespace dietmt::data
