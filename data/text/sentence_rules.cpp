#include "data/text/sentence_rules.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "data/text/text_characters.h"

namespace dietmt::data {
namespace {

// Words separated by spaces.
struct Table {
  std::string_view language;
  std::string_view inside, before_number, anywhere;
  std::string_view starters = {};
  bool ordinals = false;
};

constexpr Table kTables[] = {
    {.language = "bg",
     .inside =
         "г-н г-жа г-ца д-р проф акад доц инж арх ген полк кап ул бул пл кв бл вх ап ет св гр "
         "обл общ т.нар т.е напр вж срв чл ал т стр с ок",
     .before_number = "№ бр",
     .anywhere = "др пр т.н и.т.н г гг в вв лв ст хил млн млрд мин сек кг км бълг англ нем фр рус",
     .starters =
         "Той Тя То Те Ние Вие Аз Това Тези Този Тази В На За По От До С Със И Но А Ако Като "
         "Когато Как Какво Кой Къде Защо След Според Освен При Не Да Има Така Обаче"},
    {.language = "cs",
     .inside =
         "p pí pan dr prof doc ing mgr bc judr mudr rndr phdr paedr thdr thlic arch gen plk "
         "pplk kpt mjr por sv tzv tj tzn např resp popř příp zejm mj např kupř srov viz ul nám "
         "tř tel st ml čs čes angl něm lat fr ital rus řec hl obv odd red vyd přel ed hl "
         "jm zvl",
     .before_number = "č čís str s odst čl kap obr tab par sv roč §",
     .anywhere =
         "atd apod aj kol r stol tis mil mld min hod kč km cm kg př.n.l n.l a.s s.r.o o.p.s "
         "spol",
     .starters =
         "Ten Ta To Ti Ty Je Jsou Byl Byla Bylo Byli Já My Vy On Ona Ono Oni V Ve Na Za Po Od "
         "Do S Se Z Ze K Ke O U A Ale I Jak Co Kdo Kde Kdy Proč Když Pokud Podle Při Před "
         "Tento Tato Toto Tak Ani Není Jeho Její Jejich",
     .ordinals = true},
    {.language = "da",
     .inside =
         "hr fr dr prof lic cand stud mag ing adv kapt gen bl.a f.eks fx dvs jf cf ca evt inkl "
         "ekskl max min jvf mht pga ifm ift vedr tlf adr sct skt st gl f fhv int iflg såk nuv "
         "tidl overs red udg resp p.t p.g.a m.h.t hhv eng ty fr lat",
     .before_number = "nr s sp bd kap fig stk pkt tab art §",
     .anywhere = "osv o.l o.lign m.m m.fl m.v mv mio mia kr kl pct stk jr sen a/s d.å",
     .starters =
         "Den Det De Der Han Hun Vi Jeg Du I Man På For Til Med Af Fra Ved Om Men Og Så Når Da "
         "Hvis Hvad Hvor Hvem Hvordan Denne Dette Disse Efter Også En Et Her Nu",
     .ordinals = true},
    {.language = "de",
     .inside =
         "dr prof hr hrn fr frl dipl ing mag lic med phil jur theol rer nat habil st hl sr bzw "
         "vgl z z.b d.h u.a u.u i.d.r i.a o.ä m.e s.u s.o sog sogen evtl ggf inkl exkl zzgl "
         "max min ca geb gest verh verst kath ev röm griech lat engl frz franz dt span ital russ "
         "amerik österr schweiz europ int nat ehem ehm jap chin türk bes insb insbes allg "
         "eigtl urspr entspr etwa ges gen gem gez hrsg vol red übers verf zit zw zz zzt z.zt "
         "str tel telef fa adr bspw beisp vs mind jew jmd jmdm jmdn od abzgl "
         "abs bearb südl nördl westl östl gegr sen jr jun oblt lt hptm gen maj mr mrs ms",
     .before_number =
         "nr nrn abb bd bde art abs kap s tab fig ziff rn rdnr rz lfd bl anm kl jg vers "
         "seite ausg §",
     .anywhere =
         "usw etc usf ff f jan feb mär apr jun jul aug sep sept okt nov dez mio mrd tsd std "
         "sek stk u.s.w n.chr v.chr co inc ltd corp a.d e.v a.m d.j d.m u.ä p.a jhd jh jhs",
     .starters =
         "Der Die Das Den Dem Des Ein Eine Einer Einem Einen Er Sie Es Wir Ich Ihr Man In Im "
         "Am An Auf Aus Bei Für Mit Nach Von Vor Zu Zum Zur Und Aber Oder Doch Wenn Als Da "
         "Dann Danach Dies Diese Dieser Dieses Damit Dabei Dort Hier Heute Auch So Was Wer "
         "Wie Wo Warum Sein Seine Seit Nun Noch Nur Nicht Kein Keine Alle Jetzt Weil Während "
         "Unter Über Um Durch Bis Ob",
     .ordinals = true},
    {.language = "el",
     .inside =
         "κ κα κος κ.κ δρ καθ κ.λπ αγ αρ βλ πρβλ δηλ π.χ λ.χ τηλ οδ λεωφ ταχ μτφ εκδ επιμ στρ "
         "σμ υπ",
     .before_number = "σελ σ τομ τ άρθρ παρ κεφ εικ αριθ",
     .anywhere = "κλπ κ.ά κ.α κ.λ.π κτλ π.μ μ.μ μ.χ π.χ.χ χλμ εκατ δισ α.ε ε.π.ε",
     .starters =
         "Ο Η Το Οι Τα Τον Την Του Της Των Στο Στη Στην Στον Στα Στις Στους Ένας Μια Ένα Αυτός "
         "Αυτή Αυτό Και Αλλά Αν Όταν Όπως Πώς Τι Ποιος Πού Γιατί Με Για Από Σε Θα Δεν Να "
         "Είναι Εγώ Εμείς Εσείς"},
    {.language = "en",
     .inside =
         "Mr Mrs Ms Messrs Mme Mlle dr prof st mt ft gen sen rep gov lt col sgt cpl maj capt cmdr "
         "adm brig rev hon pres supt det sr insp supt fr bro e.g i.e eg ie cf vs viz approx ca "
         "pvt pfc sp amb asst assoc dept dist pref gd mssrs ave blvd rd hwy tpk expy mfg inst "
         "univ natl intl hrs ext est tel msgr atty treas cpt comdr drs hr",
     .before_number =
         "no nos n° p pp pop fig figs vol vols art sec secs ch chap eq eqs tab ver par para pt "
         "ref refs tel ext ed eds op bk ex apt rm rev sess cir jan feb mar apr jun jul "
         "aug sep sept oct nov dec",
     .anywhere =
         "inc ltd co corp bros jr sr et.al al etc esq ph.d m.d b.a m.a b.sc m.sc d.c "
         "min max a.d b.c u.s u.k u.n e.u u.s.a jan feb mar apr jun jul aug sep sept oct nov dec "
         "mon "
         "tue tues wed thu thur thurs fri sat sun llc plc cos ariz calif colo conn fla ga ill "
         "ind kan ky la md mich minn mo mont neb nev okla ore pa penn tenn tex va vt wash wis "
         "wyo mass miss ala ark del",
     .starters =
         "The A An It He She They We I You This That These Those There Here In On At By For "
         "From With To As If When While After Before Since Although Because But And Or So "
         "However Then Now How What Who Where Why Which Is Are Was Were Do Does Did Can Could "
         "Will Would Should Have Has Had His Her Its Their Our My Your No Not One Some Many "
         "Most All Also Another Both Each Every Under Please Let It's He's She's They're I'm "
         "We're That's There's Don't Thus Therefore Yet"},
    {.language = "es",
     .inside =
         "sr sra srta sres dr dra drs prof profa d da ud uds vd vds lic ing arq gral cnel cap "
         "tte sgto mons fr sto sta avda av c ctra pza tel p.ej ej aprox dpto depto admón mt cía "
         "núms vs",
     .before_number = "pág págs p pp núm nº n° no n párr párrf lun mié jue vie sáb dom ene feb abr "
                      "may jun jul ago sept oct nov dic mar art arts cap fig vol t tel km s sec",
     .anywhere =
         "etc ee ee.uu a.c d.c a.m p.m s.a s.l inc ltd jr c.v ss.mm cía máx mín min hnos co",
     .starters =
         "El La Los Las Un Una Unos Unas Lo Él Ella Ellos Ellas Nosotros Yo Tú Usted Este Esta "
         "Esto Estos Estas Ese Esa Eso Aquel En De Del Al A Por Para Con Sin Sobre Desde Hasta "
         "Y O Pero Si Cuando Como Cómo Qué Quién Dónde Cuándo No Se Su Sus Es Fue Son También "
         "Tras Según Entre Así Además Aunque Hay"},
    {.language = "et",
     .inside =
         "hr pr prl dr prof dots mag kd nt nn st s.o s.t vt vrd lk tel tn pst mnt kpt kol ltn "
         "kindr san end",
     .before_number = "nr lk ptk joon kd",
     .anywhere =
         "jne jm jms jpm ca u a aa eKr pKr e.m.a m.a.j mln mld tuh kl nov dets jaan veebr okt "
         "sept aug",
     .starters =
         "See Need Ta Tema Nad Nemad Ma Mina Me Meie Te Sa On Oli Ei Ja Aga Kuid Kui Kuidas Mis "
         "Kes Kus Millal Miks Siis Nii Ka Selle Seda Sel Selles Eesti Praegu Samas",
     .ordinals = true},
    {.language = "fi",
     .inside =
         "hra rva nti tri dr prof dos maist esim ts so s.o ns nk ks vrt mm ko ao em edv ent toim "
         "suom engl saks ruots ven lat puh os srk kapt ev kenr",
     .before_number = "s nro n luku kpl klo sivu",
     .anywhere = "jne ym yms tms eaa jaa eKr jKr mrk milj mrd min sek oy ab vsk v",
     .starters =
         "Se Ne Hän He Minä Me Te Sinä Tämä Nämä Tuo Ja Mutta Jos Kun Kuinka Mikä Kuka Missä "
         "Miksi Milloin Niin Myös Ei On Oli Sitten Nyt Siellä Tässä Tämän Sen Hänen Vaikka",
     .ordinals = true},
    {.language = "fr",
     .inside =
         "M MM Mme Mmes Mlle Mlles Me Mgr dr pr prof st ste sts cf c.-à-d c.à.d p.ex ex av bd boul "
         "fg env env.s hab tél apr cap col cdt gal gén lt adj sgt rév réf trad dir éd coll "
         "vs resp ing r.p s.a.r",
     .before_number = "p pp art n no nos nº n° vol chap fig t tab al § sect",
     .anywhere =
         "etc j.-c J.-C inc ltée ltd cie jr janv févr avr juil sept oct nov déc s.a a.m p.m min "
         "max",
     .starters =
         "Le La Les L Un Une Des Il Elle Ils Elles On Nous Vous Je Tu Ce Cette Ces Cet C Ça Cela "
         "En Dans Sur Sous Par Pour Avec Sans De Du D À Au Aux Et Ou Mais Si Quand Comme Comment "
         "Que Qui Où Pourquoi Son Sa Ses Leur Leurs Après Avant Selon Depuis Ainsi Aussi "
         "Toutefois Cependant Ne Y Lors Plus"},
    {.language = "ga",
     .inside = "an.t uas dr ollamh iml cf m.sh lch fch vs l lgh",
     .before_number = "uimh lch alt cuid ll",
     .anywhere = "srl etc r.ch i.n teo ltd a.m p.m",
     .starters =
         "Tá Bhí Is Ní An Na Ba Sa San I Ar Ag Do Le Ach Agus Má Nuair Cé Cad Conas Seo Sin Sé Sí "
         "Siad Níl Níor Beidh"},
    {.language = "hr",
     .inside =
         "g gđa gđica gosp dr prof doc mr mr.sc dr.sc dipl ing inž akad gen puk bojn sv tzv tj npr "
         "odn usp v sl ul trg tel o engl njem lat fr franc tal rus",
     .before_number = "br str čl st sv knj god pog sl al toč",
     .anywhere =
         "itd i.sl isl i.dr dr d.o.o d.d mil mlrd tis kn sati min km pr.Kr po.Kr n.e p.n.e st god",
     .starters =
         "On Ona Ono Oni One Mi Vi Ja Ti To Ta Taj Ovo Ova Ovaj U Na Za Po Od Do S Sa Iz K O I A "
         "Ali Ako Kad Kada Kako Što Tko Gdje Zašto Jer Nakon Prema Prije Također Je Su Nije "
         "Bio Bila Bilo Međutim",
     .ordinals = true},
    {.language = "hu",
     .inside =
         "dr prof ifj id özv pl ill ún u.n vö ld ti kb gr br szt alez őrgy ezr hdgy vezérőrgy "
         "sz.ú ford szerk fszla ang ném lat fr ol or",
     .before_number = "sz old o §  fej köt par",
     .anywhere =
         "stb kft bt rt zrt nyrt ker u út krt du de i.e i.sz kr.e kr.u évf m ft min db jan febr "
         "márc ápr máj jún júl aug szept okt nov dec",
     .starters =
         "A Az Egy Ez Ezek Azok Ő Ők Mi Én Te Ti És De Ha Hogy Hogyan Mikor Ki Mit Hol Miért Nem "
         "Van Volt Is Majd Most Itt Ott Így Úgy Akkor Ezért Azonban Pedig Még Már Csak Szerinte",
     .ordinals = true},
    {.language = "it",
     .inside = "sig sigg sig.ra sig.na sigra signa dott dott.ssa dr dr.ssa prof prof.ssa avv ing "
               "arch geom "
               "rag on sen gen col cap ten mons s ss sto cfr es p.es v vd tel c.a ca c.so "
               "v.le p.za p.zza egr gent spett ill rev cav comm uff dir psicol",
     .before_number = "p pp pag pagg art artt n nn num cap fig vol voll t tel co § par",
     .anywhere =
         "ecc etc a.c d.c s.p.a s.r.l spa srl co inc ltd jr ag gen feb mar apr mag giu lug set ott "
         "nov dic a.m p.m",
     .starters =
         "Il Lo La I Gli Le L Un Uno Una Un' Egli Ella Lui Lei Loro Noi Voi Io Tu Questo Questa "
         "Questi Queste Quello Quella In Nel Nella Nei Di Del Della A Al Alla Da Dal Dalla Con "
         "Su Sul Sulla Per Tra Fra E Ed Ma O Se Quando Come Che Chi Dove Perché Non Si È Era "
         "Sono Dopo Prima Secondo Anche Così Inoltre"},
    {.language = "lt",
     .inside =
         "p pp ponas dr prof doc akad gen plk kpt mjr ltn inž g gatv pr al a vyr st jaun š.m t.y "
         "t.t "
         "pvz plg žr vad vid lot angl vok pranc rus lenk liet sav raj r aps apskr vlsč k mstl "
         "tel",
     .before_number = "nr psl p str sk pav lent t d kn",
     .anywhere = "m d val min sek mln mlrd tūkst eur lt ir.kt kt pan ir.pan etc a.s h proc",
     .starters =
         "Jis Ji Jie Jos Mes Jūs Aš Tu Tai Šis Ši Šie Šios Tas Ta Tie Bet O Ir Jei Kai Kaip Kas "
         "Kur "
         "Kodėl Nes Po Prie Pagal Į Iš Su Be Už Apie Taip Nuo Iki Yra Buvo Nėra Dabar Todėl"},
    {.language = "lv",
     .inside =
         "k kgs kdze kundze dr prof doc akad ģen plkv kpt inž sv t.s t.i t.sk piem sal sk resp "
         "angļu vāc lat fr krievu ielas tel",
     .before_number = "nr lpp p panta att tab sēj",
     .anywhere = "utt u.tml u.c g gs gadsimta milj mljrd tūkst plkst m.ē p.m.ē",
     .starters = "Viņš Viņa Viņi Viņas Mēs Jūs Es Tu Tas Tā Tie Tās Šis Šī Šie Šīs Bet Un Ja Kad "
                 "Kā Kas Kur "
                 "Kāpēc Jo Pēc Pirms No Uz Ar Par Pie Tad Arī Nav Ir Bija Taču Tomēr",
     .ordinals = true},
    {.language = "mt",
     .inside = "sur sra dr prof onor mons perit kap eż p.eż ara ċ tel vs cf",
     .before_number = "nru n paġ p art ara kap",
     .anywhere = "eċċ etc ltd a.m p.m q.k w.k",
     .starters =
         "Il L Ir Is It In Id Ix Iż Dan Din Dawn Hu Hi Huma Aħna Intom Jien Int Meta Jekk Kif X "
         "Min Fejn Għaliex Imma U Iżda Mill Fl Fil Għal Ma Hemm Kien Kienet"},
    {.language = "nl",
     .inside =
         "dhr mevr mw mej dr drs prof ir ing mr bc ds em gebr gen kol kap lt luit maj st bijv b.v "
         "d.w.z o.a m.a.w m.n t.o.v i.p.v i.v.m z.g z.i a.d m.b.t n.a.v t.a.v t.b.v v.d "
         "resp evt incl excl ca vgl zgn z.g.n zg nl vnl wsch red vert uitg geb gest tel fam "
         "afd div alg burg wed wethouder min pres secr",
     .before_number = "nr nrs blz p pag art afb fig hfst par deel dl",
     .anywhere =
         "enz etc e.d jr sr n.chr v.chr b.v n.v vzw mln mld c.s a.u.b jl e.a jan feb febr mrt apr "
         "aug sept okt nov dec u min sec",
     .starters =
         "De Het Een Hij Zij Ze Wij We Ik Jij Je U Dit Dat Deze Die Er In Op Aan Bij Voor Met Van "
         "Uit Naar Te Om Door Over En Maar Of Als Toen Toch Dan Daar Hier Nu Ook Zo Wat Wie "
         "Waar Waarom Hoe Wanneer Na Volgens Niet Geen Is Was Zijn Haar Hun Omdat Sinds"},
    {.language = "no",
     .inside =
         "hr fr dr prof cand lic ing kapt gen bl.a f.eks dvs jf jfr cf ca evt inkl ekskl maks min "
         "ev "
         "vedr tlf st sta resp p.g.a pga m.h.t mht s.k såk iflg ifm ift tidl f gml p.t eng ty fr "
         "lat red overs",
     .before_number = "nr s bd kap fig pkt tab art §",
     .anywhere = "osv o.l m.m m.fl m.v mv mill mrd kr kl pst stk jr sen d.å e.kr f.kr",
     .starters = "Den Det De Der Han Hun Vi Jeg Du Man På For Til Med Av Fra Ved Om Men Og Så Når "
                 "Da Hvis Hva "
                 "Hvor Hvem Hvordan Denne Dette Disse Etter Også En Et Her Nå I",
     .ordinals = true},
    {.language = "pl",
     .inside =
         "p pan pani ks o św bł dr hab prof doc mgr inż lek med red dyr prez płk ppłk gen kpt mjr "
         "por "
         "ppor sierż kpr adm ul al pl os tzw tzn tj np m.in min ok wg ww por zob im ang niem fr "
         "franc łac gr ros hiszp wł czes pol jap red tłum wyd oprac tel kom woj pow gm m.st vel "
         "ob zm ur śp sp",
     .before_number = "nr str s art ust pkt par poz t tom rozdz rys tab rok wyd §",
     .anywhere =
         "itd itp etc r rr w ww godz tys mln mld bln zł gr km kg s.a sp.z.o.o n.e p.n.e jr br mies "
         "sek c.d cdn o.o",
     .starters =
         "On Ona Ono Oni One My Wy Ja Ty To Ten Ta Te Ci W We Na Za Po Od Do Z Ze O U I A Ale "
         "Jeśli "
         "Jeżeli Gdy Kiedy Jak Co Kto Gdzie Dlaczego Czy Nie Jest Są Był Była Było Byli Tak "
         "Także Jednak Przed Przez Dla Przy Według Już Jego Jej Ich Tam Tu Więc",
     .ordinals = true},
    {.language = "pt",
     .inside = "sr sra srs srta dr dra drs prof profa d da eng arq gen cel cap ten sgt pe fr sto "
               "sta av r "
               "trav pç tel p.ex ex aprox min máx depto dept exmo exma ilmo v s",
     .before_number = "pág págs p pp n nº núm art arts cap fig vol t tel km sec",
     .anywhere =
         "etc a.c d.c s.a ltda cia inc ltd jr co e.u.a eua a.m p.m jan fev mar abr mai jun jul ago "
         "set out nov dez",
     .starters =
         "O A Os As Um Uma Uns Umas Ele Ela Eles Elas Nós Eu Tu Você Este Esta Isto Estes Estas "
         "Esse "
         "Essa Isso Aquele Em No Na Nos Nas De Do Da Dos Das Ao À Por Pelo Pela Para Com Sem "
         "Sobre E Ou Mas Se Quando Como Que Quem Onde Porque Não É Foi São Também Após "
         "Segundo Entre Assim Além Embora Há"},
    {.language = "ro",
     .inside = "dl d-l dna d-na dlui dr prof conf lect acad ing arh av gen col cpt lt mr sf str bd "
               "bdul al "
               "șos tel ex de.ex cca cf vs op dvs dv dta m.s",
     .before_number = "nr pag p pp art alin lit vol cap fig tab § sec et ap bl sc",
     .anywhere =
         "etc ș.a ș.a.m.d s.a s.r.l î.hr d.hr a.m p.m mil mld min jr ian feb febr mart apr iun iul "
         "aug sept oct nov dec",
     .starters =
         "El Ea Ei Ele Noi Voi Eu Tu Acest Această Acesta Aceasta Aceste Acești Un O În Din La Pe "
         "De "
         "Cu Fără Pentru Prin Despre Și Sau Dar Dacă Când Cum Ce Cine Unde Nu Este Sunt Era A Au "
         "După Conform Astfel Însă Cele Cei Totuși"},
    {.language = "ru",
     .inside =
         "г-н г-жа гг д-р проф акад доц инж арх ген полк кап св ул пр просп пер пл наб бул ш д кв "
         "корп "
         "стр оф гор с дер пос обл р-н пгт респ им т.е т.н т.к напр см ср англ нем фр лат исп "
         "итал греч рус яп кит тел ред изд сост пер сокр ок прим акц",
     .before_number = "№ п пп ст ч гл рис табл т тт с стр разд вып кн",
     .anywhere = "т.д т.п др пр г гг в вв руб коп тыс млн млрд трлн мин сек час н.э до.н.э кг км "
                 "см экз чел",
     .starters =
         "Он Она Оно Они Мы Вы Я Ты Это Этот Эта Эти Тот Та Те В Во На За По От До С Со Из К О Об "
         "У И "
         "А Но Если Когда Как Что Кто Где Почему Не Был Была Было Были Так Также Однако После "
         "Перед При Для Через Его Её Их Там Здесь Теперь Уже Ещё Все Для Согласно"},
    {.language = "sk",
     .inside =
         "p pani pán dr prof doc ing mgr bc judr mudr rndr phdr paeddr arch gen plk pplk kpt mjr "
         "por sv "
         "tzv t.j tj tzn napr resp príp najmä porov pozri ul nám tr tel st ml slov angl nem lat "
         "fr tal rus gr čes hl odd red vyd prel ed obv zv",
     .before_number = "č čís str s ods čl kap obr tab par zv roč §",
     .anywhere = "atď a.pod apod i kol r stor tis mil mld min hod sk eur km cm kg pred.n.l n.l a.s "
                 "s.r.o spol",
     .starters =
         "Ten Tá To Tí Je Sú Bol Bola Bolo Boli Ja My Vy Ty On Ona Ono Oni V Vo Na Za Po Od Do S "
         "So Z "
         "Zo K Ku O U A Ale I Ak Ako Čo Kto Kde Kedy Prečo Keď Podľa Pri Pred Tento Táto Toto "
         "Tak Ani Nie Jeho Jej Ich",
     .ordinals = true},
    {.language = "sl",
     .inside = "g ga gdč gosp dr prof doc mag dipl ing inž akad gen polk kap sv t.i tj npr oz ul "
               "trg tel st ml "
               "ang angl nem lat fr it rus gr prim prev ur gl t.im",
     .before_number = "št str čl odst pogl sl tab zv let knj",
     .anywhere =
         "itd ipd idr d.o.o d.d mio mrd tis sit eur ur min km l pr.n.št n.št pr.Kr po.Kr ok",
     .starters =
         "On Ona Ono Oni One Mi Vi Jaz Ti To Ta Te V Na Za Po Od Do S Z Iz K O In A Ampak Če Ko "
         "Kako "
         "Kaj Kdo Kje Zakaj Ker Je So Ni Bil Bila Bilo Tudi Vendar Pri Pred Toda Zato Danes",
     .ordinals = true},
    {.language = "sv",
     .inside = "hr fr frk dr prof doc ing kapt gen bl.a t.ex dvs d.v.s jfr cf ca ev evtl inkl exkl "
               "max min resp "
               "ang m.a.o p.g.a pga s.k f.d f.n fr.o.m t.o.m fd d.ä d.y st s:t s:ta tel tfn adr "
               "u.a eng ty fr lat red övers utg",
     .before_number = "nr s sid kap fig tab st bd punkt §",
     .anywhere = "osv o.d o.s.v m.m m.fl etc milj mdr mkr kr kl st jr sen e.kr f.kr",
     .starters =
         "Den Det De Där Han Hon Vi Jag Du Ni Man På För Till Med Av Från Vid Om Men Och Så När Då "
         "Vad "
         "Var Vem Hur Varför Denna Detta Dessa Efter Också En Ett Här Nu I Som Enligt Dock"},
    {.language = "uk",
     .inside =
         "п пан пані д-р проф акад доц інж арх ген полк кап св вул просп пров пл наб бул буд кв "
         "корп м с "
         "смт обл р-н ім т.зв тобто напр див пор англ нім фр лат ісп італ грец укр рос тел ред "
         "вид упоряд т.є",
     .before_number = "№ п пп ст ч гл рис табл т с стор розд вип кн",
     .anywhere = "т.д т.п ін р рр стол ст грн коп тис млн млрд трлн хв сек год н.е до.н.е кг км см",
     .starters =
         "Він Вона Воно Вони Ми Ви Я Ти Це Цей Ця Ці Той Та Те Ті В У На За По Від До З Із Зі Про "
         "Під І "
         "Й А Але Якщо Коли Як Що Хто Де Чому Не Був Була Було Були Так Також Однак Після Перед "
         "При Для Через Його Її Їх Там Тут Тепер Вже Ще Усі Згідно"},
    {.language = "ar", .inside = "د م أ ص.ب", .before_number = "ص ج رقم", .anywhere = "إلخ الخ هـ"},
    {.language = "hi",
     .inside = "डॉ डा श्री प्रो पं मो सं कु",
     .before_number = "नं सं पृ",
     .anywhere = "लि रु प्रा"},
};

constexpr std::string_view kEnglishTimes = "a.m p.m A.M P.M am pm";
constexpr std::string_view kAfterTimes =
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun January "
    "February March April May June July August September October November December Jan Feb Mar Apr "
    "Jun Jul Aug Sep Sept Oct Nov Dec Eastern Central Mountain Pacific EST EDT CST CDT MST MDT PST "
    "PDT ET CT MT PT GMT UTC BST CET CEST Greenwich";
constexpr std::string_view kNames = "Yahoo Joomla Jeopardy Kahoot Yum Wham";

constexpr auto kThaiParticles =
    std::to_array<std::string_view>({"ครับ", "ค่ะ", "คะ", "ครับผม", "จ้ะ", "จ้า", "นะ", "ฮะ", "ไหม"});
constexpr auto kThaiContinuations = std::to_array<std::string_view>(
    {"และ", "หรือ", "ซึ่ง",   "ที่",      "โดย", "เพื่อ",    "เพราะ", "จน",  "แล้ว", "ก็",
     "ว่า",  "คือ",  "เป็น",  "ได้",     "ของ", "ใน",     "จาก",   "ด้วย", "รวม", "ไป",
     "ถึง",  "กับ",  "ให้",   "ประมาณ", "เมื่อ", "แต่",     "จะ",    "มี",   "อยู่",  "อีก",
     "เช่น", "ไม่",  "ตั้งแต่", "สำหรับ",  "(",   "ระหว่าง", "ราว"});

template <typename Words>
Words words_of(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

constexpr auto abbreviations_in = words_of<SentenceRules::Words>;
constexpr auto names_in = words_of<SentenceRules::Names>;

std::map<std::string_view, SentenceRules> all_rules() {
  std::map<std::string_view, SentenceRules> all;
  for (const Table& table : kTables) {
    all[table.language] = {.inside = abbreviations_in(table.inside),
                           .before_number = abbreviations_in(table.before_number),
                           .anywhere = abbreviations_in(table.anywhere),
                           .starters = names_in(table.starters),
                           .names = names_in(kNames),
                           .ordinals = table.ordinals};
  }
  all["en"].times = abbreviations_in(kEnglishTimes);
  all["en"].after_times = names_in(kAfterTimes);
  all["nb"] = all["nn"] = all["no"];
  return all;
}

}  // namespace

bool SentenceRules::Words::has(std::string_view word) const {
  if (contains(word)) return true;
  const Character first = first_character_of(word);
  if (!u_isupper(first.code)) return false;
  std::array<char, U8_MAX_LENGTH> small{};
  int32_t size = 0;
  U8_APPEND_UNSAFE(small.data(), size, u_tolower(first.code));
  return contains(std::string(small.data(), static_cast<size_t>(size)) +
                  std::string(word.substr(first.bytes)));
}

const SentenceRules& SentenceRules::of(std::string_view language) {
  static const std::map<std::string_view, SentenceRules> all = all_rules();
  static const SentenceRules none{.names = names_in(kNames)};
  const auto found = all.find(language.substr(0, language.find_first_of("_-")));
  return found == all.end() ? none : found->second;
}

std::span<const std::string_view> thai_particles() { return kThaiParticles; }
std::span<const std::string_view> thai_continuations() { return kThaiContinuations; }

}  // namespace dietmt::data
