#include "data/text/copy_check.h"

#include <gmock/gmock.h>

namespace dietmt::data {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CopyCheckTest, FormsOfANumberAreEqual) {
  const std::vector<std::vector<std::string>> same = {
      {"1,000.5", "1.000,5", "1 000,5", "1\u00A0000,5", "1\u202F000.5", "1'000.5", "1000.5",
       "1000,5", "١٬٠٠٠٫٥"},
      {"1,234,567", "1.234.567", "1 234 567", "1234567", "12,34,567", "１２３４５６７"},
      {"1.500", "1,500", "1 500", "1500"},
      {"0.125", "0,125", "٠٫١٢٥"},
      {"24.12.2025", "24/12/2025", "2025-12-24", "12.24.2025"},
      {"192.168.0.1", "192.168.0.1"},
      {"12:30", "12.30"},
      {"12:30", "12 h 30"},
      {"-1,000.5", "\u22121.000,5"},
  };
  for (const auto& forms : same)
    for (const std::string& a : forms)
      for (const std::string& b : forms)
        EXPECT_THAT(missing_copies("a " + a + " b", "(" + b + ")."), IsEmpty()) << a << ", " << b;
}

TEST(CopyCheckTest, OtherNumbersAreNot) {
  for (const auto& [a, b] :
       std::vector<std::pair<std::string, std::string>>{{"1.5", "15"},
                                                        {"15", "1.5"},
                                                        {"1,000.5", "10005"},
                                                        {"100", "1001"},
                                                        {"0.125", "0125"},
                                                        {"2.1", "2.2"},
                                                        {"-5", "5"},
                                                        {"5", "-5"},
                                                        {"1.000", "1"},
                                                        {"1,000,5", "1000.5"},
                                                        {"1.000", "1.000,0"},
                                                        {"24.12.2025", "24.12.2026"},
                                                        {"1 000", "1.000.000"},
                                                        {"12.10", "10.12"}})
    EXPECT_THAT(missing_copies(a, b), ElementsAre(a)) << b;
}

TEST(CopyCheckTest, EachNumberCountsOnce) {
  EXPECT_THAT(missing_copies("10 of 10 files, 3", "3: 10 Dateien"), ElementsAre("10"));
  EXPECT_THAT(missing_copies("Windows 11 200 MB", "200 MB, Windows 11"), IsEmpty());
  EXPECT_THAT(missing_copies("200 MB, Windows 11", "Windows 11 200 MB"), IsEmpty());
  EXPECT_THAT(missing_copies("in 2024 300", "300 (2024)"), IsEmpty());
  EXPECT_THAT(missing_copies("1, 2,3", "2,3 und 1"), IsEmpty());
}

TEST(CopyCheckTest, AddressesAreWhole) {
  EXPECT_THAT(missing_copies("See (https://a.org/x?y=1), ask me@b.com.",
                             "Frag me@b.com, siehe https://a.org/x?y=1!"),
              IsEmpty());
  EXPECT_THAT(missing_copies("See https://a.org/1 or www.b.org. @ 5", "Siehe https://a.org/2 5"),
              ElementsAre("https://a.org/1", "www.b.org"));
  EXPECT_THAT(
      missing_copies("https://a.org/b_(c) <me@b.com>", "请看https://a.org/b_(c)。me@b.com的"),
      IsEmpty());
  EXPECT_THAT(missing_copies("Visit https://GitHub.com/7", "GitHub 7"),
              ElementsAre("https://GitHub.com/7"));
}

TEST(CopyCheckTest, NamesAreWordsWithCapitals) {
  EXPECT_THAT(missing_copies("The USB and PDF of A", "USB und Pdf"), ElementsAre("PDF"));
  EXPECT_THAT(missing_copies("Die ÄÖ-Datei von GitHub", "the ÄÖ file"), ElementsAre("GitHub"));
  EXPECT_THAT(missing_copies("Two PDFs, LaTeX, iPhone", "Kaksi PDF, LaTeXin, iPhonea"), IsEmpty());
  EXPECT_THAT(missing_copies("an USB", "USBX XUSB"), ElementsAre("USB"));
  EXPECT_THAT(missing_copies("USB on USB", "USB"), ElementsAre("USB"));
  EXPECT_THAT(missing_copies("打开USB", "open"), ElementsAre("USB"));
  EXPECT_THAT(missing_copies("the USB", "USB를 打开"), IsEmpty());
}

TEST(CopyCheckTest, ATextInCapitalsHasNoNames) {
  EXPECT_THAT(missing_copies("OPEN THE FILE 7 https://a.org", "DATEI ÖFFNEN"),
              ElementsAre("https://a.org", "7"));
}

TEST(CopyCheckTest, TextsWithoutAnyAreFine) {
  EXPECT_THAT(missing_copies("", "12 USB"), IsEmpty());
  EXPECT_THAT(missing_copies("Mr. a \xFF b I", ""), IsEmpty());
}

}  // namespace
}  // namespace dietmt::data
