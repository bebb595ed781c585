// Translations of random Word paragraphs keep their marks.
#include <algorithm>
#include <regex>

#include "common/random.h"
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

// Runs, insertions, notes and bookmarks in any order, and what a translation may do to their tags.
class RandomParagraphs {
 public:
  std::string next() {
    std::string text = run("a word ");
    for (uint64_t n = 1 + random_.below(8); n > 0; --n) {
      const std::string id = " w:id=\"" + std::to_string(next_id_++) + "\"";
      switch (random_.below(6)) {
        case 0:
          text += "<w:bookmarkStart" + id + "/>" + run("in") + "<w:bookmarkEnd" + id + "/>";
          break;
        case 1:
          text += "<w:ins" + id + ">" + run("new ") + note(id) + run("ones") + "</w:ins>";
          break;
        case 2:
          text += "<w:del" + id + "><w:r><w:delText>old</w:delText></w:r></w:del>";
          break;
        case 3:
          text += "<w:r><w:t>x</w:t><w:footnoteReference" + id + "/><w:t>y </w:t></w:r>";
          break;
        default:
          text += run(random_.below(2) == 0 ? " and" : "more ");
      }
    }
    return "<w:p>" + text + "</w:p>";
  }

  // With its tags, without them, or with the points at the beginning.
  std::string translation(const std::string& segment) {
    const uint64_t kind = random_.below(3);
    if (kind == 0) return segment;
    static const std::regex points("<g[0-9]+/>"), tags("</?g[0-9]+/?>");
    if (kind == 1) return std::regex_replace(segment, tags, "");
    std::string first;
    for (std::sregex_iterator at(segment.begin(), segment.end(), points), end; at != end; ++at)
      first = at->str() + first;
    return first + std::regex_replace(segment, points, "");
  }

 private:
  std::string run(const std::string& text) {
    const std::string bold = random_.below(3) == 0 ? "<w:rPr><w:b/></w:rPr>" : "";
    return "<w:r>" + bold + "<w:t xml:space=\"preserve\">" + text + "</w:t></w:r>";
  }

  static std::string note(const std::string& id) {
    return "<w:r><w:endnoteReference" + id + "/></w:r>";
  }

  Random random_{5};
  int next_id_ = 1;
};

std::vector<std::string> sorted_marks(const std::string& xml) {
  static const std::regex mark("<w:(bookmark|del|footnoteRef|endnoteRef)[^>]*>");
  std::vector<std::string> marks;
  for (std::sregex_iterator at(xml.begin(), xml.end(), mark), end; at != end; ++at)
    marks.push_back(at->str());
  std::ranges::sort(marks);
  return marks;
}

TEST_F(OfficeDocumentTest, MarksOfRandomParagraphsAreInTheTranslationOnce) {
  RandomParagraphs random;
  size_t marks = 0;
  for (int n = 0; n < 300; ++n) {
    const std::string paragraph = random.next();
    const auto opened = open_document(DocumentKind::kDocx, word(paragraph), {"en", "de"});
    ASSERT_EQ(opened->segments().size(), 1U) << paragraph;
    const std::string translation = random.translation(shown(opened->segments().front()));
    const std::string xml =
        part(opened->translated({translation_of(opened->segments().front(), translation)}),
             "word/document.xml");
    const std::string both = paragraph + " -> " + translation + " -> " + xml;
    ASSERT_EQ(sorted_marks(xml), sorted_marks(paragraph)) << both;
    for (size_t at = xml.find("bookmarkEnd"); at != xml.npos;
         at = xml.find("bookmarkEnd", at + 1)) {
      const size_t id = at + std::string("bookmarkEnd").size();
      ASSERT_LT(xml.find("bookmarkStart" + xml.substr(id, xml.find('/', id) - id)), at) << both;
    }
    marks += sorted_marks(paragraph).size();
  }
  EXPECT_GT(marks, 500U);
}

}  // namespace
}  // namespace dietmt::service
