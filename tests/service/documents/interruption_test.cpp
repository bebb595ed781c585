// Documents that are read or written end soon after nobody wants them any more.
#include "common/interruption.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/common/cpu_cost.h"
#include "tests/service/documents/document_cost.h"
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

// Ends work after so much CPU time.
class Ended : public std::exception {};

class DocumentInterruptionTest : public OfficeDocumentTest {
 protected:
  static double cpu_now() {
    timespec now = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  // The longest CPU time between two checks while a document is read and written.
  static double longest_gap(DocumentKind kind, const std::string& bytes) {
    double last = cpu_now(), longest = 0.0;
    const Interruption interruption([&] {
      const double now = cpu_now();
      longest = std::max(longest, now - last);
      last = now;
    });
    handle(kind, bytes);
    return std::max(longest, cpu_now() - last);
  }

  static void expect_ends(DocumentKind kind, const std::string& name, const std::string& bytes) {
    constexpr double kMostSeconds = 0.1;
    const double gap = kCostIsMeasurable ? longest_gap(kind, bytes) : 0.0;
    EXPECT_LT(gap, kMostSeconds) << name_of(kind) << ": " << name;
    const Interruption interruption([] { throw Ended(); });
    EXPECT_THROW(handle(kind, bytes), Ended) << name;
  }
};

constexpr size_t kBytes = 500'000;

TEST_F(DocumentInterruptionTest, OfText) {
  for (const std::string text : {"word\n", "word ", "{a} ", "a %s \"%s\" "})
    expect_ends(DocumentKind::kTxt, text, repeated(text, kBytes));
}

TEST_F(DocumentInterruptionTest, OfHtml) {
  for (const std::string text : {"<p>a b", "<b>a</b> ", "a &amp; b", "<p title='a'>b"})
    expect_ends(DocumentKind::kHtml, text, repeated(text, kBytes));
}

TEST_F(DocumentInterruptionTest, OfSubtitles) {
  expect_ends(DocumentKind::kSrt, "cues",
              repeated("1\n00:00:01,000 --> 00:00:02,000\na {b} <i>c</i>\n\n", kBytes));
  expect_ends(DocumentKind::kSrt, "a cue",
              "1\n00:00:01,000 --> 00:00:02,000\n" + repeated("a <i>b</i>\n", kBytes));
}

TEST_F(DocumentInterruptionTest, OfXml) {
  const std::string unit = "<trans-unit><source>a <x id='1'/> b</source></trans-unit>";
  expect_ends(DocumentKind::kXliff, "units",
              "<xliff version='1.2'>" + repeated(unit, kBytes) + "</xliff>");
  expect_ends(DocumentKind::kTmx, "codes",
              "<tmx><tu><tuv xml:lang='en'><seg>a" + repeated("<ph x='@'/>a", kBytes) +
                  "</seg></tuv></tu></tmx>");
}

TEST_F(DocumentInterruptionTest, OfWordDocuments) {
  const std::string run = "<w:r><w:t>a</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>b</w:t></w:r>";
  expect_ends(DocumentKind::kDocx, "runs", word("<w:p>" + repeated(run, kBytes) + "</w:p>"));
  expect_ends(DocumentKind::kDocx, "paragraphs", word(repeated("<w:p>" + run + "</w:p>", kBytes)));
}

}  // namespace
}  // namespace dietmt::service
