// Hand-built meanings and the sentences that must come out, in all three languages.
#include <gtest/gtest.h>

#include "data/sample/realise.h"
#include "data/sample/surface.h"

namespace dietmt::data {
namespace {

NounPhrase noun(const std::string& name, Determiner determiner = Determiner::kDefinite,
                Number number = Number::kSingular) {
  NounPhrase phrase;
  phrase.noun = &lexicon().noun(name);
  phrase.determiner = phrase.noun->is(kName) ? Determiner::kNone : determiner;
  phrase.number = number;
  return phrase;
}

NounPhrase plural(const std::string& name, Determiner determiner = Determiner::kDefinite) {
  return noun(name, determiner, Number::kPlural);
}

NounPhrase numbered(int numeral, const std::string& name) {
  NounPhrase phrase = plural(name, Determiner::kNumeral);
  phrase.numeral = numeral;
  return phrase;
}

NounPhrase with_adjective(NounPhrase phrase, const std::string& adjective) {
  phrase.adjectives.push_back(&lexicon().adjective(adjective));
  return phrase;
}

NounPhrase pronoun(int person, Number number = Number::kSingular, const std::string& of = "man") {
  NounPhrase phrase;
  phrase.kind = NounPhrase::Kind::kPronoun;
  phrase.person = person;
  phrase.number = number;
  if (person == 3) phrase.noun = &lexicon().noun(of);
  return phrase;
}

NounPhrase possessed(const std::string& name, Possessor possessor) {
  NounPhrase phrase = noun(name, Determiner::kPossessive);
  phrase.possessor = possessor;
  return phrase;
}

NounPhrase gap(const NounPhrase& head) {
  NounPhrase phrase = noun(head.noun->singular, Determiner::kDefinite, head.number);
  phrase.form = NounPhrase::Form::kGap;
  return phrase;
}

NounPhrase related(NounPhrase phrase, Clause relative) {
  phrase.relative = std::make_shared<const Clause>(std::move(relative));
  return phrase;
}

Clause clause(const NounPhrase& subject, const std::string& verb, Tense tense) {
  Clause result;
  result.verb = verb == "be" ? &lexicon().be : &lexicon().verb(verb);
  result.subject = subject;
  result.tense = tense;
  return result;
}

Clause clause(const NounPhrase& subject, const std::string& verb, const NounPhrase& object,
              Tense tense) {
  Clause result = clause(subject, verb, tense);
  result.object = object;
  return result;
}

Place location(const std::string& name) {
  Place place;
  place.ground = noun(name);
  return place;
}

Sentence sentence(Clause main) {
  Sentence result;
  result.main = std::move(main);
  return result;
}

Sentence with_subordinate(Clause main, const std::string& conjunction, Clause subordinate) {
  Sentence result = sentence(std::move(main));
  result.conjunction = &lexicon().conjunction(conjunction);
  result.subordinate = std::make_shared<const Clause>(std::move(subordinate));
  return result;
}

void expect(const Sentence& meaning, const std::string& in_english, const std::string& in_german,
            const std::string& in_czech) {
  EXPECT_EQ(surface(english(meaning)), in_english);
  EXPECT_EQ(surface(german(meaning)), in_german);
  EXPECT_EQ(surface(czech(meaning)), in_czech);
}

TEST(SampleSentences, SeparableVerb) {
  expect(sentence(clause(noun("Anna"), "call", noun("doctor"), Tense::kPast)),
         "Anna called the doctor.", "Anna rief den Arzt an.", "Anna zavolala lékaři.");
}

TEST(SampleSentences, FrontedTimeInvertsGerman) {
  Clause main = clause(pronoun(1), "open", noun("window"), Tense::kPast);
  main.time = &lexicon().time("yesterday");
  main.front = Front::kTime;
  expect(sentence(main), "Yesterday, I opened the window.", "Gestern machte ich das Fenster auf.",
         "Včera jsem otevřel okno.");
}

TEST(SampleSentences, SubordinateClauseFirst) {
  Sentence meaning = with_subordinate(
      clause(noun("boy"), "buy", noun("coat"), Tense::kPast), "because",
      clause(pronoun(3), "need", pronoun(3, Number::kSingular, "coat"), Tense::kPast));
  expect(meaning, "The boy bought the coat because he needed it.",
         "Der Junge kaufte den Mantel, weil er ihn brauchte.",
         "Chlapec koupil kabát, protože ho potřeboval.");
  meaning.order = Sentence::Order::kSubordinateFirst;
  expect(meaning, "Because he needed it, the boy bought the coat.",
         "Weil er ihn brauchte, kaufte der Junge den Mantel.",
         "Protože ho potřeboval, chlapec koupil kabát.");
}

TEST(SampleSentences, PronounTakesTheGenderOfItsAntecedent) {
  const auto bought = [](const std::string& thing) {
    Clause old = clause(pronoun(3, Number::kSingular, thing), "be", Tense::kPast);
    old.predicate = &lexicon().adjective("old");
    return with_subordinate(clause(noun("Eva"), "sell", noun(thing), Tense::kPast), "because", old);
  };
  expect(bought("car"), "Eva sold the car because it was old.",
         "Eva verkaufte das Auto, weil es alt war.", "Eva prodala auto, protože bylo staré.");
  expect(bought("lamp"), "Eva sold the lamp because it was old.",
         "Eva verkaufte die Lampe, weil sie alt war.", "Eva prodala lampu, protože byla stará.");
  expect(bought("coat"), "Eva sold the coat because it was old.",
         "Eva verkaufte den Mantel, weil er alt war.", "Eva prodala kabát, protože byl starý.");
}

TEST(SampleSentences, AgreementAcrossARelativeClause) {
  const NounPhrase dogs = plural("dog");
  Clause saw = clause(with_adjective(noun("man"), "old"), "see", gap(dogs), Tense::kPast);
  expect(sentence(clause(related(dogs, saw), "sleep", Tense::kPresent)),
         "The dogs that the old man saw sleep.", "Die Hunde, die der alte Mann sah, schlafen.",
         "Psi, které starý muž viděl, spí.");
}

TEST(SampleSentences, StrandedPrepositionMovesToTheRelativePronoun) {
  const NounPhrase man = noun("man");
  Clause waited = clause(noun("woman"), "wait for", gap(man), Tense::kPast);
  expect(sentence(clause(related(man, waited), "smile", Tense::kPresent)),
         "The man that the woman waited for smiles.",
         "Der Mann, auf den die Frau wartete, lächelt.", "Muž, na kterého žena čekala, se usmívá.");
}

TEST(SampleSentences, RelativeClauseMovesBehindTheSeparatedPrefix) {
  const NounPhrase girl = noun("girl");
  const NounPhrase object = related(girl, clause(gap(girl), "sing", Tense::kPresent));
  expect(sentence(clause(noun("Adam"), "call", object, Tense::kPresent)),
         "Adam calls the girl who sings.", "Adam ruft das Mädchen an, das singt.",
         "Adam volá dívce, která zpívá.");
}

TEST(SampleSentences, PassiveIsObjectFirstInCzech) {
  Clause main = clause(noun("brother"), "read", with_adjective(noun("book"), "new"), Tense::kPast);
  main.voice = Voice::kPassive;
  expect(sentence(main), "The new book was read by the brother.",
         "Das neue Buch wurde vom Bruder gelesen.", "Novou knihu přečetl bratr.");
  main.tense = Tense::kPresent;
  main.modal = &lexicon().modal("must");
  expect(sentence(main), "The new book must be read by the brother.",
         "Das neue Buch muss vom Bruder gelesen werden.", "Novou knihu musí přečíst bratr.");
}

TEST(SampleSentences, DefinitenessOrdersCzech) {
  Clause known = clause(noun("dog"), "sleep", Tense::kPresent);
  known.place = location("garden");
  expect(sentence(known), "The dog sleeps in the garden.", "Der Hund schläft im Garten.",
         "Pes spí v zahradě.");
  Clause fresh = clause(noun("dog", Determiner::kIndefinite), "sleep", Tense::kPresent);
  fresh.place = location("garden");
  expect(sentence(fresh), "A dog sleeps in the garden.", "Ein Hund schläft im Garten.",
         "V zahradě spí pes.");
}

TEST(SampleSentences, FiveIsNeuterSingularInCzech) {
  const auto slept = [](const NounPhrase& subject) {
    return sentence(clause(subject, "sleep", Tense::kPast));
  };
  expect(slept(noun("dog")), "The dog slept.", "Der Hund schlief.", "Pes spal.");
  expect(slept(noun("cat")), "The cat slept.", "Die Katze schlief.", "Kočka spala.");
  expect(slept(noun("child")), "The child slept.", "Das Kind schlief.", "Dítě spalo.");
  expect(slept(plural("child")), "The children slept.", "Die Kinder schliefen.", "Děti spaly.");
  expect(slept(numbered(2, "dog")), "Two dogs slept.", "Zwei Hunde schliefen.", "Dva psi spali.");
  expect(slept(numbered(2, "cat")), "Two cats slept.", "Zwei Katzen schliefen.",
         "Dvě kočky spaly.");
  expect(slept(with_adjective(numbered(5, "dog"), "big")), "Five big dogs slept.",
         "Fünf große Hunde schliefen.", "Pět velkých psů spalo.");
  expect(slept(plural("woman", Determiner::kMany)), "Many women slept.", "Viele Frauen schliefen.",
         "Mnoho žen spalo.");
}

TEST(SampleSentences, ObjectOrderAndPronouns) {
  Clause give =
      clause(noun("teacher"), "give", noun("book", Determiner::kIndefinite), Tense::kPast);
  give.recipient = noun("boy");
  expect(sentence(give), "The teacher gave the boy a book.", "Der Lehrer gab dem Jungen ein Buch.",
         "Učitel dal chlapci knihu.");
  give.recipient = pronoun(3);
  expect(sentence(give), "The teacher gave him a book.", "Der Lehrer gab ihm ein Buch.",
         "Učitel mu dal knihu.");
}

TEST(SampleSentences, NegationModalsAndPhase) {
  Clause main = clause(pronoun(3, Number::kSingular, "woman"), "read",
                       noun("letter", Determiner::kIndefinite), Tense::kPresent);
  main.polarity = Polarity::kNegative;
  expect(sentence(main), "She does not read a letter.", "Sie liest keinen Brief.", "Nečte dopis.");
  main.object = noun("letter");
  main.modal = &lexicon().modal("must");
  expect(sentence(main), "She must not read the letter.", "Sie darf den Brief nicht lesen.",
         "Nesmí přečíst dopis.");
  main.tense = Tense::kPast;
  expect(sentence(main), "She did not have to read the letter.",
         "Sie musste den Brief nicht lesen.", "Nemusela přečíst dopis.");
  main.modal = nullptr;
  main.tense = Tense::kPerfect;
  main.phase = Phase::kAlready;
  expect(sentence(main), "She has not yet read the letter.",
         "Sie hat den Brief noch nicht gelesen.", "Ještě nepřečetla dopis.");
}

TEST(SampleSentences, InfinitiveAndAspect) {
  Clause open = clause(noun("Nina"), "open", noun("box"), Tense::kPresent);
  const auto undertaking = [&](const std::string& verb) {
    Clause main = clause(noun("Nina"), verb, Tense::kPast);
    main.infinitive = std::make_shared<const Clause>(open);
    return sentence(main);
  };
  expect(undertaking("try"), "Nina tried to open the box.",
         "Nina versuchte, die Kiste aufzumachen.", "Nina zkusila otevřít krabici.");
  expect(undertaking("begin"), "Nina began to open the box.",
         "Nina fing an, die Kiste aufzumachen.", "Nina začala otevírat krabici.");
}

TEST(SampleSentences, ReportedSpeech) {
  Clause main = clause(pronoun(1, Number::kPlural), "say", Tense::kPast);
  main.that_clause =
      std::make_shared<const Clause>(clause(pronoun(2), "come back", Tense::kPastPerfect));
  expect(sentence(main), "We said that you had come back.",
         "Wir sagten, dass du zurückgekommen warst.", "Řekli jsme, že ses vrátil.");
}

TEST(SampleSentences, PossessiveOfTheSubject) {
  const Possessor she{3, Number::kSingular, Sex::kFemale};
  expect(sentence(clause(noun("Anna"), "visit", possessed("brother", she), Tense::kPresent)),
         "Anna visits her brother.", "Anna besucht ihren Bruder.", "Anna navštěvuje svého bratra.");
  expect(sentence(clause(noun("Adam"), "visit", possessed("brother", she), Tense::kPresent)),
         "Adam visits her brother.", "Adam besucht ihren Bruder.",
         "Adam navštěvuje jejího bratra.");
}

TEST(SampleSentences, Liking) {
  Clause main =
      clause(noun("Eva"), "read", plural("book", Determiner::kIndefinite), Tense::kPresent);
  main.attitude = Attitude::kLikes;
  expect(sentence(main), "Eva likes to read books.", "Eva liest gern Bücher.",
         "Eva ráda čte knihy.");
}

TEST(SampleSentences, QuestionsAndVocative) {
  Sentence where = sentence(clause(pronoun(2), "find", noun("key"), Tense::kPast));
  where.kind = Sentence::Kind::kQuestion;
  where.question_word = &lexicon().question_words.front();
  where.addressee = &lexicon().noun("Adam");
  expect(where, "Adam, where did you find the key?", "Adam, wo fandest du den Schlüssel?",
         "Adame, kde jsi našel klíč?");
  Sentence what = sentence(clause(noun("sister"), "look forward to", Tense::kPresent));
  what.kind = Sentence::Kind::kQuestion;
  what.main.object.emplace().kind = NounPhrase::Kind::kWhat;
  expect(what, "What does the sister look forward to?", "Worauf freut sich die Schwester?",
         "Na co se sestra těší?");
}

TEST(SampleSentences, Cleft) {
  Sentence meaning = sentence(clause(plural("girl"), "repair", noun("bicycle"), Tense::kPast));
  meaning.kind = Sentence::Kind::kCleft;
  expect(meaning, "It was the girls who repaired the bicycle.",
         "Es waren die Mädchen, die das Fahrrad reparierten.", "Kolo opravily právě dívky.");
}

}  // namespace
}  // namespace dietmt::data
