// EPUB books.
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EpubTest : public OfficeDocumentTest {
 protected:
  static constexpr const char* kPackage =
      "<?xml version=\"1.0\"?><package xmlns=\"http://www.idpf.org/2007/opf\" xml:lang=\"en\">"
      "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>A book</dc:title>"
      "<dc:creator>Anna Bell</dc:creator><dc:language>en-US</dc:language>"
      "<dc:description>About &amp; of</dc:description></metadata><manifest>"
      "<item id=\"n\" href=\"nav.xhtml\" media-type=\"application/xhtml+xml\" properties=\"nav\"/>"
      "<item id=\"x\" href=\"toc.ncx\" media-type=\"application/x-dtbncx+xml\"/>"
      "<item id=\"b\" href=\"text/two%20b.xhtml\" media-type=\"application/xhtml+xml\"/>"
      "<item id=\"a\" href=\"text/one.xhtml\" media-type=\"application/xhtml+xml\"/>"
      "<item id=\"s\" href=\"s.css\" media-type=\"text/css\"/></manifest>"
      "<spine><itemref idref=\"a\"/><itemref idref=\"b\"/></spine></package>";

  static std::string page(const std::string& body) {
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<html "
           "xmlns=\"http://www.w3.org/1999/xhtml\" "
           "xml:lang=\"en\"><body>" +
           body + "</body></html>\n";
  }

  static Parts book() {
    return {
        {"mimetype", "application/epub+zip"},
        {"META-INF/container.xml",
         "<container><rootfiles><rootfile full-path=\"OPS/book.opf\"/></rootfiles></container>"},
        {"OPS/book.opf", kPackage},
        {"OPS/toc.ncx",
         "<ncx xml:lang='en'><docTitle><text>A book</text></docTitle><docAuthor><text>Anna"
         "</text></docAuthor><navMap><navPoint><navLabel><text>One</text></navLabel></navPoint>"
         "</navMap></ncx>"},
        {"OPS/nav.xhtml", page("<nav><a href=\"text/one.xhtml\">Chapter one</a></nav>")},
        {"OPS/text/two b.xhtml", page("<p>Second.</p>")},
        {"OPS/text/one.xhtml", page("<p>First <b>part</b><br/>and <code>x</code></p>")},
        {"OPS/s.css", "p { color: red }"}};
  }
};

TEST_F(EpubTest, ChaptersComeInTheOrderOfReading) {
  EXPECT_THAT(
      segments_of(DocumentKind::kEpub, archive(book())),
      ElementsAre("A book", "About & of", "A book", "One", "First <b>part</b>",
                  "and <code>x</code>", "Second.", "<a href=\"text/one.xhtml\">Chapter one</a>"));
}

TEST_F(EpubTest, TextAndLanguagesChange) {
  const std::string result = bracketed(DocumentKind::kEpub, archive(book()));
  const std::string package = part(result, "OPS/book.opf");
  EXPECT_THAT(package,
              HasSubstr("<package xmlns=\"http://www.idpf.org/2007/opf\" xml:lang=\"de\">"));
  EXPECT_THAT(package, HasSubstr("<dc:title>[A book]</dc:title><dc:creator>Anna Bell</dc:creator>"
                                 "<dc:language>de</dc:language><dc:description>[About &amp; of]<"));
  EXPECT_THAT(part(result, "OPS/toc.ncx"),
              HasSubstr("<docAuthor><text>Anna</text></docAuthor><navMap><navPoint><navLabel>"
                        "<text>[One]</text>"));
  EXPECT_THAT(
      part(result, "OPS/text/one.xhtml"),
      HasSubstr("xml:lang=\"de\"><body><p>[First <b>part</b>]<br/>[and <code>x</code>]</p>"));
  EXPECT_THAT(part(result, "OPS/nav.xhtml"), HasSubstr("<a href=\"text/one.xhtml\">"));
  EXPECT_EQ(part(result, "OPS/s.css"), "p { color: red }");
  EXPECT_EQ(ZipPackage(result).names().front(), "mimetype");
}

TEST_F(EpubTest, PagesThatArePicturesAreNamed) {
  Parts parts = book();
  const auto insert = [&](const std::string& before, const std::string& text) {
    std::string& package = parts[2].second;
    package.insert(package.find(before), text);
  };
  insert("</manifest>",
         "<item id=\"v\" href=\"v.svg\" media-type=\"image/svg+xml\"/>"
         "<item id=\"w\" href=\"w.svg\" media-type=\"image/svg+xml\"/>");
  insert("</spine>", "<itemref idref=\"v\"/><itemref idref=\"w\"/>");
  insert("</metadata>", "<meta property=\"schema:accessibilitySummary\">It has notes.</meta>");
  parts.emplace_back("OPS/v.svg", "<svg><text>A map</text></svg>");
  parts.emplace_back("OPS/w.svg", "<svg><path/></svg>");
  const auto document = open_document(DocumentKind::kEpub, archive(parts), {"en", "de"});
  EXPECT_THAT(document->left_out(), ElementsAre("OPS/v.svg"));
  EXPECT_EQ(document->segments()[2].text, "It has notes.");
}

TEST_F(EpubTest, PagesAreTurnedInTheDirectionOfTheTarget) {
  const auto spine = [&](const std::string& version, const std::string& attributes,
                         const DocumentOptions& options) {
    Parts parts = book();
    for (auto& [name, text] : parts) {
      if (name != "OPS/book.opf") continue;
      text.replace(text.find("<package"), 8, "<package version=\"" + version + "\"");
      text.replace(text.find("<spine"), 6, "<spine" + attributes);
    }
    const std::string package =
        part(bracketed(DocumentKind::kEpub, archive(parts), options), "OPS/book.opf");
    const size_t begin = package.find("<spine");
    return package.substr(begin, package.find('>', begin) + 1 - begin);
  };
  const std::string rightward = " page-progression-direction=\"rtl\"",
                    other = " page-progression-direction=\"ltr\"";
  EXPECT_EQ(spine("3.0", " toc=\"x\"", {"en", "ar"}), "<spine" + rightward + " toc=\"x\">");
  EXPECT_EQ(spine("3.0", other, {"en", "he"}), "<spine" + rightward + ">");
  EXPECT_EQ(spine("3.0", rightward, {"ar", "en"}), "<spine" + other + ">");
  EXPECT_EQ(spine("3.0", rightward, {"ja", "en"}), "<spine" + rightward + ">");
  EXPECT_EQ(spine("2.0", "", {"en", "ar"}), "<spine>");
}

TEST_F(EpubTest, TheSameTextGivesTheSameParts) {
  const std::string file = archive(book());
  const auto document = open_document(DocumentKind::kEpub, file, {"en", "en"});
  std::vector<Translation> same;
  for (const nmt::MarkedText& segment : document->segments())
    same.push_back(in_source_order(segment));
  const std::string result = document->translated(same);
  for (const auto& [name, content] : book())
    EXPECT_EQ(part(result, name), name == "OPS/book.opf" ? kPackage : content) << name;
}

TEST_F(EpubTest, EncryptedAndDamagedBooksAreRefused) {
  const auto problem = [&](const std::string& name, const std::string& content) {
    Parts parts = book();
    std::erase_if(parts, [&](const auto& one) { return one.first == name; });
    if (!content.empty()) parts.emplace_back(name, content);
    return problem_of(DocumentKind::kEpub, archive(parts));
  };
  const auto encryption = [](const std::string& name) {
    return "<encryption><EncryptedData><CipherData><CipherReference URI=\"" + name +
           "\"/></CipherData></EncryptedData></encryption>";
  };
  EXPECT_THAT(problem("META-INF/encryption.xml", encryption("OPS/text/one.xhtml")),
              HasSubstr("encrypted: META-INF/encryption.xml names OPS/text/one.xhtml"));
  EXPECT_EQ(problem("META-INF/encryption.xml", encryption("OPS/font.otf")), "none");
  EXPECT_THAT(problem("META-INF/container.xml", ""), HasSubstr("not an EPUB book"));
  EXPECT_THAT(problem("META-INF/container.xml", "<container/>"), HasSubstr("no package document"));
  EXPECT_THAT(problem("OPS/book.opf", ""), HasSubstr("has no part OPS/book.opf"));
  EXPECT_EQ(problem("OPS/nav.xhtml", ""), "none");
}

TEST_F(EpubTest, AllChaptersCountTowardsTheLimit) {
  Parts parts = book();
  for (auto& [name, content] : parts)
    if (name.ends_with(".xhtml")) content += std::string(4000, ' ');
  EXPECT_THAT(problem_of(DocumentKind::kEpub, archive(parts), {.bytes = 10'000}),
              HasSubstr("unpacks to more than"));
}

}  // namespace
}  // namespace dietmt::service
