// Nouns: classes; English singular and plural; German gender and forms; Czech gender and the seven
// cases (nominative genitive dative accusative vocative locative instrumental) of both numbers.
#include <string>
#include <vector>

#include "data/sample/lexicon.h"
#include "data/sample/rows.h"

namespace dietmt::data {
namespace {

struct NounRow {
  unsigned classes;
  Sex sex;
  const char* english;
  const char* german;
  const char* czech;
};

// clang-format off
const NounRow kNouns[] = {
  {kHuman, Sex::kMale, "man men", "m Mann Mannes Mann Mann Männer Männern",
   "a muž muže muži muže muži muži mužem|muži mužů mužům muže muži mužích muži"},
  {kHuman, Sex::kFemale, "woman women", "f Frau Frau Frau Frau Frauen Frauen",
   "f žena ženy ženě ženu ženo ženě ženou|ženy žen ženám ženy ženy ženách ženami"},
  {kHuman | kRelated, Sex::kMale, "child children", "n Kind Kindes Kind Kind Kinder Kindern",
   "nf dítě dítěte dítěti dítě dítě dítěti dítětem|děti dětí dětem děti děti dětech dětmi"},
  {kHuman, Sex::kFemale, "girl girls", "n Mädchen Mädchens Mädchen Mädchen Mädchen Mädchen",
   "f dívka dívky dívce dívku dívko dívce dívkou|dívky dívek dívkám dívky dívky dívkách dívkami"},
  {kHuman, Sex::kMale, "boy boys", "m Junge Jungen Jungen Jungen Jungen Jungen",
   "a chlapec chlapce chlapci chlapce chlapče chlapci chlapcem|chlapci chlapců chlapcům chlapce chlapci chlapcích chlapci"},
  {kHuman | kRelated, Sex::kMale, "teacher teachers", "m Lehrer Lehrers Lehrer Lehrer Lehrer Lehrern",
   "a učitel učitele učiteli učitele učiteli učiteli učitelem|učitelé učitelů učitelům učitele učitelé učitelích učiteli"},
  {kHuman | kRelated, Sex::kMale, "doctor doctors", "m Arzt Arztes Arzt Arzt Ärzte Ärzten",
   "a lékař lékaře lékaři lékaře lékaři lékaři lékařem|lékaři lékařů lékařům lékaře lékaři lékařích lékaři"},
  {kHuman | kRelated, Sex::kMale, "neighbour neighbours", "m Nachbar Nachbarn Nachbarn Nachbarn Nachbarn Nachbarn",
   "a soused souseda sousedovi souseda sousede sousedovi sousedem|sousedé sousedů sousedům sousedy sousedé sousedech sousedy"},
  {kHuman | kRelated, Sex::kMale, "student students", "m Student Studenten Studenten Studenten Studenten Studenten",
   "a student studenta studentovi studenta studente studentovi studentem|studenti studentů studentům studenty studenti studentech studenty"},
  {kHuman, Sex::kMale, "farmer farmers", "m Bauer Bauern Bauern Bauern Bauern Bauern",
   "a farmář farmáře farmáři farmáře farmáři farmáři farmářem|farmáři farmářů farmářům farmáře farmáři farmářích farmáři"},
  {kHuman | kRelated, Sex::kFemale, "grandmother grandmothers", "f Großmutter Großmutter Großmutter Großmutter Großmütter Großmüttern",
   "f babička babičky babičce babičku babičko babičce babičkou|babičky babiček babičkám babičky babičky babičkách babičkami"},
  {kHuman | kRelated, Sex::kMale, "brother brothers", "m Bruder Bruders Bruder Bruder Brüder Brüdern",
   "a bratr bratra bratrovi bratra bratře bratrovi bratrem|bratři bratrů bratrům bratry bratři bratrech bratry"},
  {kHuman | kRelated, Sex::kFemale, "sister sisters", "f Schwester Schwester Schwester Schwester Schwestern Schwestern",
   "f sestra sestry sestře sestru sestro sestře sestrou|sestry sester sestrám sestry sestry sestrách sestrami"},
  {kHuman | kRelated, Sex::kMale, "friend friends", "m Freund Freundes Freund Freund Freunde Freunden",
   "a přítel přítele příteli přítele příteli příteli přítelem|přátelé přátel přátelům přátele přátelé přátelích přáteli"},
  {kHuman, Sex::kFemale, "queen queens", "f Königin Königin Königin Königin Königinnen Königinnen",
   "f královna královny královně královnu královno královně královnou|královny královen královnám královny královny královnách královnami"},
  {kHuman, Sex::kFemale, "actress actresses", "f Schauspielerin Schauspielerin Schauspielerin Schauspielerin Schauspielerinnen Schauspielerinnen",
   "f herečka herečky herečce herečku herečko herečce herečkou|herečky hereček herečkám herečky herečky herečkách herečkami"},

  {kAnimal, Sex::kNone, "dog dogs", "m Hund Hundes Hund Hund Hunde Hunden",
   "a pes psa psovi psa pse psovi psem|psi psů psům psy psi psech psy"},
  {kAnimal, Sex::kNone, "cat cats", "f Katze Katze Katze Katze Katzen Katzen",
   "f kočka kočky kočce kočku kočko kočce kočkou|kočky koček kočkám kočky kočky kočkách kočkami"},
  {kAnimal, Sex::kNone, "horse horses", "n Pferd Pferdes Pferd Pferd Pferde Pferden",
   "a kůň koně koni koně koni koni koněm|koně koní koním koně koně koních koňmi"},
  {kAnimal, Sex::kNone, "bird birds", "m Vogel Vogels Vogel Vogel Vögel Vögeln",
   "a pták ptáka ptákovi ptáka ptáku ptákovi ptákem|ptáci ptáků ptákům ptáky ptáci ptácích ptáky"},
  {kAnimal, Sex::kNone, "cow cows", "f Kuh Kuh Kuh Kuh Kühe Kühen",
   "f kráva krávy krávě krávu krávo krávě krávou|krávy krav kravám krávy krávy kravách kravami"},

  {kReadable | kGoods | kOpenable, Sex::kNone, "book books", "n Buch Buches Buch Buch Bücher Büchern",
   "f kniha knihy knize knihu kniho knize knihou|knihy knih knihám knihy knihy knihách knihami"},
  {kReadable | kOpenable, Sex::kNone, "letter letters", "m Brief Briefes Brief Brief Briefe Briefen",
   "i dopis dopisu dopisu dopis dopise dopise dopisem|dopisy dopisů dopisům dopisy dopisy dopisech dopisy"},
  {kReadable | kGoods, Sex::kNone, "magazine magazines", "f Zeitschrift Zeitschrift Zeitschrift Zeitschrift Zeitschriften Zeitschriften",
   "i časopis časopisu časopisu časopis časopise časopise časopisem|časopisy časopisů časopisům časopisy časopisy časopisech časopisy"},
  {kEdible | kGoods, Sex::kNone, "apple apples", "m Apfel Apfels Apfel Apfel Äpfel Äpfeln",
   "n jablko jablka jablku jablko jablko jablku jablkem|jablka jablek jablkům jablka jablka jablkách jablky"},
  {kEdible | kGoods, Sex::kNone, "cake cakes", "m Kuchen Kuchens Kuchen Kuchen Kuchen Kuchen",
   "i dort dortu dortu dort dorte dortu dortem|dorty dortů dortům dorty dorty dortech dorty"},
  {kEdible, Sex::kNone, "soup soups", "f Suppe Suppe Suppe Suppe Suppen Suppen",
   "f polévka polévky polévce polévku polévko polévce polévkou|polévky polévek polévkám polévky polévky polévkách polévkami"},
  {kEdible | kGoods, Sex::kNone, "egg eggs", "n Ei Eies Ei Ei Eier Eiern",
   "n vejce vejce vejci vejce vejce vejci vejcem|vejce vajec vejcím vejce vejce vejcích vejci"},
  {kOpenable, Sex::kNone, "window windows", "n Fenster Fensters Fenster Fenster Fenster Fenstern",
   "n okno okna oknu okno okno okně oknem|okna oken oknům okna okna oknech okny"},
  {kOpenable, Sex::kNone, "gate gates", "n Tor Tores Tor Tor Tore Toren",
   "f brána brány bráně bránu bráno bráně bránou|brány bran branám brány brány branách branami"},
  {kOpenable | kGoods, Sex::kNone, "box boxes", "f Kiste Kiste Kiste Kiste Kisten Kisten",
   "f krabice krabice krabici krabici krabice krabici krabicí|krabice krabic krabicím krabice krabice krabicích krabicemi"},
  {kMachine | kLandmark, Sex::kNone, "car cars", "n Auto Autos Auto Auto Autos Autos",
   "n auto auta autu auto auto autě autem|auta aut autům auta auta autech auty"},
  {kMachine | kGoods, Sex::kNone, "bicycle bicycles", "n Fahrrad Fahrrades Fahrrad Fahrrad Fahrräder Fahrrädern",
   "n kolo kola kolu kolo kolo kole kolem|kola kol kolům kola kola kolech koly"},
  {kGoods, Sex::kNone, "key keys", "m Schlüssel Schlüssels Schlüssel Schlüssel Schlüssel Schlüsseln",
   "i klíč klíče klíči klíč klíči klíči klíčem|klíče klíčů klíčům klíče klíče klíčích klíči"},
  {kGoods, Sex::kNone, "picture pictures", "n Bild Bildes Bild Bild Bilder Bildern",
   "i obraz obrazu obrazu obraz obraze obraze obrazem|obrazy obrazů obrazům obrazy obrazy obrazech obrazy"},
  {kGoods, Sex::kNone, "coat coats", "m Mantel Mantels Mantel Mantel Mäntel Mänteln",
   "i kabát kabátu kabátu kabát kabáte kabátu kabátem|kabáty kabátů kabátům kabáty kabáty kabátech kabáty"},
  {kMachine | kGoods, Sex::kNone, "lamp lamps", "f Lampe Lampe Lampe Lampe Lampen Lampen",
   "f lampa lampy lampě lampu lampo lampě lampou|lampy lamp lampám lampy lampy lampách lampami"},
  {kGoods, Sex::kNone, "flower flowers", "f Blume Blume Blume Blume Blumen Blumen",
   "f květina květiny květině květinu květino květině květinou|květiny květin květinám květiny květiny květinách květinami"},
  {kGoods | kMachine, Sex::kNone, "chair chairs", "m Stuhl Stuhls Stuhl Stuhl Stühle Stühlen",
   "f židle židle židli židli židle židli židlí|židle židlí židlím židle židle židlích židlemi"},
  {kGoods, Sex::kNone, "ball balls", "m Ball Balls Ball Ball Bälle Bällen",
   "i míč míče míči míč míči míči míčem|míče míčů míčům míče míče míčích míči"},
  {kTold, Sex::kNone, "story stories", "f Geschichte Geschichte Geschichte Geschichte Geschichten Geschichten",
   "i příběh příběhu příběhu příběh příběhu příběhu příběhem|příběhy příběhů příběhům příběhy příběhy příbězích příběhy"},
  {kVehicle, Sex::kNone, "train trains", "m Zug Zuges Zug Zug Züge Zügen",
   "i vlak vlaku vlaku vlak vlaku vlaku vlakem|vlaky vlaků vlakům vlaky vlaky vlacích vlaky"},
  {kVehicle, Sex::kNone, "bus buses", "m Bus Busses Bus Bus Busse Bussen",
   "i autobus autobusu autobusu autobus autobuse autobuse autobusem|autobusy autobusů autobusům autobusy autobusy autobusech autobusy"},
  {kLandmark, Sex::kNone, "tree trees", "m Baum Baumes Baum Baum Bäume Bäumen",
   "i strom stromu stromu strom strome stromě stromem|stromy stromů stromům stromy stromy stromech stromy"},
  {kLandmark, Sex::kNone, "house houses", "n Haus Hauses Haus Haus Häuser Häusern",
   "i dům domu domu dům dome domě domem|domy domů domům domy domy domech domy"},
  {kLandmark, Sex::kNone, "table tables", "m Tisch Tisches Tisch Tisch Tische Tischen",
   "i stůl stolu stolu stůl stole stole stolem|stoly stolů stolům stoly stoly stolech stoly"},

  {kPlace, Sex::kNone, "garden gardens", "m Garten Gartens Garten Garten Gärten Gärten",
   "f zahrada zahrady zahradě zahradu zahrado zahradě zahradou|zahrady zahrad zahradám zahrady zahrady zahradách zahradami"},
  {kPlace, Sex::kNone, "kitchen kitchens", "f Küche Küche Küche Küche Küchen Küchen",
   "f kuchyně kuchyně kuchyni kuchyni kuchyně kuchyni kuchyní|kuchyně kuchyní kuchyním kuchyně kuchyně kuchyních kuchyněmi"},
  {kPlace, Sex::kNone, "school schools", "f Schule Schule Schule Schule Schulen Schulen",
   "f škola školy škole školu školo škole školou|školy škol školám školy školy školách školami"},
  {kPlace, Sex::kNone, "park parks", "m Park Parks Park Park Parks Parks",
   "i park parku parku park parku parku parkem|parky parků parkům parky parky parcích parky"},
  {kPlace, Sex::kNone, "forest forests", "m Wald Waldes Wald Wald Wälder Wäldern",
   "i les lesa lesu les lese lese lesem|lesy lesů lesům lesy lesy lesích lesy"},
  {kPlace, Sex::kNone, "market markets", "m Markt Marktes Markt Markt Märkte Märkten",
   "i trh trhu trhu trh trhu trhu trhem|trhy trhů trhům trhy trhy trzích trhy"},
  {kPlace, Sex::kNone, "village villages", "n Dorf Dorfes Dorf Dorf Dörfer Dörfern",
   "f vesnice vesnice vesnici vesnici vesnice vesnici vesnicí|vesnice vesnic vesnicím vesnice vesnice vesnicích vesnicemi"},
  {kPlace, Sex::kNone, "city cities", "f Stadt Stadt Stadt Stadt Städte Städten",
   "n město města městu město město městě městem|města měst městům města města městech městy"},
  {kPlace, Sex::kNone, "station stations", "m Bahnhof Bahnhofs Bahnhof Bahnhof Bahnhöfe Bahnhöfen",
   "n nádraží nádraží nádraží nádraží nádraží nádraží nádražím|nádraží nádraží nádražím nádraží nádraží nádražích nádražími"},
  {kPlace, Sex::kNone, "street streets", "f Straße Straße Straße Straße Straßen Straßen",
   "f ulice ulice ulici ulici ulice ulici ulicí|ulice ulic ulicím ulice ulice ulicích ulicemi"},
  {kPlace, Sex::kNone, "bridge bridges", "f Brücke Brücke Brücke Brücke Brücken Brücken",
   "i most mostu mostu most moste mostě mostem|mosty mostů mostům mosty mosty mostech mosty"},
  {kPlace, Sex::kNone, "library libraries", "f Bibliothek Bibliothek Bibliothek Bibliothek Bibliotheken Bibliotheken",
   "f knihovna knihovny knihovně knihovnu knihovno knihovně knihovnou|knihovny knihoven knihovnám knihovny knihovny knihovnách knihovnami"},
  {kPlace, Sex::kNone, "restaurant restaurants", "n Restaurant Restaurants Restaurant Restaurant Restaurants Restaurants",
   "f restaurace restaurace restauraci restauraci restaurace restauraci restaurací|restaurace restaurací restauracím restaurace restaurace restauracích restauracemi"},

  {kName, Sex::kFemale, "Anna", "f Anna Annas Anna Anna - -", "f Anna Anny Anně Annu Anno Anně Annou"},
  {kName, Sex::kFemale, "Eva", "f Eva Evas Eva Eva - -", "f Eva Evy Evě Evu Evo Evě Evou"},
  {kName, Sex::kFemale, "Nina", "f Nina Ninas Nina Nina - -", "f Nina Niny Nině Ninu Nino Nině Ninou"},
  {kName, Sex::kMale, "Martin", "m Martin Martins Martin Martin - -", "a Martin Martina Martinovi Martina Martine Martinovi Martinem"},
  {kName, Sex::kMale, "David", "m David Davids David David - -", "a David Davida Davidovi Davida Davide Davidovi Davidem"},
  {kName, Sex::kMale, "Adam", "m Adam Adams Adam Adam - -", "a Adam Adama Adamovi Adama Adame Adamovi Adamem"},
};

struct PlaceRow {
  const char* noun;
  const char* english;
  const char* german;
  const char* german_direction;
  const char* czech;
  const char* czech_direction;
};

const PlaceRow kPlaces[] = {
  {"garden", "in", "in", "in+A", "v", "do+G"},    {"kitchen", "in", "in", "in+A", "v", "do+G"},
  {"school", "at", "in", "in+A", "v", "do+G"},    {"park", "in", "in", "in+A", "v", "do+G"},
  {"forest", "in", "in", "in+A", "v", "do+G"},    {"market", "at", "auf", "auf+A", "na", "na+A"},
  {"village", "in", "in", "in+A", "v", "do+G"},   {"city", "in", "in", "in+A", "v", "do+G"},
  {"station", "at", "an", "zu+D", "na", "na+A"},  {"street", "on", "auf", "auf+A", "na", "na+A"},
  {"bridge", "on", "auf", "auf+A", "na", "na+A"}, {"library", "in", "in", "in+A", "v", "do+G"},
  {"restaurant", "in", "in", "in+A", "v", "do+G"},
};
// clang-format on

PlaceWords place_words(const std::string& noun) {
  for (const PlaceRow& row : kPlaces)
    if (row.noun == noun)
      return {row.english, row.german, government(row.german_direction), row.czech,
              government(row.czech_direction)};
  return {};
}

}  // namespace

std::vector<Noun> make_nouns() {
  std::vector<Noun> nouns;
  for (const NounRow& row : kNouns) {
    const std::vector<std::string> english = split(row.english, ' ');
    nouns.push_back({row.classes, row.sex, english.front(), english.back(), german_noun(row.german),
                     czech_noun(row.czech), place_words(english.front())});
  }
  return nouns;
}

}  // namespace dietmt::data
