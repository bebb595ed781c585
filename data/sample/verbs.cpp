// Verbs: English forms; German infinitive, ich, du, er, ihr, preterite, participle; Czech aspect
// pair with infinitive, six present (perfective: future) forms and past participle.
#include <string>
#include <vector>

#include "data/sample/lexicon.h"
#include "data/sample/rows.h"

namespace dietmt::data {
namespace {

struct VerbRow {
  const char* english;
  const char* tail;
  const char* german;
  const char* german_properties;
  const char* imperfective;
  const char* perfective;
  const char* czech_properties;
  unsigned subjects, objects, flags;
};

std::vector<Verb> verbs_of(const std::vector<VerbRow>& rows) {
  std::vector<Verb> verbs;
  for (const VerbRow& row : rows) {
    verbs.push_back({english_verb(row.english, row.tail),
                     german_verb(row.german, row.german_properties),
                     czech_verb(row.imperfective, row.perfective, row.czech_properties),
                     row.subjects, row.objects, row.flags});
  }
  return verbs;
}

}  // namespace

// clang-format off
std::vector<Verb> make_verbs() {
  return verbs_of({
    {"buy buys bought bought buying", "", "kaufen kaufe kaufst kauft kauft kaufte gekauft", "A",
     "kupovat kupuji kupuješ kupuje kupujeme kupujete kupují kupoval",
     "koupit koupím koupíš koupí koupíme koupíte koupí koupil", "A", kPerson, kGoods | kMachine, kPassive},
    {"sell sells sold sold selling", "", "verkaufen verkaufe verkaufst verkauft verkauft verkaufte verkauft", "A",
     "prodávat prodávám prodáváš prodává prodáváme prodáváte prodávají prodával",
     "prodat prodám prodáš prodá prodáme prodáte prodají prodal", "A", kPerson, kGoods | kMachine, kPassive},
    {"read reads read read reading", "", "lesen lese liest liest lest las gelesen", "A",
     "číst čtu čteš čte čteme čtete čtou četl",
     "přečíst přečtu přečteš přečte přečteme přečtete přečtou přečetl", "A", kPerson, kReadable, kPassive | kMannered},
    {"write writes wrote written writing", "", "schreiben schreibe schreibst schreibt schreibt schrieb geschrieben", "A",
     "psát píšu píšeš píše píšeme píšete píšou psal",
     "napsat napíšu napíšeš napíše napíšeme napíšete napíšou napsal", "A", kPerson, kReadable | kTold, kPassive | kMannered},
    {"see sees saw seen seeing", "", "sehen sehe siehst sieht seht sah gesehen", "A",
     "vidět vidím vidíš vidí vidíme vidíte vidí viděl",
     "vidět uvidím uvidíš uvidí uvidíme uvidíte uvidí viděl", "A", kAnimate, kAnimate | kGoods | kVehicle | kLandmark, kPassive | kNoProgressive},
    {"find finds found found finding", "", "finden finde findest findet findet fand gefunden", "A",
     "nacházet nacházím nacházíš nachází nacházíme nacházíte nacházejí nacházel",
     "najít najdu najdeš najde najdeme najdete najdou našel", "A", kPerson, kGoods | kReadable | kAnimal, kPassive | kNoProgressive},
    {"look looks looked looked looking", "for", "suchen suche suchst sucht sucht suchte gesucht", "A",
     "hledat hledám hledáš hledá hledáme hledáte hledají hledal", "", "A", kAnimate, kGoods | kAnimate, 0},
    {"open opens opened opened opening", "", "machen mache machst macht macht machte gemacht", "auf- A",
     "otevírat otevírám otevíráš otevírá otevíráme otevíráte otevírají otevíral",
     "otevřít otevřu otevřeš otevře otevřeme otevřete otevřou otevřel", "A", kPerson, kOpenable, kPassive | kMannered},
    {"close closes closed closed closing", "", "machen mache machst macht macht machte gemacht", "zu- A",
     "zavírat zavírám zavíráš zavírá zavíráme zavíráte zavírají zavíral",
     "zavřít zavřu zavřeš zavře zavřeme zavřete zavřou zavřel", "A", kPerson, kOpenable, kPassive | kMannered},
    {"invite invites invited invited inviting", "", "laden lade lädst lädt ladet lud geladen", "ein- A",
     "zvát zvu zveš zve zveme zvete zvou zval",
     "pozvat pozvu pozveš pozve pozveme pozvete pozvou pozval", "A", kPerson, kPerson, kPassive | kNoProgressive},
    {"call calls called called calling", "", "rufen rufe rufst ruft ruft rief gerufen", "an- A",
     "volat volám voláš volá voláme voláte volají volal",
     "zavolat zavolám zavoláš zavolá zavoláme zavoláte zavolají zavolal", "D", kPerson, kPerson, 0},
    {"fetch fetches fetched fetched fetching", "", "holen hole holst holt holt holte geholt", "ab- A",
     "vyzvedávat vyzvedávám vyzvedáváš vyzvedává vyzvedáváme vyzvedáváte vyzvedávají vyzvedával",
     "vyzvednout vyzvednu vyzvedneš vyzvedne vyzvedneme vyzvednete vyzvednou vyzvedl", "A", kPerson, kPerson | kGoods, kPassive | kNoProgressive},
    {"bring brings brought brought bringing", "", "bringen bringe bringst bringt bringt brachte gebracht", "mit- A",
     "přinášet přináším přinášíš přináší přinášíme přinášíte přinášejí přinášel",
     "přinést přinesu přineseš přinese přineseme přinesete přinesou přinesl", "A", kPerson, kGoods | kReadable, kPassive | kNoProgressive},
    {"eat eats ate eaten eating", "", "essen esse isst isst esst aß gegessen", "A",
     "jíst jím jíš jí jíme jíte jedí jedl",
     "sníst sním sníš sní sníme sníte snědí snědl", "A", kPerson, kEdible, kPassive | kMannered},
    {"cook cooks cooked cooked cooking", "", "kochen koche kochst kocht kocht kochte gekocht", "A",
     "vařit vařím vaříš vaří vaříme vaříte vaří vařil",
     "uvařit uvařím uvaříš uvaří uvaříme uvaříte uvaří uvařil", "A", kPerson, kEdible, kPassive | kMannered},
    {"love loves loved loved loving", "", "lieben liebe liebst liebt liebt liebte geliebt", "A",
     "milovat miluji miluješ miluje milujeme milujete milují miloval", "", "A", kAnimate, kAnimate, kNoProgressive | kState},
    {"know knows knew known knowing", "", "kennen kenne kennst kennt kennt kannte gekannt", "A",
     "znát znám znáš zná známe znáte znají znal", "", "A", kPerson, kPerson | kTold, kNoProgressive | kState},
    {"need needs needed needed needing", "", "brauchen brauche brauchst braucht braucht brauchte gebraucht", "A",
     "potřebovat potřebuji potřebuješ potřebuje potřebujeme potřebujete potřebují potřeboval", "", "A", kPerson, kGoods | kMachine | kPerson, kNoProgressive | kState},
    {"visit visits visited visited visiting", "", "besuchen besuche besuchst besucht besucht besuchte besucht", "A",
     "navštěvovat navštěvuji navštěvuješ navštěvuje navštěvujeme navštěvujete navštěvují navštěvoval",
     "navštívit navštívím navštívíš navštíví navštívíme navštívíte navštíví navštívil", "A", kPerson, kPerson, kPassive},
    {"repair repairs repaired repaired repairing", "", "reparieren repariere reparierst repariert repariert reparierte repariert", "A",
     "opravovat opravuji opravuješ opravuje opravujeme opravujete opravují opravoval",
     "opravit opravím opravíš opraví opravíme opravíte opraví opravil", "A", kPerson, kMachine, kPassive | kMannered},
    {"help helps helped helped helping", "", "helfen helfe hilfst hilft helft half geholfen", "D",
     "pomáhat pomáhám pomáháš pomáhá pomáháme pomáháte pomáhají pomáhal",
     "pomoct pomůžu pomůžeš pomůže pomůžeme pomůžete pomůžou pomohl", "D", kPerson, kAnimate, 0},
    {"thank thanks thanked thanked thanking", "", "danken danke dankst dankt dankt dankte gedankt", "D",
     "děkovat děkuji děkuješ děkuje děkujeme děkujete děkují děkoval",
     "poděkovat poděkuji poděkuješ poděkuje poděkujeme poděkujete poděkují poděkoval", "D", kPerson, kPerson, kNoProgressive},
    {"wait waits waited waited waiting", "for", "warten warte wartest wartet wartet wartete gewartet", "auf+A",
     "čekat čekám čekáš čeká čekáme čekáte čekají čekal",
     "počkat počkám počkáš počká počkáme počkáte počkají čekal", "na+A", kPerson, kPerson | kVehicle, 0},
    {"think thinks thought thought thinking", "of", "denken denke denkst denkt denkt dachte gedacht", "an+A",
     "myslet myslím myslíš myslí myslíme myslíte myslí myslel", "", "na+A", kPerson, kPerson, 0},
    {"talk talks talked talked talking", "about", "sprechen spreche sprichst spricht sprecht sprach gesprochen", "über+A",
     "mluvit mluvím mluvíš mluví mluvíme mluvíte mluví mluvil", "", "o+L", kPerson, kPerson | kReadable | kTold, 0},
    {"fear fears feared feared fearing", "", "fürchten fürchte fürchtest fürchtet fürchtet fürchtete gefürchtet", "sich vor+D",
     "bát bojím bojíš bojí bojíme bojíte bojí bál", "", "se G", kAnimate, kAnimate, kNoProgressive | kState},
    {"remember remembers remembered remembered remembering", "", "erinnern erinnere erinnerst erinnert erinnert erinnerte erinnert", "sich an+A",
     "vzpomínat vzpomínám vzpomínáš vzpomíná vzpomínáme vzpomínáte vzpomínají vzpomínal",
     "vzpomenout vzpomenu vzpomeneš vzpomene vzpomeneme vzpomenete vzpomenou vzpomněl", "si na+A", kPerson, kPerson | kTold, kNoProgressive},
    {"look looks looked looked looking", "forward to", "freuen freue freust freut freut freute gefreut", "sich auf+A",
     "těšit těším těšíš těší těšíme těšíte těší těšil", "", "se na+A", kPerson, kPerson | kReadable | kEdible, 0},
    {"laugh laughs laughed laughed laughing", "at", "lachen lache lachst lacht lacht lachte gelacht", "über+A",
     "smát směji směješ směje smějeme smějete smějí smál",
     "zasmát zasměji zasměješ zasměje zasmějeme zasmějete zasmějí zasmál", "se D", kPerson, kPerson | kTold, 0},
    {"play plays played played playing", "with", "spielen spiele spielst spielt spielt spielte gespielt", "mit+D",
     "hrát hraji hraješ hraje hrajeme hrajete hrají hrál", "", "si s+I", kAnimate, kHuman | kAnimal, 0},

    {"sleep sleeps slept slept sleeping", "", "schlafen schlafe schläfst schläft schlaft schlief geschlafen", "",
     "spát spím spíš spí spíme spíte spí spal", "", "", kAnimate, 0, kStationary},
    {"run runs ran run running", "", "laufen laufe läufst läuft lauft lief gelaufen", "sein",
     "běhat běhám běháš běhá běháme běháte běhají běhal", "", "", kAnimate, 0, kStationary | kMannered},
    {"sit sits sat sat sitting", "", "sitzen sitze sitzt sitzt sitzt saß gesessen", "",
     "sedět sedím sedíš sedí sedíme sedíte sedí seděl", "", "", kAnimate, 0, kStationary},
    {"stand stands stood stood standing", "", "stehen stehe stehst steht steht stand gestanden", "",
     "stát stojím stojíš stojí stojíme stojíte stojí stál", "", "", kAnimate | kLandmark, 0, kStationary},
    {"work works worked worked working", "", "arbeiten arbeite arbeitest arbeitet arbeitet arbeitete gearbeitet", "",
     "pracovat pracuji pracuješ pracuje pracujeme pracujete pracují pracoval", "", "", kPerson, 0, kStationary | kMannered},
    {"sing sings sang sung singing", "", "singen singe singst singt singt sang gesungen", "",
     "zpívat zpívám zpíváš zpívá zpíváme zpíváte zpívají zpíval", "", "", kPerson, 0, kStationary | kMannered},
    {"dance dances danced danced dancing", "", "tanzen tanze tanzt tanzt tanzt tanzte getanzt", "",
     "tančit tančím tančíš tančí tančíme tančíte tančí tančil", "", "", kPerson, 0, kStationary | kMannered},
    {"cry cries cried cried crying", "", "weinen weine weinst weint weint weinte geweint", "",
     "plakat pláču pláčeš pláče pláčeme pláčete pláčou plakal", "", "", kHuman | kName, 0, kStationary},
    {"get gets got got getting", "up", "stehen stehe stehst steht steht stand gestanden", "auf- sein",
     "vstávat vstávám vstáváš vstává vstáváme vstáváte vstávají vstával",
     "vstát vstanu vstaneš vstane vstaneme vstanete vstanou vstal", "", kAnimate, 0, 0},
    {"fall falls fell fallen falling", "asleep", "schlafen schlafe schläfst schläft schlaft schlief geschlafen", "ein- sein",
     "usínat usínám usínáš usíná usínáme usínáte usínají usínal",
     "usnout usnu usneš usne usneme usnete usnou usnul", "", kAnimate, 0, 0},
    {"arrive arrives arrived arrived arriving", "", "kommen komme kommst kommt kommt kam gekommen", "an- sein",
     "přijíždět přijíždím přijíždíš přijíždí přijíždíme přijíždíte přijíždějí přijížděl",
     "přijet přijedu přijedeš přijede přijedeme přijedete přijedou přijel", "", kPerson | kVehicle, 0, 0},
    {"leave leaves left left leaving", "", "gehen gehe gehst geht geht ging gegangen", "weg- sein",
     "odcházet odcházím odcházíš odchází odcházíme odcházíte odcházejí odcházel",
     "odejít odejdu odejdeš odejde odejdeme odejdete odejdou odešel", "", kPerson, 0, 0},
    {"come comes came come coming", "back", "kommen komme kommst kommt kommt kam gekommen", "zurück- sein",
     "vracet vracím vracíš vrací vracíme vracíte vracejí vracel",
     "vrátit vrátím vrátíš vrátí vrátíme vrátíte vrátí vrátil", "se", kAnimate | kVehicle, 0, 0},
    {"rest rests rested rested resting", "", "ruhen ruhe ruhst ruht ruht ruhte geruht", "aus- sich",
     "odpočívat odpočívám odpočíváš odpočívá odpočíváme odpočíváte odpočívají odpočíval", "", "", kAnimate, 0, kStationary},
    {"sit sits sat sat sitting", "down", "setzen setze setzt setzt setzt setzte gesetzt", "hin- sich",
     "sedat sedám sedáš sedá sedáme sedáte sedají sedal",
     "sednout sednu sedneš sedne sedneme sednete sednou sedl", "si", kAnimate, 0, kNoProgressive},
    {"smile smiles smiled smiled smiling", "", "lächeln lächle lächelst lächelt lächelt lächelte gelächelt", "",
     "usmívat usmívám usmíváš usmívá usmíváme usmíváte usmívají usmíval",
     "usmát usměji usměješ usměje usmějeme usmějete usmějí usmál", "se", kPerson, 0, 0},
  });
}

std::vector<Verb> make_transfers() {
  return verbs_of({
    {"give gives gave given giving", "", "geben gebe gibst gibt gebt gab gegeben", "A",
     "dávat dávám dáváš dává dáváme dáváte dávají dával",
     "dát dám dáš dá dáme dáte dají dal", "A", kPerson, kGoods | kReadable, 0},
    {"show shows showed shown showing", "", "zeigen zeige zeigst zeigt zeigt zeigte gezeigt", "A",
     "ukazovat ukazuji ukazuješ ukazuje ukazujeme ukazujete ukazují ukazoval",
     "ukázat ukážu ukážeš ukáže ukážeme ukážete ukážou ukázal", "A", kPerson, kGoods | kReadable | kMachine | kAnimal, 0},
    {"send sends sent sent sending", "", "schicken schicke schickst schickt schickt schickte geschickt", "A",
     "posílat posílám posíláš posílá posíláme posíláte posílají posílal",
     "poslat pošlu pošleš pošle pošleme pošlete pošlou poslal", "A", kPerson, kGoods | kReadable, 0},
    {"lend lends lent lent lending", "", "leihen leihe leihst leiht leiht lieh geliehen", "A",
     "půjčovat půjčuji půjčuješ půjčuje půjčujeme půjčujete půjčují půjčoval",
     "půjčit půjčím půjčíš půjčí půjčíme půjčíte půjčí půjčil", "A", kPerson, kGoods | kMachine, 0},
    {"tell tells told told telling", "", "erzählen erzähle erzählst erzählt erzählt erzählte erzählt", "A",
     "vyprávět vyprávím vyprávíš vypráví vyprávíme vyprávíte vyprávějí vyprávěl", "", "A", kPerson, kTold, 0},
  });
}

std::vector<Verb> make_thoughts() {
  return verbs_of({
    {"say says said said saying", "", "sagen sage sagst sagt sagt sagte gesagt", "",
     "říkat říkám říkáš říká říkáme říkáte říkají říkal",
     "říct řeknu řekneš řekne řekneme řeknete řeknou řekl", "", kPerson, 0, 0},
    {"know knows knew known knowing", "", "wissen weiß weißt weiß wisst wusste gewusst", "",
     "vědět vím víš ví víme víte vědí věděl", "", "", kPerson, 0, 0},
    {"believe believes believed believed believing", "", "glauben glaube glaubst glaubt glaubt glaubte geglaubt", "",
     "věřit věřím věříš věří věříme věříte věří věřil", "", "", kPerson, 0, 0},
    {"hope hopes hoped hoped hoping", "", "hoffen hoffe hoffst hofft hofft hoffte gehofft", "",
     "doufat doufám doufáš doufá doufáme doufáte doufají doufal", "", "", kPerson, 0, 0},
    {"think thinks thought thought thinking", "", "denken denke denkst denkt denkt dachte gedacht", "",
     "myslet myslím myslíš myslí myslíme myslíte myslí myslel", "", "si", kPerson, 0, 0},
  });
}

std::vector<Verb> make_undertakings() {
  return verbs_of({
    {"try tries tried tried trying", "", "versuchen versuche versuchst versucht versucht versuchte versucht", "",
     "zkoušet zkouším zkoušíš zkouší zkoušíme zkoušíte zkoušejí zkoušel",
     "zkusit zkusím zkusíš zkusí zkusíme zkusíte zkusí zkusil", "", kPerson, 0, 0},
    {"forget forgets forgot forgotten forgetting", "", "vergessen vergesse vergisst vergisst vergesst vergaß vergessen", "",
     "zapomínat zapomínám zapomínáš zapomíná zapomínáme zapomínáte zapomínají zapomínal",
     "zapomenout zapomenu zapomeneš zapomene zapomeneme zapomenete zapomenou zapomněl", "", kPerson, 0, 0},
    {"begin begins began begun beginning", "", "fangen fange fängst fängt fangt fing gefangen", "an-",
     "začínat začínám začínáš začíná začínáme začínáte začínají začínal",
     "začít začnu začneš začne začneme začnete začnou začal", "", kPerson, 0, kPhase},
    {"promise promises promised promised promising", "", "versprechen verspreche versprichst verspricht versprecht versprach versprochen", "",
     "slibovat slibuji slibuješ slibuje slibujeme slibujete slibují sliboval",
     "slíbit slíbím slíbíš slíbí slíbíme slíbíte slíbí slíbil", "", kPerson, 0, 0},
  });
}

// Imperfective: repeated; perfective: the single way there.
std::vector<Verb> make_motions() {
  return verbs_of({
    {"go goes went gone going", "", "gehen gehe gehst geht geht ging gegangen", "sein",
     "chodit chodím chodíš chodí chodíme chodíte chodí chodil",
     "jít půjdu půjdeš půjde půjdeme půjdete půjdou šel", "", kAnimate, 0, kNoProgressive},
    {"run runs ran run running", "", "laufen laufe läufst läuft lauft lief gelaufen", "sein",
     "běhat běhám běháš běhá běháme běháte běhají běhal",
     "běžet poběžím poběžíš poběží poběžíme poběžíte poběží běžel", "", kAnimate, 0, kNoProgressive},
  });
}
// clang-format on

Verb make_be() {
  Verb be = verbs_of({{"be is was been being", "", "sein bin bist ist seid war gewesen", "sein",
                       "být jsem jsi je jsme jste jsou byl",
                       "být budu budeš bude budeme budete budou byl", "", kAnimate | kThing, 0,
                       kNoProgressive}})
                .front();
  be.german.present = {"bin", "bist", "ist", "sind", "seid", "sind"};
  return be;
}

}  // namespace dietmt::data
