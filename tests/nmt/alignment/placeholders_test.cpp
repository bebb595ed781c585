#include "nmt/alignment/placeholders.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "nmt/alignment/light_markup.h"
#include "nmt/alignment/placeholder_syntax.h"

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlaceholdersTest, OfMessagesAndMarkup) {
  EXPECT_THAT(placeholders_in("%s of %1$-5.2lf, 5%% %(name)s"),
              ElementsAre("%s", "%1$-5.2lf", "%%", "%(name)s"));
  EXPECT_THAT(placeholders_in("{} {0} {name:>3} ${x} {{ user }}"),
              ElementsAre("{}", "{0}", "{name:>3}", "${x}", "{{ user }}"));
  EXPECT_THAT(placeholders_in("<b>a</b><br/> &amp; &#x20;"),
              ElementsAre("<b>", "</b>", "<br/>", "&amp;", "&#x20;"));
  EXPECT_THAT(placeholders_in("<a title=\"File > Save\">it</a> <b it's> <i k='v> x"),
              ElementsAre("<a title=\"File > Save\">", "</a>", "<b it's>", "<i k='v>"));
  EXPECT_THAT(placeholders_in("100 % done, 5% of a < b & c; {open $5"), IsEmpty());
  EXPECT_THAT(placeholders_in("50%-ige, 20%-Abschlag, 100%ige, 50%ní, 100%-a."), IsEmpty());
  EXPECT_THAT(placeholders_in("v1%1$sfoo 3%(name)sX 1%d–2%d 5%s…"),
              ElementsAre("%1$s", "%(name)s", "%d", "%d", "%s"));
  EXPECT_THAT(placeholders_in("5%d %1%s, %d%s 1%1$s"),
              ElementsAre("%d", "%1", "%s", "%d", "%s", "%1$s"));
}

TEST(PlaceholdersTest, MessagesInMessagesOfApple) {
  EXPECT_THAT(placeholders_in("%#@files@ in %2$#@all folders@, %arg of %args, %@"),
              ElementsAre("%#@files@", "%2$#@", "%arg", "%a", "%@"));
}

TEST(PlaceholdersTest, OfTemplates) {
  EXPECT_THAT(placeholders_in("{{ a.b | f: \"x\" }} {{{raw}}} {{#if x}}a{{else}}b{{/if}}"),
              ElementsAre("{{ a.b | f: \"x\" }}", "{{{raw}}}", "{{#if x}}", "{{else}}", "{{/if}}"));
  EXPECT_THAT(placeholders_in("{% if a > {b} %}x{% endif %} {# a note #} {% open"),
              ElementsAre("{% if a > {b} %}", "{% endif %}", "{# a note #}"));
  EXPECT_THAT(placeholders_in("<% if a > 1 %><%= a %><% end %> <a href=\"<%= link %>\">"),
              ElementsAre("<% if a > 1 %>", "<%= a %>", "<% end %>", "<a href=\"<%= link %>\">"));
  EXPECT_THAT(placeholders_in("${a + b} %{name} #{x}"), ElementsAre("${a + b}", "%{name}", "{x}"));
}

TEST(PlaceholdersTest, OfSubtitlesAndNumberedTags) {
  EXPECT_THAT(placeholders_in("{1>a<1}, {b>c<b} {f> {G>"),
              ElementsAre("{1>", "<1}", "{b>", "<b}", "{f>"));
  EXPECT_THAT(placeholders_in("{\\an8}{\\pos(10,20)\\b1}a {\\ b"),
              ElementsAre("{\\an8}", "{\\pos(10,20)\\b1}"));
  EXPECT_THAT(placeholders_in("<0>a</0> <1/> <12 /> if 3 <5 and 6> 4, 1<2"),
              ElementsAre("<0>", "</0>", "<1/>", "<12 />"));
}

TEST(PlaceholdersTest, OfArguments) {
  EXPECT_THAT(
      placeholders_in("{ $x } {$x} { -brand } { -brand(case: \"x\") } { NUMBER($x, d: 2) }"),
      ElementsAre("{ $x }", "{$x}", "{ -brand }", "{ -brand(case: \"x\") }",
                  "{ NUMBER($x, d: 2) }"));
  EXPECT_THAT(placeholders_in("{ \"\" }x { msg.attr } {0:yyyy-MM-dd HH:mm} {n, date, medium}"),
              ElementsAre("{ \"\" }", "{ msg.attr }", "{0:yyyy-MM-dd HH:mm}", "{n, date, medium}"));
  EXPECT_THAT(placeholders_in("{:#?} {user[name]} {0,5:N2}"),
              ElementsAre("{:#?}", "{user[name]}", "{0,5:N2}"));
  EXPECT_THAT(placeholders_in("%1 of %L2, %12.%3%4 %5KB %L6MB %123 %05"),
              ElementsAre("%1", "%L2", "%12", "%3", "%4", "%5", "%L6"));
  EXPECT_THAT(placeholders_in("{ } { a b } {note: a text} {f(x)}"), IsEmpty());
}

TEST(PlaceholdersTest, ChoicesAreWhole) {
  const std::string plural = "{n, plural, =0 {'{' none} one {# file} other {{n} <b>files</b>}}";
  const std::string fluent = "{ $n -> [one] a { $x } *[other] files }";
  const std::string text = "a " + plural + " b " + fluent;
  EXPECT_THAT(placeholders_in(text), ElementsAre(plural, fluent));
  EXPECT_THAT(placeholders_in("{n, select, a {b} c"), ElementsAre("{b}"));
  EXPECT_TRUE(is_choice(plural) && is_choice(fluent));
  EXPECT_FALSE(is_choice("{n, number}") || is_choice("{n}") || is_choice("%s"));
}

// At this size, reading the rest of the line for each one would take minutes.
TEST(PlaceholdersTest, LongLinesOfHalfPlaceholdersTakeLinearTime) {
  constexpr size_t kBytes = 1'000'000;
  for (const std::string part : {"{",
                                 "<",
                                 "[",
                                 "%",
                                 "&",
                                 "$a",
                                 "${",
                                 "%(",
                                 "%{",
                                 "{{",
                                 "{{{",
                                 "{%",
                                 "{#",
                                 "<%",
                                 "</a",
                                 "<a b=\"<a\" b=\"",
                                 "<a b='<%<a b=\"",
                                 "{ ",
                                 "{a,",
                                 "{a,plural,",
                                 "{ $a ->",
                                 "{\\",
                                 "{0:",
                                 "{ \"",
                                 "{A(",
                                 "<0 ",
                                 "%1$",
                                 "{a}",
                                 "<b>",
                                 "%%",
                                 "`",
                                 "``a`",
                                 "*a",
                                 "**a ",
                                 " **a",
                                 "___a",
                                 "__a__",
                                 " _a",
                                 "[a](",
                                 "](",
                                 "[a](b \"",
                                 "[b]",
                                 "[url=",
                                 " :a",
                                 "$1",
                                 "@a",
                                 "#a#",
                                 "a@",
                                 "mailto:",
                                 "a://",
                                 " /a",
                                 "(/a/",
                                 "\\\\a",
                                 "{a,plural,}"}) {
    std::string text;
    while (text.size() < kBytes) text += part;
    const auto found = kept_in(text, KeptKinds::all());
    EXPECT_LE(found.size(), text.size()) << part;
  }
}

TEST(PlaceholdersTest, DollarsEncloseNamesButNoAmounts) {
  EXPECT_THAT(placeholders_in("Open $file_1$ with $program$."),
              ElementsAre("$file_1$", "$program$"));
  EXPECT_THAT(placeholders_in("from $5 to 6$, $HOME and $PATH"), IsEmpty());
}

TEST(PlaceholdersTest, OfFrameworks) {
  EXPECT_THAT(placeholders_in("Deleted :count files (:user_name) :smile: at 12:30, a:b :p :Count"),
              ElementsAre(":count", ":user_name", ":smile:"));
  EXPECT_THAT(placeholders_in("[X0X] of [X12X], [X] [XX] [x1x]"), ElementsAre("[X0X]", "[X12X]"));
  EXPECT_THAT(placeholders_in("__name__ is a__b__ or ___c___ and __d"), ElementsAre("__name__"));
  EXPECT_THAT(placeholders_in("Copied $1 to $2."), ElementsAre("$1", "$2"));
  EXPECT_THAT(placeholders_in("$1 of $20"), IsEmpty());
  EXPECT_THAT(placeholders_in("$2 and $3"), IsEmpty());
  EXPECT_THAT(placeholders_in("$1.50"), IsEmpty());
}

TEST(KeptTextTest, OfPlainText) {
  const auto kept = [](std::string_view text) { return kept_in(text, KeptKinds::plain()); };
  EXPECT_THAT(kept("See https://a.example/%20x, or me@b.org; 100 % of <b> & c."),
              ElementsAre("https://a.example/%20x", "me@b.org"));
  EXPECT_THAT(kept("Ask @name about #topic in README.md or (/etc/fstab) or a/b."),
              ElementsAre("@name", "#topic", "README.md", "/etc/fstab"));
  EXPECT_THAT(kept("Run `make %s` with ``a ` b`` for {0}, `half"),
              ElementsAre("`make %s`", "``a ` b``", "{0}"));
  EXPECT_THAT(kept("请看https://a.example/x。"), ElementsAre("https://a.example/x"));
  EXPECT_THAT(kept("An ordinary sentence: it costs 5 * 3 $, i.e. 50% (see note*)."), IsEmpty());
}

TEST(KeptTextTest, MarkdownInPairs) {
  const auto marks = [](std::string_view text) { return light_markup_in(text, Kept::kMarkdown); };
  EXPECT_THAT(marks("a **b _c_** *d* ~~e~~"),
              ElementsAre("**", "_", "_", "**", "*", "*", "~~", "~~"));
  EXPECT_THAT(marks("***a***"), ElementsAre("**", "*", "*", "**"));
  EXPECT_THAT(marks("2*3*4, a * b * c, snake_case_name, note*, f**k, ****"), IsEmpty());
  EXPECT_THAT(marks("[a [b]](https://x.example) ![c](d.png \"a title\") [e] (f) g](h)"),
              ElementsAre("[", "](https://x.example)", "![", "](d.png \"a title\")"));
}

TEST(KeptTextTest, Bbcode) {
  EXPECT_THAT(
      light_markup_in("[b]a[/b] [url=https://x.example]c[/url] [*] [note] [1] a[i]", Kept::kBbcode),
      ElementsAre("[b]", "[/b]", "[url=https://x.example]", "[/url]", "[*]", "[i]"));
}

TEST(KeptTextTest, KindsByName) {
  EXPECT_EQ(kept_kinds_from("none"), KeptKinds());
  EXPECT_EQ(kept_kinds_from("all"), KeptKinds::all());
  EXPECT_EQ(kept_kinds_from("plain") | Kept::kTags, KeptKinds::all());
  EXPECT_EQ(kept_kinds_from("placeholders,tags"), KeptKinds::markup());
  EXPECT_THROW(kept_kinds_from("urls"), ConfigError);
  EXPECT_THROW(kept_kinds_from(""), ConfigError);
  EXPECT_THAT(kept_in("me@b.org {0} `x` @name", kept_kinds_from("addresses,code")),
              ElementsAre("me@b.org", "`x`"));
}

}  // namespace
}  // namespace dietmt::nmt
