// Adjectives, adverbs, prepositions of place, conjunctions, question words and modal verbs.
#include <string>
#include <vector>

#include "data/sample/lexicon.h"
#include "data/sample/rows.h"

namespace dietmt::data {

// clang-format off
std::vector<Adjective> make_adjectives() {
  constexpr unsigned kAny = kHuman | kAnimal | kThing | kPlace;
  constexpr unsigned kLiving = kHuman | kAnimal;
  constexpr unsigned kObject = kGoods | kMachine;
  return {
    {"old", "alt", "alt", "starý", "staří", kAny & ~kEdible, 6},
    {"big", "groß", "groß", "velký", "velcí", kAny & ~kTold, 5},
    {"small", "klein", "klein", "malý", "malí", kAny & ~kTold, 5},
    {"good", "gut", "gut", "dobrý", "dobří", kAny, 0},
    {"beautiful", "schön", "schön", "krásný", "krásní", kAny & ~kEdible, 0},
    {"young", "jung", "jung", "mladý", "mladí", kLiving, 6},
    {"happy", "glücklich", "glücklich", "šťastný", "šťastní", kLiving, 2},
    {"sad", "traurig", "traurig", "smutný", "smutní", kLiving | kTold, 2},
    {"tired", "müd", "müde", "unavený", "unavení", kLiving, 4},
    {"hungry", "hungrig", "hungrig", "hladový", "hladoví", kLiving, 4},
    {"sick", "krank", "krank", "nemocný", "nemocní", kLiving, 4},
    {"strong", "stark", "stark", "silný", "silní", kLiving, 4},
    {"brave", "mutig", "mutig", "statečný", "stateční", kLiving, 3},
    {"clever", "klug", "klug", "chytrý", "chytří", kLiving, 3},
    {"rich", "reich", "reich", "bohatý", "bohatí", kHuman, 3},
    {"poor", "arm", "arm", "chudý", "chudí", kHuman, 3},
    {"famous", "berühmt", "berühmt", "slavný", "slavní", kHuman | kTold, 1},
    {"friendly", "freundlich", "freundlich", "přátelský", "přátelští", kHuman, 1},
    {"new", "neu", "neu", "nový", "noví", kThing | kPlace, 6},
    {"modern", "modern", "modern", "moderní", "moderní", kMachine | kPlace, 6},
    {"strange", "seltsam", "seltsam", "zvláštní", "zvláštní", kAny, 0},
    {"long", "lang", "lang", "dlouhý", "dlouzí", kReadable | kTold, 5},
    {"expensive", "teur", "teuer", "drahý", "drazí", kObject, 1},
    {"cheap", "billig", "billig", "levný", "levní", kObject, 1},
    {"red", "rot", "rot", "červený", "červení", kObject | kVehicle, 7},
    {"green", "grün", "grün", "zelený", "zelení", kObject | kVehicle, 7},
    {"white", "weiß", "weiß", "bílý", "bílí", kObject | kAnimal, 7},
    {"black", "schwarz", "schwarz", "černý", "černí", kObject | kAnimal, 7},
  };
}

std::vector<TimeAdverb> make_times() {
  return {
    {"yesterday", "gestern", "včera", kWithPast},
    {"today", "heute", "dnes", kWithPast | kWithFuture},
    {"tomorrow", "morgen", "zítra", kWithFuture},
    {"last week", "letzte Woche", "minulý týden", kWithPast},
    {"next week", "nächste Woche", "příští týden", kWithFuture},
    {"on Monday", "am Montag", "v pondělí", kWithPast | kWithFuture},
    {"on Sunday", "am Sonntag", "v neděli", kWithPast | kWithFuture},
    {"in the evening", "am Abend", "večer", kWithPast | kWithFuture},
    {"every day", "jeden Tag", "každý den", kWithPast | kWithPresent | kHabitual},
    {"every week", "jede Woche", "každý týden", kWithPast | kWithPresent | kHabitual},
    {"often", "oft", "často", kWithPast | kWithPresent | kHabitual | kBeforeVerb},
    {"never", "nie", "nikdy", kWithPast | kWithPresent | kHabitual | kBeforeVerb | kNegative},
  };
}

std::vector<Manner> make_manners() {
  return {{"slowly", "langsam", "pomalu"},
          {"quickly", "schnell", "rychle"},
          {"quietly", "leise", "tiše"},
          {"carefully", "vorsichtig", "opatrně"},
          {"secretly", "heimlich", "tajně"}};
}

std::vector<Relation> make_relations() {
  return {{"under", government("unter+D"), government("pod+I")},
          {"behind", government("hinter+D"), government("za+I")},
          {"in front of", government("vor+D"), government("před+I")},
          {"next to", government("neben+D"), government("vedle+G")}};
}

std::vector<Conjunction> make_conjunctions() {
  return {{"because", "weil", "weil", "protože"},   {"although", "obwohl", "obwohl", "ačkoli"},
          {"when", "wenn", "als", "když"},          {"if", "wenn", "wenn", "pokud"},
          {"before", "bevor", "bevor", "než"},      {"while", "während", "während", "zatímco"}};
}

std::vector<QuestionWord> make_question_words() {
  return {{"where", "wo", "kde"}, {"when", "wann", "kdy"}, {"why", "warum", "proč"}};
}

std::vector<Modal> make_modals() {
  const GermanVerb must = german_verb("müssen muss musst muss müsst musste gemusst", "");
  const GermanVerb may = german_verb("dürfen darf darfst darf dürft durfte gedurft", "");
  const GermanVerb can = german_verb("können kann kannst kann könnt konnte gekonnt", "");
  const GermanVerb want = german_verb("wollen will willst will wollt wollte gewollt", "");
  const GermanVerb should = german_verb("sollen soll sollst soll sollt sollte gesollt", "");
  const CzechVerbForms muset = czech_forms("muset musím musíš musí musíme musíte musí musel");
  const CzechVerbForms smet = czech_forms("smět smím smíš smí smíme smíte smějí směl");
  const CzechVerbForms moci = czech_forms("moct můžu můžeš může můžeme můžete můžou mohl");
  const CzechVerbForms chtit = czech_forms("chtít chci chceš chce chceme chcete chtějí chtěl");
  const CzechVerbForms mit = czech_forms("mít mám máš má máme máte mají měl");
  return {{"can", "could", true, true, can, can, moci, moci, false},
          // "must not" forbids; "did not have to" does not.
          {"must", "have to", true, false, must, may, muset, smet, false},
          {"want to", "want to", false, false, want, want, chtit, chtit, false},
          {"should", "should", true, true, should, should, mit, mit, true}};
}
// clang-format on

}  // namespace dietmt::data
