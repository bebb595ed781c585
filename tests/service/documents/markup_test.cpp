#include "service/documents/markup.h"

#include <gmock/gmock.h>

#include <chrono>

#include "common/random.h"
#include "tests/common/cpu_cost.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::string& html) {
  std::vector<std::string> all;
  for (const MarkupPart& part : split_markup(html)) {
    if (part.is_text) all.emplace_back(part.raw);
  }
  return all;
}

TEST(MarkupTest, TagsAreNoText) {
  EXPECT_THAT(texts("<p class=\"a > b\">One <b>two</b></p><br/>three"),
              ElementsAre("One ", "two", "three"));
  EXPECT_THAT(texts("a<!-- no <b> text -->b"), ElementsAre("a", "b"));
  EXPECT_THAT(texts("<!DOCTYPE html><?xml?>a"), ElementsAre("a"));
}

TEST(MarkupTest, WhatIsForProgramsStays) {
  EXPECT_THAT(texts("a<script>if (x<y) z();</script>b<STYLE>p {}</style>c"),
              ElementsAre("a", "b", "c"));
}

TEST(MarkupTest, ElementsThatForbidTranslationStay) {
  EXPECT_THAT(texts("a<span translate=\"no\">b <span>c</span> d</span>e"), ElementsAre("a", "e"));
  EXPECT_THAT(texts("a<p class=x TRANSLATE = no >b</p>c"), ElementsAre("a", "c"));
  EXPECT_THAT(texts("a<img translate='no'>b<br>c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(texts("<i translate=\"yes\">b</i><i translate=nope>c</i>"), ElementsAre("b", "c"));
  EXPECT_THAT(texts("a<div translate=\"no\">b"), ElementsAre("a"));
}

TEST(MarkupTest, ElementsInsideAllowTranslationAgain) {
  EXPECT_THAT(texts("a<div translate=no>b<ul translate=yes>c<b>d</b><ul>e</ul></ul>f</div>g"),
              ElementsAre("a", "c", "d", "e", "g"));
  EXPECT_THAT(texts("<i translate=no>a<i translate>b<i translate='no'>c</i>d</i>e</i>f"),
              ElementsAre("b", "d", "f"));
  EXPECT_THAT(texts("<p translate=no>a<br translate=yes>b<script translate=yes>c</script></p>d"),
              ElementsAre("d"));
  EXPECT_THAT(texts("<i title=\"> translate=no\">a</i><i title='' translate=\"no\">b</i>"),
              ElementsAre("a"));
}

TEST(MarkupTest, ElementsEndWithoutTheirEndTag) {
  EXPECT_THAT(texts("<ul><li translate=no>a<li>b</ul>c"), ElementsAre("b", "c"));
  EXPECT_THAT(texts("<ul><li translate=no>a</ul>b"), ElementsAre("b"));
  EXPECT_THAT(texts("<ul><li translate=no>a<ul><li>b</ul>c<li>d</ul>"), ElementsAre("d"));
  EXPECT_THAT(texts("<p translate=no>a<p>b</p><p>c</p>"), ElementsAre("b", "c"));
  EXPECT_THAT(texts("<p translate=no>a<br><i>b</i><div>c</div>"), ElementsAre("c"));
  EXPECT_THAT(texts("<dl><dt translate=no>a<dd>b<dt>c</dl>"), ElementsAre("b", "c"));
  EXPECT_THAT(texts("<table><tr><td translate=no>a<td>b<tr translate=no><td>c<tr>d</table>e"),
              ElementsAre("b", "d", "e"));
  EXPECT_THAT(texts("<table><tr><td translate=no><table><tr><td>a<td>b</table>c<td>d</table>"),
              ElementsAre("d"));
  EXPECT_THAT(texts("<div translate=no>b<p translate=yes>c<p>d</div>e"), ElementsAre("c", "e"));
  EXPECT_THAT(texts("<div><span translate=no>a</div>b"), ElementsAre("b"));
}

TEST(MarkupTest, MisplacedEndTagsEndNoOtherElement) {
  EXPECT_THAT(texts("<b><i translate=no>a</b>b</i>c"), ElementsAre("c"));
  EXPECT_THAT(texts("<b translate=no><i>a</b>b</i>"), ElementsAre("b"));
  EXPECT_THAT(texts("<p translate=no>a</div></span>b</p>c"), ElementsAre("c"));
  EXPECT_THAT(texts("<div><table translate=no><tr><td>a</div>b</table>c"), ElementsAre("c"));
  EXPECT_THAT(texts("<div translate=no><table><tr><td>a</div>b"), ElementsAre("b"));
}

// Markup that ends with the tag of an enclosing element stays between two sentences.
TEST(MarkupTest, AnElementWithoutItsEndTagIsNotInline) {
  const std::vector<MarkupPart> parts = split_markup("a <ul><b translate=no>b</ul> c");
  EXPECT_GE(parts.size(), 3U);
  for (const MarkupPart& part : parts) EXPECT_FALSE(part.is_inline) << part.raw;
}

TEST(MarkupTest, ManyOpenElementsTakeTimeInProportion) {
  const auto make = [](size_t count) {
    std::string html;
    for (size_t i = 0; i < count; ++i) html += "<dl><dt><b translate=no>";
    for (size_t i = 0; i < count; ++i) html += "<i translate=yes></b><dd></u>";
    return html + "<table>" + html;
  };
  EXPECT_LE(cost_growth(10'000, make, [](const std::string& html) { split_markup(html); }),
            kLinearGrowth);
}

// Text inside an element that is not translated is a separate sentence.
TEST(MarkupTest, OnlyWholeElementsAreInline) {
  std::vector<std::string> inline_markup;
  for (const MarkupPart& part :
       split_markup("<b translate=no>a</b> <b translate=no>c<i translate=yes>d <u>e</u></i>f</b>"))
    if (part.is_inline) inline_markup.emplace_back(part.raw);
  EXPECT_THAT(inline_markup, ElementsAre("<b translate=no>a</b>", "<u>", "</u>"));
}

TEST(MarkupTest, PreformattedTextKeepsItsLines) {
  std::vector<std::string> kept;
  for (const MarkupPart& part :
       split_markup("a<PRE class=x>He went home <i>late.</i></PRE>d<br>e<pre>We do not know."))
    if (part.is_text && part.keeps_lines) kept.emplace_back(part.raw);
  EXPECT_THAT(kept, ElementsAre("He went home ", "late.", "We do not know."));
}

TEST(MarkupTest, PreformattedCodeStays) {
  EXPECT_THAT(texts("a<pre>$ apt-get install foo\n  x = 1;\n</pre>b"), ElementsAre("a", "b"));
  EXPECT_THAT(texts("<pre translate=yes>int a;</pre>"), ElementsAre("int a;"));
  EXPECT_THAT(texts("<pre>\u4F60\u597D</pre>"), ElementsAre("\u4F60\u597D"));
}

TEST(MarkupTest, CodeStays) {
  for (const std::string name : {"code", "kbd", "samp", "var", "tt", "svg", "math"}) {
    const std::string html = "a<" + name + ">b<i>c</i></" + name + ">d";
    const std::vector<MarkupPart> parts = split_markup(html);
    ASSERT_EQ(parts.size(), 3U) << name;
    EXPECT_TRUE(parts[1].is_inline) << name;
  }
  EXPECT_THAT(texts("a<code translate=yes>b</code>c"), ElementsAre("a", "b", "c"));
}

TEST(MarkupTest, ClassesAndLanguagesDecide) {
  EXPECT_THAT(texts("<p class='x notranslate\n'>a</p><p class=notranslated>b</p>"),
              ElementsAre("b"));
  const auto translated = [](const std::string& html, const std::string& source) {
    std::string all;
    for (const MarkupPart& part : split_markup(html, {source, "de"}))
      if (part.is_text) all += part.raw;
    return all;
  };
  const std::string html =
      "<html lang=fr><p lang=fr>a<b lang=en-GB>b</b></p><p xml:lang=zxx>c</p><p lang=''>d</p>"
      "<p lang=de>e</p><p lang=english>f</p><p lang=und>g";
  EXPECT_EQ(translated(html, "en"), "bdfg");
  EXPECT_EQ(translated(html, "auto"), "abdfg");
}

TEST(MarkupTest, ALonelyAngleIsText) {
  EXPECT_THAT(texts("1 < 2 and <3"), ElementsAre("1 < 2 and <3"));
  EXPECT_THAT(texts("open <b"), ElementsAre("open "));
}

TEST(MarkupTest, References) {
  EXPECT_EQ(resolve_references("a &amp; b &lt;c&gt; &#228;&#xE4; &nbsp;"), "a & b <c> ää \u00A0");
  EXPECT_EQ(resolve_references("&copy;&eacute;&thetasym;&apos;"), "©éϑ'");
  EXPECT_EQ(resolve_references("&unknown; & &; &#xD800; &#0; &#99999999;"),
            "&unknown; & &; &#xD800; &#0; &#99999999;");
  EXPECT_EQ(escape_markup("a & b <c>"), "a &amp; b &lt;c&gt;");
}

// As in browsers, which accept a few without their semicolon.
TEST(MarkupTest, ReferencesMayLackTheirSemicolon) {
  EXPECT_EQ(resolve_references("&copy 2026&nbsp&#169 &lt;&ampx"), "© 2026\u00A0© <&ampx");
  EXPECT_EQ(resolve_references("AT&T &hearts &a"), "AT&T &hearts &a");
}

TEST(MarkupTest, ReferencesToOtherCharactersAreInline) {
  EXPECT_THAT(texts("<p>&check; a &amp; b&starf;&#xD800;</p>&CounterClockwiseContourIntegral;c"),
              ElementsAre(" a &amp; b", "c"));
  EXPECT_THAT(texts("R&D; x &hearts &; &1a; &"), ElementsAre("R&D; x &hearts &; &1a; &"));
  EXPECT_TRUE(split_markup("a&check;").back().is_inline);
}

TEST(MarkupTest, PartsJoinToTheTextExactly) {
  const std::vector<std::string> parts = {"<",
                                          ">",
                                          "</",
                                          "<b>",
                                          "<!--",
                                          "-->",
                                          "\"",
                                          "'",
                                          "a",
                                          " ",
                                          "&",
                                          "&lt",
                                          "&check;",
                                          ";",
                                          "<script>",
                                          "</script>",
                                          "=",
                                          "é",
                                          "</b>",
                                          "<b translate=no>",
                                          "<b translate=yes>"};
  Random random(random_key(7, 2));
  for (int round = 0; round < 5000; ++round) {
    std::string html;
    for (uint64_t i = random.below(30); i > 0; --i) html += parts[random.below(parts.size())];
    std::string joined;
    for (const MarkupPart& part : split_markup(html)) {
      ASSERT_FALSE(part.raw.empty());
      joined += part.raw;
    }
    ASSERT_EQ(joined, html);
    ASSERT_EQ(resolve_references(escape_markup(html)), html);
  }
}

}  // namespace
}  // namespace dietmt::service
