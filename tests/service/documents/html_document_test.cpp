// Languages, attributes and inline tags of HTML.
#include <algorithm>

#include "common/random.h"
#include "tests/service/documents/document_fixture.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;

std::string in_language(const std::string& html, const std::string& target,
                        const std::string& source = "en") {
  return bracketed(DocumentKind::kHtml, html, {source, target});
}

TEST(HtmlDocumentTest, LinksSideBySideAreSeparateTexts) {
  EXPECT_THAT(
      segments_of(DocumentKind::kHtml,
                  "<nav><a href=x>Home</a><a href=y>About us</a></nav><p>A <a>b</a> <a>c</a>"),
      testing::ElementsAre("<a href=x>Home</a>", "<a href=y>About us</a>", "A <a>b</a> <a>c</a>"));
}

TEST(HtmlLanguageTest, CommentsStay) {
  for (const std::string comment :
       {"<!-- <a lang=\"en\" title=\"A b\"> -->", "<?a title=\"A b\"?>"})
    EXPECT_EQ(bracketed(DocumentKind::kHtml, comment + "<p>a</p>"), comment + "<p>[a]</p>");
}

TEST(HtmlLanguageTest, ThePageHasTheTargetLanguage) {
  EXPECT_EQ(in_language("<html lang=\"en-US\" xml:lang='en'><p>a", "pt_BR"),
            "<html lang=\"pt-BR\" xml:lang='pt-BR'><p>[a]");
  EXPECT_EQ(in_language("<html lang=fr><p>a", "de"), "<html lang=de><p>[a]");
  EXPECT_EQ(in_language("<html class=x><p>a", "de"), "<html lang=\"de\" class=x><p>[a]");
  EXPECT_EQ(in_language("<html xmlns='x'><p>a", "de"), "<html xml:lang=\"de\" xmlns='x'><p>[a]");
  EXPECT_EQ(in_language("<html lang='de-AT'><p>a", "de"), "<html lang='de-AT'><p>[a]");
  EXPECT_EQ(in_language("<html lang=en translate=no><p>a", "de"),
            "<html lang=en translate=no><p>a");
}

TEST(HtmlLanguageTest, TheDirectionFollowsTheScript) {
  EXPECT_EQ(in_language("<html lang=en dir='ltr'><body dir=LTR><p dir=ltr>a", "ar"),
            "<html lang=ar dir='rtl'><body dir=rtl><p dir=ltr>[a]");
  EXPECT_EQ(in_language("<html lang=en><p>a", "he"), "<html dir=\"rtl\" lang=he><p>[a]");
  EXPECT_EQ(in_language("<html lang=ar dir=rtl><p>a", "en", "ar"), "<html lang=en dir=ltr><p>[a]");
  EXPECT_EQ(in_language("<html lang=ar dir=rtl><p>a", "fa", "ar"), "<html lang=fa dir=rtl><p>[a]");
}

TEST(HtmlLanguageTest, PartsInOtherLanguagesStay) {
  EXPECT_EQ(in_language("<p>a <i lang=la>b</i></p><p lang=fr title='d'>c</p><p lang=en>e", "de"),
            "<p>[a <i lang=la>b</i>]</p><p lang=fr title='d'>c</p><p lang=de>[e]");
}

TEST(HtmlAttributeTest, TextsInAttributesAreSegments) {
  EXPECT_EQ(in_language("<p title='The &quot;house&quot;'>a <img alt=House src=x> b", "de"),
            "<p title=\"[The &quot;house&quot;]\">[a <img alt=\"[House]\" src=x> b]");
  EXPECT_EQ(in_language("<input placeholder='Open' value=x><input type=Submit value=Go>"
                        "<input type=hidden value=y><option label=l value=v>",
                        "de"),
            "<input placeholder=\"[Open]\" value=x><input type=Submit value=\"[Go]\">"
            "<input type=hidden value=y><option label=\"[l]\" value=v>");
  EXPECT_EQ(in_language("<textarea placeholder=a aria-label=b>c</textarea><table summary=d>", "de"),
            "<textarea placeholder=\"[a]\" aria-label=\"[b]\">c</textarea><table "
            "summary=\"[d]\">");
  const std::string kept =
      "<link title=a><img alt='' title='12'><img alt=a.png><img alt=b "
      "translate=no><div class=notranslate title=b></div><code title=c>d</code>";
  EXPECT_EQ(in_language(kept, "de"), kept);
}

TEST(HtmlAttributeTest, DescriptionsOfThePageAreSegments) {
  for (const std::string begin :
       {"<meta name=description ", "<meta property='og:title' ", "<meta name='Twitter:Title' "})
    EXPECT_EQ(in_language(begin + "content='a b'>", "de"), begin + "content=\"[a b]\">");
  for (const std::string kept : {"<meta name=viewport content='a b'>", "<meta content='a b'>",
                                 "<meta property=og:url content='a b'>"})
    EXPECT_EQ(in_language(kept, "de"), kept);
}

TEST(HtmlAttributeTest, TagsWithoutLettersAroundHaveTexts) {
  EXPECT_EQ(in_language("<p><img alt='a'> 12 &copy;</p>", "de"),
            "<p><img alt=\"[a]\"> 12 &copy;</p>");
}

TEST(HtmlDocumentTest, TextThatStaysTheSameKeepsItsBytes) {
  const std::string html =
      "<!DOCTYPE html><p title='a &quot;b&quot;'>\n  One &copy;\r\n  <b>two &#8211;</b> &lt;\n</p>"
      "<pre>We do not\n  know him.</pre><![CDATA[ a > b ]]>";
  EXPECT_EQ(unchanged(DocumentKind::kHtml, html), html);
}

TEST(HtmlDocumentTest, LostTagsComeBack) {
  const std::string html = "<p>One <b>two</b> <img src=x> three</p>";
  const std::string result = translated(DocumentKind::kHtml, html, {"Eins zwei drei"});
  EXPECT_THAT(result, HasSubstr("<b>zwei</b>"));
  EXPECT_THAT(result, HasSubstr("<img src=x>"));
}

std::vector<std::string> words_of(const std::string& html) {
  const std::string text = std::regex_replace(html, std::regex("<[^>]*>"), "");
  std::vector<std::string> words;
  const std::regex word("[a-z0-9]+");
  for (std::sregex_iterator one(text.begin(), text.end(), word), end; one != end; ++one)
    words.push_back(one->str());
  return words;
}

// Text with nested inline tags, some of them misplaced, next to words and inside them.
std::string random_inline(Random& random) {
  static const std::vector<std::string> kTags = {"b", "i", "u", "span", "em", "sub"};
  std::string html = "<p>w";
  std::vector<std::string> open;
  for (uint64_t i = 1 + random.below(12); i > 0; --i) {
    const uint64_t what = random.below(6);
    if (what == 0) {
      open.push_back(kTags[random.below(kTags.size())]);
      html += "<" + open.back() + ">";
    } else if (what == 1 && !open.empty()) {
      html += "</" + open.back() + ">";
      open.pop_back();
    } else if (what == 2) {
      html += " ";
    } else if (what == 3) {
      html += "<img src=y>";
    } else if (what == 4 && random.below(4) == 0) {
      html += "</" + kTags[random.below(kTags.size())] + ">";
    } else {
      html += "x" + std::to_string(random.below(100)) + (random.below(2) == 0 ? " " : "");
    }
  }
  return html + "</p>";
}

TEST(HtmlDocumentTest, LostAndMovedTagsLoseNoText) {
  Random random(random_key(50, 24));
  for (int round = 0; round < 2000; ++round) {
    const std::string html = random_inline(random);
    const auto document = open_document(DocumentKind::kHtml, html, {"en", "de"});
    ASSERT_EQ(document->segments().size(), 1) << html;
    const Translation source = in_source_order(document->segments().front());
    EXPECT_EQ(document->translated({source}), html);
    Translation translation;
    for (const nmt::MarkedPart& part : source)
      if (part.mark < 0 || random.below(3) > 0) translation.push_back(part);
    const std::string result = document->translated({translation});
    ASSERT_EQ(words_of(result), words_of(html)) << html << "\n" << result;
    ASSERT_EQ(std::ranges::count(result, '<'), std::ranges::count(html, '<')) << html;
  }
}

}  // namespace
}  // namespace dietmt::service
