// A thousand sentences with random markup and random attention: every tag and placeholder occurs
// once in the result, and the tags nest.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "common/random.h"
#include "nmt/alignment/inline_markup.h"
#include "nmt/alignment/placeholders.h"
#include "tests/nmt/alignment/aligned_words.h"

namespace dietmt::nmt {
namespace {

// Where elements begin and end.
constexpr std::pair<std::string_view, std::string_view> kPairs[] = {{"<b>", "</b>"},
                                                                    {"<i>", "</i>"},
                                                                    {"<a href=\"x\">", "</a>"},
                                                                    {"<g>", "</g>"},
                                                                    {"<0>", "</0>"},
                                                                    {"{% if x %}", "{% endif %}"},
                                                                    {"{{#each all}}", "{{/each}}"},
                                                                    {"<% if x %>", "<% end %>"},
                                                                    {"{\\i1}", "{\\i0}"}};

class RandomSentences {
 public:
  explicit RandomSentences(uint64_t seed) : random_(seed) {}

  // Words, placeholders and elements around them, with and without spaces.
  std::string marked(int depth = 0) {
    std::string text;
    for (uint64_t n = 1 + random_.below(4); n > 0; --n) {
      if (!text.empty() && random_.below(4) > 0) text += ' ';
      text += random_.below(depth > 2 ? 6 : 10) < 6 ? simple() : element(depth);
    }
    return text;
  }

  std::string words() {
    std::string text;
    for (uint64_t n = random_.below(9); n > 0; --n) text += (text.empty() ? "" : " ") + word();
    return text;
  }

  std::vector<float> attention(size_t targets, size_t sources) {
    std::vector<float> weights((targets + 1) * (sources + 1));
    for (float& weight : weights) weight = static_cast<float>(random_.uniform());
    return weights;
  }

 private:
  std::string word() {
    constexpr const char* kWords[] = {"Haus", "and",      "größer", "3.5",
                                      "(x)",  "你好世界", "don't,", "."};
    return kWords[random_.below(std::size(kWords))];
  }

  std::string simple() {
    constexpr const char* kPoints[] = {"{0}",
                                       "%s",
                                       "%1$s",
                                       "%(name)s",
                                       "$name$",
                                       "${price}",
                                       "{ $x }",
                                       "{{ a.b }}",
                                       "<%= n %>",
                                       "{\\an8}",
                                       "{n, plural, one {# file} other {# files}}",
                                       "<x id=\"1\"/>",
                                       "<1/>",
                                       "<me@x.org>",
                                       "<br>",
                                       "&nbsp;"};
    return random_.below(3) == 0 ? kPoints[random_.below(std::size(kPoints))] : word();
  }

  std::string element(int depth) {
    const auto& [open, close] = kPairs[random_.below(std::size(kPairs))];
    const std::string inside = random_.below(8) == 0 ? "" : marked(depth + 1);
    return std::string(open) + inside + std::string(close);
  }

  Random random_;
};

std::vector<std::string> sorted_marks(std::string_view text) {
  const auto found = placeholders_in(text);
  std::vector<std::string> marks(found.begin(), found.end());
  std::ranges::sort(marks);
  return marks;
}

bool nests(std::string_view text) {
  std::vector<std::string_view> ends;  // of the open elements
  for (const std::string_view mark : placeholders_in(text)) {
    for (const auto& [open, close] : kPairs) {
      if (mark == open) ends.push_back(close);
      if (mark != close) continue;
      if (ends.empty() || ends.back() != close) return false;
      ends.pop_back();
    }
  }
  return ends.empty();
}

std::string randomly_placed(RandomSentences& random, const std::string& source) {
  const MarkedText marked = take_out_markup(source);
  const std::string target = random.words();
  const auto from = tokens_of_words(marked.text), to = tokens_of_words(target);
  const auto attention = random.attention(to.size(), from.size());
  return join(place_markup(marked, from, {target, to}, attention));
}

TEST(MarkupBalanceTest, EveryMarkOfAThousandSentencesSurvivesInBalance) {
  RandomSentences random(7);
  int64_t marks = 0;
  for (int n = 0; n < 1000; ++n) {
    const std::string source = random.marked();
    ASSERT_TRUE(nests(source)) << source;
    const std::string result = randomly_placed(random, source);
    ASSERT_EQ(sorted_marks(result), sorted_marks(source)) << source << " -> " << result;
    ASSERT_TRUE(nests(result)) << source << " -> " << result;
    marks += std::ssize(sorted_marks(source));
  }
  EXPECT_GT(marks, 3000);
}

// Sentence by sentence, as the service translates them.
TEST(MarkupBalanceTest, ElementsMayReachOverSeveralSentences) {
  RandomSentences random(11);
  for (int n = 0; n < 1000; ++n) {
    const std::string first = random.words() + " <b>" + random.marked() + " ";
    const std::string second = random.marked() + " <i> " + random.marked() + " ";
    const std::string third = random.marked() + "</i> " + random.marked() + "</b> end";
    const std::string source = first + second + third;
    const std::string result = randomly_placed(random, first) + randomly_placed(random, second) +
                               randomly_placed(random, third);
    ASSERT_EQ(sorted_marks(result), sorted_marks(source)) << source << " -> " << result;
    ASSERT_TRUE(nests(result)) << source << " -> " << result;
  }
}

// A message with placeholders in many forms, and the forms.
struct Message {
  std::string text;
  std::vector<std::string> forms;
};

Message random_message(Random& random) {
  constexpr const char* kInside[] = {"{0}",      "\"{1}\"", "'%s'",  "({0})", "[%1$s]", "{0}/{1}",
                                     "{0}, {1}", "%d%%",    "-{0}",  "{0}KB", "“{0}”",  "x://{0}/y",
                                     "€{0}",     "«{0}»",   "{0} %", "$ {0}"};
  constexpr const char* kWords[] = {"open", "file", "and", "size", "note"};
  Message message;
  const auto add = [&](const std::string& form, const char* space) {
    if (!message.text.empty()) message.text += space;
    message.text += form;
  };
  for (uint64_t n = 1 + random.below(5); n > 0; --n) {
    add(kWords[random.below(std::size(kWords))], " ");
    if (random.below(2) == 0) continue;
    message.forms.emplace_back(kInside[random.below(std::size(kInside))]);
    constexpr const char* kBefore[] = {" ", " ", ": ", ", ", " - "};
    add(message.forms.back(), kBefore[random.below(std::size(kBefore))]);
  }
  constexpr const char* kEnds[] = {"", ".", "!", "...", "?", ":"};
  message.text += kEnds[random.below(std::size(kEnds))];
  return message;
}

TEST(MarkupBalanceTest, PlaceholdersKeepTheirFormsAndSpaces) {
  Random random(17);
  RandomSentences sentences(19);
  for (int n = 0; n < 2000; ++n) {
    const Message message = random_message(random);
    constexpr const char* kTargets[] = {
        "",         "Wort",    "Wort Datei!", "Wort, Datei: öffnen.",
        "打开文件", "(a) 'b'", "Mot « x » ?", "a-b c/d ..."};
    const std::string target = kTargets[random.below(std::size(kTargets))];
    const MarkedText marked = take_out_markup(message.text);
    const auto from = tokens_of_words(marked.text), to = tokens_of_words(target);
    const auto attention = sentences.attention(to.size(), from.size());
    const std::string result = join(place_markup(marked, from, {target, to}, attention));
    const std::string both = message.text + " -> " + result;
    ASSERT_EQ(sorted_marks(result), sorted_marks(message.text)) << both;
    for (const std::string& form : message.forms)
      ASSERT_NE(result.find(form), std::string::npos) << form << ": " << both;
    const bool ends = message.text.ends_with('.') || message.text.ends_with('!');
    if (ends && (target.ends_with('.') || target.ends_with('!'))) {
      ASSERT_EQ(result.back(), target.back()) << both;
    }
    for (const char* bad : {"  ", " ,", " !", " )", "( "})
      ASSERT_EQ(result.find(bad), std::string::npos) << bad << ": " << both;
    for (size_t at = result.find('{'); at != std::string::npos; at = result.find('{', at + 1)) {
      const bool glued = at > 0 && std::isalnum(static_cast<unsigned char>(result[at - 1])) != 0;
      ASSERT_FALSE(glued) << both;
    }
  }
}

// Neither the stack nor the time of a request may depend on how a client nests its tags.
TEST(MarkupBalanceTest, DeepAndUnclosedTagsSurvive) {
  constexpr int kTags = 20'000;
  RandomSentences random(13);
  std::string opened = "word ", closed = "word ";
  for (int i = 0; i < kTags; ++i) opened += "<b>";
  for (int i = 0; i < kTags; ++i) closed += "</i> word ";
  for (const std::string& source : {opened + "end", closed, opened + closed}) {
    const std::string result = randomly_placed(random, source);
    EXPECT_EQ(sorted_marks(result), sorted_marks(source));
  }
}

// A million steps for each would take an hour.
TEST(MarkupBalanceTest, ManyPointsInsideAndBesideElementsAreQuick) {
  constexpr size_t kPoints = 200'000;
  std::string source = "<a><b>one two</b> ";
  for (size_t i = 0; i < kPoints; ++i) source += "<i>";
  source += "three</a> four {0}";
  const MarkedText marked = take_out_markup(source);
  const std::string target = "drei eins vier zwei";
  const auto from = tokens_of_words(marked.text), to = tokens_of_words(target);
  // <b> encloses "eins vier zwei", and the points belong inside it.
  const auto attention = attention_of({2, 0, 2, 1}, from.size());
  const std::string result = join(place_markup(marked, from, {target, to}, attention));
  EXPECT_EQ(sorted_marks(result), sorted_marks(source));
}

}  // namespace
}  // namespace dietmt::nmt
