// Markdown.
#include "service/documents/pages/markdown_reader.h"
#include "tests/service/documents/document_cost.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> texts(const std::string& source) {
  const auto document = open_document(DocumentKind::kMarkdown, source, {"en", "de"});
  std::vector<std::string> all;
  for (const nmt::MarkedText& segment : document->segments()) all.push_back(segment.text);
  return all;
}

std::string in_brackets(const std::string& source) {
  return bracketed(DocumentKind::kMarkdown, source);
}

// Likewise, with brackets that are not escaped.
std::string in_plain_brackets(const std::string& source) {
  static const std::regex escaped(R"(\\([\[\]]))");
  return std::regex_replace(in_brackets(source), escaped, "$1");
}

// The file with `text` for its only segment, which has marks in order.
std::string with_text(const std::string& source, const std::string& text) {
  const auto document = open_document(DocumentKind::kMarkdown, source, {"en", "de"});
  EXPECT_EQ(document->segments().size(), 1);
  return document->translated({translation_of(document->segments().front(), text)});
}

TEST(MarkdownDocumentTest, BlocksAreSegments) {
  EXPECT_THAT(texts("# Head one #\n\nTwo\nlines.\n\n> A quote\n> goes on\n\n- item\n  more\n"
                    "  - inner\n1. first\n\n| a | b |\n|--|:-:|\n| c | d |\n\nSetext\n===\n"),
              ElementsAre("Head one", "Two lines.", "A quote goes on", "item more", "inner",
                          "first", "a", "b", "c", "d", "Setext"));
}

TEST(MarkdownDocumentTest, TitlesOfLinksAndPicturesAreTranslated) {
  EXPECT_EQ(in_brackets("See [it](a.md \"A title\") and ![b c](d.png 'E f').\n"),
            "\\[See [it](a.md \"\\[A title\\]\") and ![\\[b c\\]](d.png '\\[E f\\]').\\]\n");
  EXPECT_EQ(translated(DocumentKind::kMarkdown, "[a](<b c> \"d e\")\n", {"x", "un \"d\""}),
            "[x](<b c> \"un \\\"d\\\"\")\n");
  const std::string fixed = "[a b](c \"d\\\"e\") [f g](h(i)) [j k](l \"\")\n";
  EXPECT_THAT(segments_of(DocumentKind::kMarkdown, fixed), ElementsAre(HasSubstr("j k")));
}

TEST(MarkdownDocumentTest, CodeAndDefinitionsStay) {
  const std::string kept =
      "    indented code\n\n```sh\nfenced code\n[a]: b \"A title\"\n```\n\n[ref]: "
      "https://example.org\n\n"
      "<!-- a comment -->\n\n***\n\nimport Tabs from '@theme/Tabs';\n\n:::\n\n{% include a.html "
      "%}\n";
  EXPECT_THAT(texts(kept), ElementsAre());
  EXPECT_EQ(unchanged(DocumentKind::kMarkdown, kept), kept);
}

TEST(MarkdownDocumentTest, TheSameTextKeepsItsBytes) {
  const std::string source =
      "\xEF\xBB\xBF---\ntitle: 'A b'\nlayout: page\n---\r\n# *Head* {#id}\r\n\r\n"
      "One **two `a  b` [li_n_k](<a b> \"t\")**\\\nthree \\* &amp; &nbsp; <b>four</b>  \nfive\n\n"
      "> * a\n> lazy [x] [y][] [z][1] ![](i.png)\n\n![alt](s) <https://a.b> www.c.de\n"
      "\n|a|b\\|c|\n|-|-|\n|`x\\|y`|d|\n\n[x]: /u\n[y]: /v\n";
  EXPECT_EQ(unchanged(DocumentKind::kMarkdown, source), source);
}

TEST(MarkdownDocumentTest, MarkupMovesWithItsWords) {
  EXPECT_EQ(with_text("The **red** [house](a.html \"1\") is `x`.\n",
                      "Das <g1>Haus</g1> <g0>rot</g0> ist <g2/>."),
            "Das [Haus](a.html \"1\") **rot** ist `x`.\n");
  EXPECT_EQ(with_text("a __b *c* ~~d~~__\n", "<g0>B <g1>C</g1> <g2>D</g2></g0> A"),
            "__B *C* ~~D~~__ A\n");
}

TEST(MarkdownDocumentTest, AlternativeTextsAreSegments) {
  EXPECT_EQ(
      in_brackets("See ![The _x_ house](h.png) and ![A b](c).\n\n![Dog][e]\n\n[e]: f\n"),
      "\\[See ![The _x_ house](h.png) and ![\\[A b\\]](c).\\]\n\n![\\[Dog\\]][e]\n\n[e]: f\n");
}

TEST(MarkdownDocumentTest, LabelsOfLinksStay) {
  const std::string end = "\n\n[A b]: /u\n";
  EXPECT_EQ(with_text("See [A b]." + end, "Sieh <g0>C d</g0>."), "Sieh [C d][A b]." + end);
  EXPECT_EQ(with_text("See [A b][]." + end, "Sieh <g0>C d</g0>."), "Sieh [C d][A b]." + end);
  EXPECT_EQ(with_text("See [it][A b]." + end, "Sieh <g0>es</g0>."), "Sieh [es][A b]." + end);
}

TEST(MarkdownDocumentTest, TextIsNoMarkup) {
  EXPECT_EQ(with_text("Word\n", "a*b* _c_ d_e [f] `g` <h> &amp; & < 5 * 6 \\ # |"),
            "a\\*b\\* \\_c\\_ d_e \\[f\\] \\`g\\` \\<h> \\&amp; & < 5 * 6 \\ # |\n");
  EXPECT_EQ(with_text("Word\n", "1. a"), "1\\. a\n");
  EXPECT_EQ(with_text("Word\n", "- a"), "\\- a\n");
  EXPECT_EQ(with_text("# Word\n", "1. a"), "# 1. a\n");
  EXPECT_EQ(with_text("|12|\n|---|\n|b|\n", "c|d"), "|12|\n|---|\n|c\\|d|\n");
}

TEST(MarkdownDocumentTest, LinesAreBrokenAsBefore) {
  EXPECT_EQ(
      with_text("> one two three\n> four `x y` five\n", "Eins zwei drei vier fünf <g0/> - 6 sechs"),
      "> Eins zwei drei\n> vier fünf\n> `x y` - 6 sechs\n");
  EXPECT_EQ(with_text("One two three four\n", "Eins zwei drei vier fünf sechs"),
            "Eins zwei drei vier fünf sechs\n");
  EXPECT_EQ(texts("One  \ntwo\\\nthree\n").size(), 3);
}

TEST(MarkdownDocumentTest, EmphasisKeepsItsDistance) {
  EXPECT_EQ(with_text("**a** **b** c\n", "<g0>A</g0><g1>B</g1> C"), "**A** **B** C\n");
}

// Text that would change the markup stays, and is counted.
TEST(MarkdownDocumentTest, BrokenMarkupIsRefused) {
  const auto document = open_document(DocumentKind::kMarkdown, "a **b** c\n", {"en", "de"});
  const std::string result =
      document->translated({translation_of(document->segments().front(), "a<g0> b </g0>c")});
  EXPECT_EQ(result, "a **b** c\n");
  EXPECT_EQ(document->refused(), 1);
}

TEST(MarkdownDocumentTest, FrontMatterHasTitleAndDescription) {
  EXPECT_EQ(in_brackets(
                "---\ntitle: A b\nslug: c d\ndescription: \"E f\"\nmenu:\n  title: G\n---\nHut\n"),
            "---\ntitle: \"[A b]\"\nslug: c d\ndescription: \"[E f]\"\nmenu:\n  title: "
            "G\n---\n\\[Hut\\]\n");
  EXPECT_EQ(in_brackets("---\ntitle: [\n---\n\nHut\n"), "---\ntitle: [\n---\n\n\\[Hut\\]\n");
}

TEST(MarkdownDocumentTest, WhatSitesUnderstandStays) {
  EXPECT_THAT(in_brackets("# A b {#c-d}\n"), HasSubstr("# \\[A b\\] {#c-d}"));
  EXPECT_EQ(texts("!!! note \"It\"\n    Text of it.\n"),
            (std::vector<std::string>{"It", "Text of it."}));
  EXPECT_EQ(texts("> [!NOTE]\n> Text of it.\n"), std::vector<std::string>{"Text of it."});
  EXPECT_EQ(texts("::: tip\nText of it.\n:::\n"), std::vector<std::string>{"Text of it."});
  EXPECT_EQ(with_text("Hello {{ user.name }}, go[^1] to [[Page]].\n",
                      "Hallo {{ user.name }}, geh[^1] zu [[Page]]."),
            "Hallo {{ user.name }}, geh[^1] zu [[Page]].\n");
  EXPECT_EQ(texts("See [[{{ page }}|it]] now.\n"), std::vector<std::string>{"See  now."});
  EXPECT_EQ(texts("See \\[[Page]] now.\n"), std::vector<std::string>{"See [[Page]] now."});
  EXPECT_EQ(texts("[^1]: A note.\n"), std::vector<std::string>{"A note."});
  EXPECT_EQ(bracketed(DocumentKind::kMarkdown, "[^1]: A note.\n[^b]: Another one.\n"),
            "[^1]: \\[A note.\\]\n[^b]: \\[Another one.\\]\n");
  EXPECT_EQ(texts("Press <kbd>Ctrl</kbd> now.\n"), std::vector<std::string>{"Press  now."});
}

TEST(MarkdownDocumentTest, ATableMayFollowAParagraph) {
  EXPECT_EQ(in_brackets("A table:\n| a | b |\n|---|---|\n| c | d |\n"),
            "\\[A table:\\]\n| \\[a\\] | \\[b\\] |\n|---|---|\n| \\[c\\] | \\[d\\] |\n");
  EXPECT_EQ(in_brackets("Text:\na | b\n-|-\nc | d\n"),
            "\\[Text:\\]\n\\[a\\] | \\[b\\]\n-|-\n\\[c\\] | \\[d\\]\n");
}

TEST(MarkdownDocumentTest, IndentedBlocksAreText) {
  EXPECT_EQ(in_brackets("A[^b].\n\n[^b]: One\n    two.\n\n    Three.\n\n        code\n\n    ```\n"
                        "    fenced\n    ```\n\n    - four\n\nFive\n\n    code\n"),
            "\\[A[^b].\\]\n\n[^b]: \\[One two.\\]\n\n    \\[Three.\\]\n\n        code\n\n    ```\n"
            "    fenced\n    ```\n\n    - \\[four\\]\n\n\\[Five\\]\n\n    code\n");
  EXPECT_EQ(in_brackets("!!! note\n    One\n\n    !!! tip\n\n        Two\n\n\tThree\n\n    ???+ a\n"
                        "        Four\n\n=== \"Tab\"\n\n    Five\n"),
            "!!! note\n    \\[One\\]\n\n    !!! tip\n\n        \\[Two\\]\n\n\t\\[Three\\]\n\n"
            "    ???+ a\n        \\[Four\\]\n\n=== \"\\[Tab\\]\"\n\n    \\[Five\\]\n");
  EXPECT_EQ(in_brackets("```\n!!! note\n\n    code\n```\n\n    code\n"),
            "```\n!!! note\n\n    code\n```\n\n    code\n");
}

TEST(MarkdownDocumentTest, DefinitionsAndAbbreviationsAreSeparate) {
  EXPECT_EQ(in_brackets("Term *a*\n: One\n  two\n: Three\n\nTerm b\n\n:   Four\n\n    Five\n"),
            "\\[Term *a*\\]\n: \\[One two\\]\n: \\[Three\\]\n\n\\[Term b\\]\n\n:   \\[Four\\]\n\n"
            "    \\[Five\\]\n");
  EXPECT_EQ(in_brackets("*[HTML]: A language\n*[CSS]: Another\n"),
            "*[HTML]: \\[A language\\]\n*[CSS]: \\[Another\\]\n");
}

TEST(MarkdownDocumentTest, TitlesOfNotesAreTranslated) {
  EXPECT_EQ(in_brackets("!!! note \"A `b` c\"\n    d\n"),
            "!!! note \"\\[A `b` c\\]\"\n    \\[d\\]\n");
  EXPECT_EQ(in_brackets(":::tip A b\nc\n:::\n\n::: warning[D e]{.f}\ng\n:::\n\n::: code-group\n"),
            ":::tip \\[A b\\]\n\\[c\\]\n:::\n\n::: warning[\\[D e\\]]{.f}\n\\[g\\]\n:::\n\n"
            "::: code-group\n");
  EXPECT_EQ(in_brackets("> [!TIP]- A b\n> c\n"), "> [!TIP]- \\[A b\\]\n> \\[c\\]\n");
}

TEST(MarkdownDocumentTest, TitlesOfDefinedLinksAreTranslated) {
  EXPECT_EQ(in_brackets("See [it][a].\n\n[a]: b.md \"A title\"\n> [c]: <d e> 'Another'\n[f]: g\n"),
            "\\[See [it][a].\\]\n\n[a]: b.md \"\\[A title\\]\"\n> [c]: <d e> '\\[Another\\]'\n"
            "[f]: g\n");
}

TEST(MarkdownDocumentTest, AFootnoteOfOneWordIsNoLink) {
  EXPECT_EQ(in_brackets("See it[^note].\n\n[^note]: There.\n"),
            "\\[See it[^note].\\]\n\n[^note]: \\[There.\\]\n");
}

TEST(MarkdownDocumentTest, MarksOfFootnotesFollowTheirWords) {
  EXPECT_EQ(with_text("One.[^1] Two [^2].\n", "Eins. [^1]Zwei [^2]."), "Eins.[^1] Zwei [^2].\n");
}

TEST(MarkdownDocumentTest, AttributesStay) {
  EXPECT_EQ(
      with_text("A [b](c){: target=\"_x\"} {.d_e_f}.\n", "B <g0>a</g0>{: target=\"_x\"} {.d_e_f}."),
      "B [a](c){: target=\"_x\"} {.d_e_f}.\n");
}

TEST(MarkdownDocumentTest, TextBesideTemplatesIsTranslated) {
  EXPECT_THAT(
      segments_of(DocumentKind::kMarkdown,
                  "{% if user %}Welcome back.{% endif %}\n\n{{< alert >}}Read it{{< /alert "
                  ">}}\n\n{% include x %}\n\n{{< note >}}\n"),
      ElementsAre("{% if user %}Welcome back.{% endif %}", "{{< alert >}}Read it{{< /alert >}}"));
}

TEST(MarkdownDocumentTest, CommentsAndExpressionsOfMdxStay) {
  const std::string text = bracketed(
      DocumentKind::kMarkdown, "{/* A comment */}\n\nA {n > 1 ? 'many' : 'one'} b {/* c */}\n");
  EXPECT_THAT(text, StartsWith("{/* A comment */}\n\n"));
  EXPECT_THAT(text, HasSubstr("A {n > 1 ? 'many' : 'one'} b {/* c */}"));
}

TEST(MarkdownDocumentTest, TextBetweenComponentsIsMarkdown) {
  EXPECT_EQ(
      in_plain_brackets("A word\n<Tabs\n  groupId=\"os\"\n>\n  <TabItem value=\"mac\" label=\"The "
                        "Mac\">\n\n    Use **it**:\n      - one\n      - two\n\n    ```sh\n    "
                        "run it\n    ```\n\n  </TabItem>\n</Tabs>\n\n    code here\n"),
      "[A word]\n<Tabs\n  groupId=\"os\"\n>\n  <TabItem value=\"mac\" label=\"[The Mac]\">\n\n"
      "    [Use **it**:]\n      - [one]\n      - [two]\n\n    ```sh\n    run it\n    "
      "```\n\n  </TabItem>\n</Tabs>\n\n    code here\n");
  EXPECT_EQ(
      in_plain_brackets("1. One\n\n   <Note>\n       Two\n       words\n   </Note>\n\n   Three\n"),
      "1. [One]\n\n   <Note>\n       [Two\n       words]\n   </Note>\n\n   [Three]\n");
  EXPECT_EQ(in_plain_brackets("<A.Step title=\"One\">\n\tTwo\n</A.Step>\n<Line/> <Line/>\nThree\n"),
            "<A.Step title=\"[One]\">\n\t[Two]\n</A.Step>\n<Line/> <Line/>\n[Three]\n");
}

TEST(MarkdownDocumentTest, ExpressionsOfComponentsStay) {
  const std::string tag = "<Foo\n  title={one}\n  run={() => { return \"a > b\"; }}>\n";
  EXPECT_EQ(in_plain_brackets(tag + "  Two\n</Foo>\n"), tag + "  [Two]\n</Foo>\n");
  EXPECT_EQ(in_plain_brackets("One <Icon size={20}/> two\n"), "[One <Icon size={20}/> two]\n");
  for (const std::string stays :
       {"One <Icon style={{color: 'red'}}/> two\n", "export const a = 'one two'\n"})
    EXPECT_EQ(in_plain_brackets(stays), stays);
}

TEST(MarkdownDocumentTest, TagsInCapitalsAndTypesAreNoComponents) {
  EXPECT_EQ(in_plain_brackets("<TABLE>\n<TR><TD>One</TD></TR>\n</TABLE>\n\n    code here\n"),
            "<TABLE>\n<TR><TD>[One]</TD></TR>\n</TABLE>\n\n    code here\n");
  EXPECT_EQ(in_plain_brackets("<Term>One</Term> is two.\n"), "[<Term>One</Term> is two.]\n");
  EXPECT_EQ(in_plain_brackets("<Foo\n\nOne < two\n"), "[\\<Foo]\n\n[One < two]\n");
}

TEST(MarkdownDocumentTest, EscapedMarkupOfExtensionsStaysEscaped) {
  EXPECT_EQ(translated(DocumentKind::kMarkdown, "\\$5 and \\{a\\} \\< b\n", {"A $5 { b } < c $6"}),
            "A \\$5 \\{ b \\} \\< c \\$6\n");
  EXPECT_EQ(translated(DocumentKind::kMarkdown, "Five 5$ here\n", {"Da $5 {"}), "Da $5 {\n");
}

TEST(MarkdownDocumentTest, TomlFrontMatterHasTitleAndDescription) {
  EXPECT_EQ(translated(DocumentKind::kMarkdown,
                       "+++\ntitle = 'A b'\ndescription=\"c\" \nsummary = \"d\\\"\"\ntags = "
                       "[\"e\"]\n[menu]\ntitle = \"f\"\n+++\ng\n",
                       {"\"B\" \\a", "C", "H"}),
            "+++\ntitle = \"\\\"B\\\" \\\\a\"\ndescription=\"C\" \nsummary = \"d\\\"\"\ntags = "
            "[\"e\"]\n[menu]\ntitle = \"f\"\n+++\nH\n");
  EXPECT_EQ(in_brackets("+++\r\ntitle = \"a\"\r\n+++\r\n"), "+++\r\ntitle = \"[a]\"\r\n+++\r\n");
  EXPECT_EQ(texts("+++\nA b\n").size(), 1);
}

TEST(MarkdownDocumentTest, HtmlInsideIsTranslated) {
  EXPECT_EQ(in_brackets("<details><summary>Open it</summary>\n\nText\n\n</details>\n"),
            "<details><summary>[Open it]</summary>\n\n\\[Text\\]\n\n</details>\n");
  EXPECT_EQ(in_brackets("<p align=\"center\">\n  <img alt=\"A b\" src=x>\n</p>\n"),
            "<p align=\"center\">\n  <img alt=\"[A b]\" src=x>\n</p>\n");
}

TEST(MarkdownTest, ATableOfMostlyMissingCellsIsRefused) {
  const auto table = [](const std::string& rows, int columns) {
    std::string text = "x\n\n|";
    for (int i = 0; i < columns; ++i) text += "1|";
    text += "\n|";
    for (int i = 0; i < columns; ++i) text += "---|";
    return text + "\n" + rows;
  };
  std::string rows;
  for (int i = 0; i < 2000; ++i) rows += "1\n";
  EXPECT_NO_THROW(segments_of(DocumentKind::kMarkdown, table(rows, 10)));
  EXPECT_THROW(segments_of(DocumentKind::kMarkdown, table(rows, 2000)), DocumentTooLargeError);
}

TEST(MarkdownTest, LinesCostTimeInProportionToTheirNumber) {
  for (const std::string unit : {"!!! a \"b\"\n    ",
                                 "!!! a\n",
                                 "[^1]: a\n\n    b\n\n",
                                 "[^1]",
                                 "a[^1] ",
                                 ": a\n",
                                 "    ",
                                 ":::tip a\n",
                                 "*[a",
                                 "[!a",
                                 "[a]: b \"c\"\n",
                                 "[a]: b \"c\n\n",
                                 "{:",
                                 "{: a}",
                                 "{.\n",
                                 "+++\n",
                                 "a\n|b|\n|-|\n",
                                 "a\n|-|\n",
                                 "\t",
                                 "```\n",
                                 "=== \"a\"\n\n    a\n\n",
                                 "a = \"",
                                 "{",
                                 "{ a}",
                                 "{/*",
                                 "<Aa>\n",
                                 "<Aa\n",
                                 "<Aa {\n",
                                 "<Aa \"\n",
                                 "<Aa>\n  a\n</Aa>\n",
                                 "<Aa/> a\n"})
    expect_linear_cost(DocumentKind::kMarkdown, unit,
                       [&](size_t bytes) { return "a\n\n" + repeated(unit, bytes); });
  expect_linear_cost(DocumentKind::kMarkdown, "TOML", [](size_t bytes) {
    return "+++\n" + repeated("title = \"a\"\n", bytes) + "+++\n";
  });
}

TEST(MarkdownTest, LinksCostTimeInProportionToTheirNumber) {
  for (const std::string unit : {"![](a) ", "[a](( "}) {
    const auto text = [&](size_t bytes) { return "[a]: x\n\nHello " + repeated(unit, bytes); };
    EXPECT_LT(
        cost_growth(1 << 16, text,
                    [](const std::string& made) { segments_of(DocumentKind::kMarkdown, made); }),
        kLinearGrowth)
        << unit;
  }
}

}  // namespace
}  // namespace dietmt::service
