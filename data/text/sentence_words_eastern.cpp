// Words that decide where sentences end: Slavic, Baltic and Uralic languages, Greek, Arabic, Hindi.

#include "data/text/sentence_words.h"

namespace dietmt::data {
namespace {

constexpr SentenceWords kEasternWords[] = {
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
    {.language = "pl",
     .inside =
         "p pan pani ks o św bł dr hab prof doc mgr inż lek med red dyr prez płk ppłk gen kpt mjr "
         "por "
         "ppor sierż kpr adm ul al pl os tzw tzn tj np m.in min ok wg ww por zob im ang niem fr "
         "franc łac gr ros hiszp wł czes pol jap red tłum wyd oprac tel kom woj pow gm m.st vel "
         "ob zm ur śp sp bałt słow germ skand węg ukr białorus starop daw pot geogr hist biol "
         "chem fiz mat techn",
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

}  // namespace

std::span<const SentenceWords> eastern_sentence_words() { return kEasternWords; }

}  // namespace dietmt::data
