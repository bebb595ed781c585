// Words that decide where sentences end: Germanic, Romance and Celtic languages, and Maltese.

#include "data/text/sentence_words.h"

namespace dietmt::data {
namespace {

constexpr SentenceWords kWesternWords[] = {
    {.language = "da",
     .inside =
         "hr fr dr prof lic cand stud mag ing adv kapt gen bl.a f.eks fx dvs jf cf ca evt inkl "
         "ekskl max min jvf mht pga ifm ift vedr tlf adr sct skt st gl f fhv int iflg såk nuv "
         "tidl overs red udg resp p.t p.g.a m.h.t hhv eng ty fr lat",
     .before_number = "nr no n° s sp bd kap fig stk pkt tab art § jan feb mar apr jun jul aug "
                      "sep sept okt oct nov dec",
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
         "We're That's There's Don't Thus Therefore Yet Today Yesterday Tomorrow Hundreds "
         "Thousands Millions"},
    {.language = "es",
     .inside =
         "sr sra srta sres dr dra drs prof profa d da ud uds vd vds lic ing arq gral cnel cap "
         "tte sgto mons fr sto sta avda av c ctra pza tel p.ej ej aprox dpto depto admón mt cía "
         "núms vs EE",
     .before_number = "pág págs p pp núm nº n° no n párr párrf lun mié jue vie sáb dom ene feb abr "
                      "may jun jul ago sept oct nov dic mar art arts cap fig vol t tel km s sec",
     .anywhere =
         "etc ee ee.uu a.c d.c a.m p.m s.a s.l inc ltd jr c.v ss.mm cía máx mín min hnos co",
     .starters =
         "El La Los Las Un Una Unos Unas Lo Él Ella Ellos Ellas Nosotros Yo Tú Usted Este Esta "
         "Esto Estos Estas Ese Esa Eso Aquel En De Del Al A Por Para Con Sin Sobre Desde Hasta "
         "Y O Pero Si Cuando Como Cómo Qué Quién Dónde Cuándo No Se Su Sus Es Fue Son También "
         "Tras Según Entre Así Además Aunque Hay"},
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
    {.language = "it",
     .inside = "sig sigg sig.ra sig.na sigra signa dott dott.ssa dr dr.ssa prof prof.ssa avv ing "
               "arch geom "
               "rag on sen gen col cap ten mons s ss sto cfr es p.es v vd tel c.a ca c.so "
               "v.le p.za p.zza egr gent spett ill rev cav comm uff dir psicol meteor idraul econ "
               "elettr elettron mecc chim biol geogr giur filos tecn farm archeol agr bot zool "
               "astron teol etim gramm",
     .before_number = "p pp pag pagg art artt n nn num cap fig vol voll t tel co § par",
     .anywhere =
         "ecc etc a.c d.c s.p.a s.r.l spa srl co inc ltd jr ag gen feb mar apr mag giu lug set ott "
         "nov dic a.m p.m",
     .starters =
         "Il Lo La I Gli Le L Un Uno Una Un' Egli Ella Lui Lei Loro Noi Voi Io Tu Questo Questa "
         "Questi Queste Quello Quella In Nel Nella Nei Di Del Della A Al Alla Da Dal Dalla Con "
         "Su Sul Sulla Per Tra Fra E Ed Ma O Se Quando Come Che Chi Dove Perché Non Si È Era "
         "Sono Dopo Prima Secondo Anche Così Inoltre"},
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
         "afd div alg burg wed wethouder min pres secr aanw bez betr onbep vnw znw telw lidw "
         "voegw voorz mv ev",
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
};

}  // namespace

std::span<const SentenceWords> western_sentence_words() { return kWesternWords; }

}  // namespace dietmt::data
