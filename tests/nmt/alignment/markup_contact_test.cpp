// Text attached to tags and placeholders without a space.
#include <gtest/gtest.h>

#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

// As with placeholders, unless it may be formatting: a tag next to a word.
TEST(MarkupContactTest, WhatIsWrittenTogetherWithATagThatStandsForTextStays) {
  EXPECT_EQ(take_out_markup("It costs €<x id=\"1\"/>.").text, "It costs.");
  EXPECT_EQ(take_out_markup("It costs €<b>{0}</b> or <i>{1}</i>KB").text, "It costs or");
  EXPECT_EQ(take_out_markup("Open<b>&nbsp;</b>it").text, "Open it");
  EXPECT_EQ(take_out_markup("See https://<ph name=\"A\"/>/x today").text, "See today");
  EXPECT_EQ(take_out_markup("Set --{name}=<value> or --to=<file>.").text, "Set or.");
  EXPECT_EQ(take_out_markup("Press <x id=\"1\"/>on<x id=\"2\"/>-line and/<x id=\"3\"/>or").text,
            "Press on-line and/or");
  EXPECT_EQ(take_out_markup("it is <b>bold and -<i>on</i>").marks.size(), 3U);
  EXPECT_EQ(placed("It costs €<x id=\"1\"/> now", "Es kostet jetzt", {0, 1, 2}),
            "Es kostet €<x id=\"1\"/> jetzt");
  EXPECT_EQ(placed("Set --{name}=<value> to 1", "Auf 1 setzen", {1, 2, 0}),
            "--{name}=<value> Auf 1 setzen");
}

// Otherwise "here2" would be a word, and all of it superscript.
TEST(MarkupContactTest, ARaisedNumberIsNoPartOfTheWordBeforeIt) {
  EXPECT_EQ(take_out_markup("It is here<sup>2</sup>, see CO<sub>2</sub>").text,
            "It is here, see CO");
  EXPECT_EQ(
      take_out_markup("It walks.<sup><a href=\"#1\">[1]</a></sup> Dogs<a><sup>2</sup></a> run.")
          .text,
      "It walks. Dogs run.");
  EXPECT_EQ(take_out_markup("Of H<sub>2</sub>O and C<sub>6</sub>H<sub>12</sub>O<sub>6</sub>.").text,
            "Of and.");
  EXPECT_EQ(take_out_markup("10<sup>6</sup> <sup>2</sup> the 1<sup>st</sup>").text, "10 2 the 1st");
  EXPECT_EQ(placed("It is here<sup>2</sup> now", "Jetzt ist es hier", {3, 1, 0, 2}),
            "Jetzt ist es hier<sup>2</sup>");
}

TEST(MarkupContactTest, AStartTagBetweenSpacesIsAWord) {
  EXPECT_EQ(placed("Open the <file> now", "Öffne die jetzt", {0, 1, 2}), "Öffne die <file> jetzt");
  EXPECT_EQ(placed("Open the <b>file", "Die Datei öffnen", {1, 2, 0}), "Die <b>Datei öffnen");
}

TEST(MarkupContactTest, TabsAndFootnotesAreNoPartsOfWords) {
  const auto without = [](const std::string& before, const std::string& mark,
                          const std::string& after) {
    MarkupRemoval removal;
    removal.add_text(before);
    removal.add_mark({.text = mark});
    removal.add_text(after);
    return removal.finish().text;
  };
  EXPECT_EQ(without("Name", "\t", "of the file"), "Name of the file");
  EXPECT_EQ(without("A dog", "[^1]", ", a cat"), "A dog, a cat");
}

TEST(MarkupContactTest, LettersAfterAPlaceholderOfQtStay) {
  EXPECT_EQ(take_out_markup("Load %1KB of %L2MB").text, "Load of");
  EXPECT_EQ(placed("Load %1KB now", "Jetzt laden", {1, 0}), "%1KB Jetzt laden");
}

TEST(MarkupContactTest, SchemesOfAddressesStay) {
  EXPECT_EQ(take_out_markup("Write to mailto:{0}@example.org.").text, "Write to.");
  EXPECT_EQ(take_out_markup("Call \"sip:<x id='1'/>@example.org\" now").text, "Call now");
  EXPECT_EQ(take_out_markup("size:{0}KB and used:{1}/{2}").text, "size: and used:");
}

TEST(MarkupContactTest, SpacesThatAreReferencesReplaceThoseOfTheTranslation) {
  EXPECT_EQ(placed("Open&nbsp;<b>it</b> now", "Öffnen Sie jetzt", {0, 1, 2}),
            "Öffnen&nbsp;<b>Sie</b> jetzt");
  EXPECT_EQ(placed("<b>Open&nbsp;</b>it now", "Öffnen Sie jetzt", {0, 1, 2}),
            "<b>Öffnen&nbsp;</b>Sie jetzt");
  EXPECT_EQ(placed("Open it.&#160;<i>Now</i>", "Öffnen. Jetzt", {0, 2}),
            "Öffnen.&#160;<i>Jetzt</i>");
  EXPECT_EQ(placed("Open &nbsp; it&#xa0;<x id=\"1\"/> now", "Öffnen Sie jetzt", {0, 1, 2}),
            "Öffnen &nbsp; Sie&#xa0;<x id=\"1\"/> jetzt");
}

TEST(MarkupContactTest, SentencesThatOnlyATagKeepsApartGetASpace) {
  EXPECT_EQ(take_out_markup("It walks.<x id=\"1\"/>A dog, see a.<x id=\"2\"/>txt.").text,
            "It walks. A dog, see a.txt.");
  EXPECT_EQ(take_out_markup("(It walks.)<g0/>Ändern? \"No!\"<g1/>Da!").text,
            "(It walks.) Ändern? \"No!\" Da!");
  EXPECT_EQ(take_out_markup("走る。<g0/>犬").text, "走る。犬");
  EXPECT_EQ(placed("It walks.<x id=\"1\"/>Dogs run.", "Es geht. Hunde rennen.", {0, 1, 2, 3}),
            "Es geht. <x id=\"1\"/>Hunde rennen.");
}

TEST(MarkupContactTest, TagsAtTheEndsOfLinesAreSpaces) {
  EXPECT_EQ(take_out_markup("It walks,<br>and: <br/>a<BR>b<hr>.").text, "It walks, and: a b.");
  EXPECT_EQ(take_out_markup("<div><p>It walks.</p><p>Dogs (<td>x</td>)</p></div>so.<p>A<p>").text,
            "It walks. Dogs (x) so. A");
  EXPECT_EQ(take_out_markup("<li>a</li>, <li>b</li>\n<li>c</li><p> d").text, "a, b\nc d");
  EXPECT_EQ(placed("<p>It walks.</p><p>Dogs run.</p>", "Es geht. Hunde rennen.", {0, 1, 2, 3}),
            "<p>Es geht.</p> <p>Hunde rennen.</p>");
  EXPECT_EQ(placed("It walks,<br>and runs", "Es geht, und rennt", {0, 1, 2, 3}),
            "Es geht, <br>und rennt");
}

// Otherwise "the setup {0} file" could become "die Setup-{0}Datei".
TEST(MarkupContactTest, PlaceholdersWithSpacesDivideNoWordOfTheTranslation) {
  const auto placed_by = [](std::string_view text, size_t word) {
    const MarkedText marked = take_out_markup(text);
    const std::string target = "die Setup-Datei";
    const auto source = tokens_of_words(marked.text);
    const std::vector<data::TextSpan> tokens = {{0, 3}, {3, 9}, {9, 10}, {10, 15}};
    std::vector<size_t> links = {0, 0, 0, 0};
    links[word] = 1;
    const auto parts =
        place_markup(marked, source, {target, tokens}, attention_of(links, source.size()));
    return join(parts);
  };
  EXPECT_EQ(placed_by("the {0} file", 3), "die {0} Setup-Datei");
  EXPECT_EQ(placed_by("the file {0}", 1), "die Setup-Datei {0}");
  EXPECT_EQ(placed_by("the file<x id=\"1\"/> opens", 1), "die Setup-Datei<x id=\"1\"/>");
  EXPECT_EQ(placed_by("the set<x id=\"1\"/>up", 1), "die Setup<x id=\"1\"/>-Datei");
}

TEST(MarkupContactTest, ATagBesideAWordStaysBesideTheSameWord) {
  EXPECT_EQ(placed("It has <x id=\"1\"/>KB now", "Jetzt hat es KB", {1, 1, 2, 3}),
            "Jetzt hat es <x id=\"1\"/>KB");
  EXPECT_EQ(placed("It has {0} KB now", "Byte hat es KB", {2, 1, 0, 3}), "{0} Byte hat es KB");
}

}  // namespace
}  // namespace dietmt::nmt
