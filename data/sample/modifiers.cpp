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
    {"old", "alt", "alt", "starý", "staří", kAny & ~kEdible},
    {"big", "groß", "groß", "velký", "velcí", kAny & ~kTold},
    {"small", "klein", "klein", "malý", "malí", kAny & ~kTold},
    {"good", "gut", "gut", "dobrý", "dobří", kAny},
    {"beautiful", "schön", "schön", "krásný", "krásní", kAny & ~kEdible},
    {"young", "jung", "jung", "mladý", "mladí", kLiving},
    {"happy", "glücklich", "glücklich", "šťastný", "šťastní", kLiving},
    {"sad", "traurig", "traurig", "smutný", "smutní", kLiving | kTold},
    {"tired", "müd", "müde", "unavený", "unavení", kLiving},
    {"hungry", "hungrig", "hungrig", "hladový", "hladoví", kLiving},
    {"sick", "krank", "krank", "nemocný", "nemocní", kLiving},
    {"strong", "stark", "stark", "silný", "silní", kLiving},
    {"brave", "mutig", "mutig", "statečný", "stateční", kLiving},
    {"clever", "klug", "klug", "chytrý", "chytří", kLiving},
    {"rich", "reich", "reich", "bohatý", "bohatí", kHuman},
    {"poor", "arm", "arm", "chudý", "chudí", kHuman},
    {"famous", "berühmt", "berühmt", "slavný", "slavní", kHuman | kTold},
    {"friendly", "freundlich", "freundlich", "přátelský", "přátelští", kHuman},
    {"new", "neu", "neu", "nový", "noví", kThing | kPlace},
    {"modern", "modern", "modern", "moderní", "moderní", kMachine | kLandmark | kPlace},
    {"strange", "seltsam", "seltsam", "zvláštní", "zvláštní", kAny},
    {"long", "lang", "lang", "dlouhý", "dlouzí", kReadable | kTold},
    {"expensive", "teur", "teuer", "drahý", "drazí", kObject},
    {"cheap", "billig", "billig", "levný", "levní", kObject},
    {"red", "rot", "rot", "červený", "červení", kObject | kVehicle},
    {"green", "grün", "grün", "zelený", "zelení", kObject | kVehicle},
    {"white", "weiß", "weiß", "bílý", "bílí", kObject | kAnimal},
    {"black", "schwarz", "schwarz", "černý", "černí", kObject | kAnimal},
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
