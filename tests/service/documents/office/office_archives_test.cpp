// The archives of Word and OpenDocument files, including hostile ones.
#include "common/random.h"
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A batch job's result is repacked for each download, which may continue an earlier one.
TEST_F(OfficeDocumentTest, PartsKeepTheirTimes) {
  const std::string document = word("<w:p><w:r><w:t>one</w:t></w:r></w:p>");
  EXPECT_THAT(times(bracketed(DocumentKind::kDocx, document)), ElementsAre(kTime, kTime, kTime));
}

// libzip copies the unchanged beginning of an archive, here a picture that does not compress.
TEST_F(OfficeDocumentTest, TheTextMayStandAnywhereInTheArchive) {
  Random random(1);
  std::string picture(20'000, '\0');
  for (char& byte : picture) byte = static_cast<char>(random.below(256));
  const auto test = [&](DocumentKind kind, const Parts& text, const std::string& translated) {
    const Parts pictures = {{"Pictures/1.png", picture}, {"Pictures/2.png", picture}};
    for (size_t at = 0; at <= pictures.size(); ++at) {
      Parts parts = pictures;
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), text.begin(), text.end());
      const std::string result = bracketed(kind, archive(parts));
      EXPECT_EQ(ZipPackage(result).names(), ZipPackage(archive(parts)).names());
      EXPECT_THAT(part(result, text.front().first), HasSubstr(translated)) << at;
      for (const auto& [name, content] : pictures) EXPECT_EQ(part(result, name), content) << at;
    }
  };
  test(DocumentKind::kDocx,
       {{"word/document.xml", "<w:d xmlns:w=\"urn:w\"><w:p><w:r><w:t>a</w:t></w:r></w:p></w:d>"},
        {"word/header1.xml", "<w:h xmlns:w=\"urn:w\"><w:p><w:r><w:t>b</w:t></w:r></w:p></w:h>"}},
       "[a]");
  test(DocumentKind::kOdt, {{"content.xml", "<o:c xmlns:o=\"o\"><o:p>a</o:p></o:c>"}}, "[a]");
}

TEST_F(OfficeDocumentTest, ArchivesThatUnpackToMuchAreRefused) {
  const std::string bomb = word(std::string(50'000'000, ' '));
  ASSERT_LT(bomb.size(), 100'000U);
  EXPECT_THAT(problem_of(DocumentKind::kDocx, bomb), HasSubstr("unpacks to more than 33554432"));
  const std::string nodes = word("<w:p>" + std::string(300, '=') + "</w:p>");
  EXPECT_THAT(problem_of(DocumentKind::kDocx, nodes, {.nodes = 100}), HasSubstr("elements"));
  const std::string part = "<w:d xmlns:w=\"urn:w\">" + std::string(60, '=') + "</w:d>";
  EXPECT_EQ(problem_of(DocumentKind::kDocx, archive({{"word/document.xml", part}}), {.nodes = 100}),
            "none");
  EXPECT_THAT(problem_of(DocumentKind::kDocx,
                         archive({{"word/document.xml", part}, {"word/header1.xml", part}}),
                         {.nodes = 100}),
              HasSubstr("more than 100 elements and attributes"));
}

TEST_F(OfficeDocumentTest, UnsafeAndOtherArchivesAreRefused) {
  for (const char* name : {"../outside", "/etc/passwd", "a/../../b", "a\\b", "C:x"}) {
    EXPECT_THAT(problem_of(DocumentKind::kDocx, archive({{name, "x"}})), HasSubstr("unsafe name"))
        << name;
  }
  EXPECT_THAT(problem_of(DocumentKind::kDocx, archive({{"a", "x"}})),
              HasSubstr("not a .docx document: it has no word/document.xml"));
  EXPECT_THAT(problem_of(DocumentKind::kDocx, archive({{"a", "x"}}, ZIP_EM_AES_256)),
              HasSubstr("encrypted"));
  EXPECT_THAT(problem_of(DocumentKind::kOdt, "no archive"), HasSubstr("not a complete ZIP"));
  for (const DocumentKind kind : {DocumentKind::kDocx, DocumentKind::kOdt, DocumentKind::kEpub})
    EXPECT_EQ(problem_of(kind, ""), "the file is empty");
}

// Replacing a text frees what is in it, which no other text may be.
TEST_F(OfficeDocumentTest, TextsInsideTextsDoNoHarm) {
  const std::string run = "<w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>",
                    inner = "<w:p>" + run + "</w:p>";
  const std::string field =
      "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:fldChar "
      "w:fldCharType=\"end\"/></w:r>";
  for (const std::string& text :
       {"<w:r><w:t>a" + inner + "</w:t></w:r>" + run,
        "<w:r><w:rPr>" + inner + "</w:rPr><w:t>a</w:t></w:r>" + run,
        "<w:r><w:rPr>" + field + "</w:rPr><w:t>a</w:t></w:r>" + run,
        "<w:r><w:t>a</w:t><w:proofErr>" + inner + "</w:proofErr></w:r>" + run,
        "<w:si>" + run + "<w:r><w:t>a</w:t></w:r></w:si>" + run,
        "<w:is><w:t>a" + run + "</w:t></w:is><w:text>" + inner + "</w:text>"}) {
    const std::string document = word("<w:p>" + text + "</w:p>");
    EXPECT_THAT(part(bracketed(DocumentKind::kDocx, document), "word/document.xml"), HasSubstr("["))
        << text;
    unchanged(DocumentKind::kDocx, document);
  }
  const std::string title =
      "<o:c xmlns:o=\"svg-compatible\"><o:p>a<o:title>b<o:p>c</o:p></o:title></o:p></o:c>";
  EXPECT_THAT(part(bracketed(DocumentKind::kOdt, archive({{"content.xml", title}})), "content.xml"),
              HasSubstr("[c]"));
}

TEST_F(OfficeDocumentTest, DamagedArchivesAreRefusedWithoutHarm) {
  const std::string document = word("<w:p><w:r><w:t>text to damage</w:t></w:r></w:p>");
  for (size_t size = 0; size < document.size(); size += 7)
    EXPECT_NE(problem_of(DocumentKind::kDocx, document.substr(0, size)), "none");
  int refused = 0, read = 0;
  for (size_t at = 0; at < document.size(); at += 3) {
    std::string damaged = document;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    if (problem_of(DocumentKind::kDocx, damaged) != "none") {
      ++refused;
      continue;
    }
    ++read;  // the damage is elsewhere
    EXPECT_THAT(part(bracketed(DocumentKind::kDocx, damaged), "word/document.xml"),
                HasSubstr("[text to damage]"))
        << at;
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(read, 10);
}

}  // namespace
}  // namespace dietmt::service
