#include "data/text/addresses.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace dietmt::data {
namespace {

using Cases = std::vector<std::pair<std::string, std::string>>;  // a text and what it begins with

void expect_found(size_t (*find)(std::string_view), const Cases& cases) {
  for (const auto& [text, found] : cases)
    EXPECT_EQ(text.substr(0, find(text)), found) << "in " << text;
}

TEST(AddressesTest, OfTheWebAndMail) {
  expect_found(
      address_at,
      {{"https://a.example/search?q=dogs&p=1 for more", "https://a.example/search?q=dogs&p=1"},
       {"www.a.example/x!y now", "www.a.example/x!y"},
       {"http://localhost:5000/, then", "http://localhost:5000/"},
       {"https://de.example/wiki/Köln_(Stadt)). Ja", "https://de.example/wiki/Köln_(Stadt)"},
       {"https://a.example/x。谢谢", "https://a.example/x"},
       {"https://a.example/x看", "https://a.example/x"},
       {"https://例.example/", ""},
       {"someone@example.org.", "someone@example.org"},
       {"mailto:me@example.org?subject=x", "mailto:me@example.org?subject=x"},
       {"mailto: me", ""},
       {"a@b and c", ""},
       {"e.g. this", ""},
       {"www. and", ""},
       {"note: a", ""}});
}

TEST(AddressesTest, OfQuotedFiles) {
  const auto find = [](std::string_view text) { return quoted_path_at(text, '"'); };
  expect_found(find, {{"/opt/my app/run\" now", "/opt/my app/run"},
                      {"~/My Files (old)/a.txt\"", "~/My Files (old)/a.txt"},
                      {"C:\\My Files\\a\"", "C:\\My Files\\a"},
                      {"/opt/my app/run", ""},
                      {"/opt/app is here\"", ""},
                      {"/we and/or you\"", ""},
                      {"my app/run\"", ""}});
}

TEST(AddressesTest, OfFiles) {
  expect_found(path_at, {{"/etc/fstab is", "/etc/fstab"},
                         {"/usr/share/doc/.", "/usr/share/doc/"},
                         {"~/notes, then", "~/notes"},
                         {"./configure --prefix", "./configure"},
                         {"../x/y", "../x/y"},
                         {"C:\\Windows\\System32\\drivers.", "C:\\Windows\\System32\\drivers"},
                         {"\\\\server\\share x", "\\\\server\\share"},
                         {"C:\\Program Files (x86)\\My new app\\x.txt now",
                          "C:\\Program Files (x86)\\My new app\\x.txt"},
                         {"C:\\a to D:\\b", "C:\\a"},
                         {"C:\\one two three four five\\six", "C:\\one"},
                         {"src/main.cpp:12: error", "src/main.cpp"},
                         {"README.md (md)", "README.md"},
                         {"REPORT.PDF!", "REPORT.PDF"},
                         {"archive.tar.gz", "archive.tar.gz"},
                         {"Größe.txt ist", "Größe.txt"},
                         {"and/or", ""},
                         {"/or", ""},
                         {"/ 2", ""},
                         {"// a note", ""},
                         {"24/7 service", ""},
                         {"U.S.C law", ""},
                         {"end.So we", ""},
                         {"e.g. this", ""},
                         {"...md", ""},
                         {"C: drive", ""}});
}

TEST(AddressesTest, OfPeopleAndTopics) {
  expect_found(mention_at, {{"@name, hello", "@name"},
                            {"@name@example.org!", "@name@example.org"},
                            {"@scope/package@1.0", "@scope/package"},
                            {"#hashtag_2 is", "#hashtag_2"},
                            {"#東京 へ", "#東京"},
                            {"#1 of", ""},
                            {"@ 5", ""},
                            {"#", ""},
                            {"@", ""}});
}

}  // namespace
}  // namespace dietmt::data
