// Catalogues built to take long cost time in proportion to their size.
#include "tests/service/documents/document_cost.h"

namespace dietmt::service {
namespace {

std::function<std::string(size_t)> repeats(const std::string& unit) {
  return [unit](size_t bytes) { return repeated(unit, bytes); };
}

TEST(StringsCostTest, OfCataloguesWithoutXml) {
  for (const std::string unit :
       {"a=b\n", "a\\\n", "\\u0041", "a='{", "# a\n", "a=b\\\n ", "=", " "})
    expect_linear_cost(DocumentKind::kProperties, unit, repeats(unit));
  for (const std::string unit : {"\"a\",", "[", "{\"a\":", "// a\n", "\"\\n{0\",", "/* a */"})
    expect_linear_cost(DocumentKind::kJson, unit, repeats(unit));
  expect_linear_cost(DocumentKind::kJson, "values",
                     [](size_t bytes) { return "[" + repeated("\"a b {0}\",", bytes) + "1]"; });
  for (const std::string unit :
       {"\"a_one\":\"b\",", "\"@_one\":\"b\",\"@_other\":\"c\",", "\"a\":{\"message\":\"b\"},",
        "\"a\":{\"b_one\":\"c\",\"b_other\":\"d\"},"})
    expect_linear_cost(DocumentKind::kJson, unit, [&](size_t bytes) {
      return "{" + repeated(unit, bytes) + "\"a_other\":\"b\"}";
    });
  expect_linear_cost(DocumentKind::kArb, "nested metadata", [](size_t bytes) {
    return "{\"@a\":" + repeated("[", bytes / 2) + repeated("]", bytes / 2) + "}";
  });
  for (const std::string unit : {"\"a\"=\"b c\";\n", "/*", "\"a\";", "// a\n", "\"\\\\"})
    expect_linear_cost(DocumentKind::kStrings, unit, repeats(unit));
}

TEST(StringsCostTest, OfMessagesWithChoices) {
  const auto messages = [](const std::string& begin, const std::string& unit,
                           const std::string& end) {
    return [=](size_t bytes) { return "[\"" + begin + repeated(unit, bytes) + end + "\"]"; };
  };
  expect_linear_cost(DocumentKind::kJson, "messages",
                     messages("", "{n, plural, one {# file} other {# files}}\", \"", ""));
  expect_linear_cost(DocumentKind::kJson, "branches",
                     messages("{a, select, ", "x {a b} ", "other {c}}"));
  expect_linear_cost(DocumentKind::kJson, "branches with text around",
                     messages("Text {a, select, ", "x {a b} ", "other {c}} after it"));
  expect_linear_cost(DocumentKind::kJson, "choices in a row",
                     messages("", "{n, plural, one {a} other {b}} ", ""));
  expect_linear_cost(DocumentKind::kJson, "long text around a few",
                     messages("{n, plural, other {a}} ", "a {b} '{c}' ", "{m, plural, other {b}}"));
  expect_linear_cost(DocumentKind::kJson, "nested", [](size_t bytes) {
    const size_t depth = std::min<size_t>(bytes / 100, 190);
    return "[\"" + repeated("{n, plural, other {a ", depth * 21) + repeated("b {c} '", bytes) +
           repeated("}}", depth * 2) + "\"]";
  });
  expect_linear_cost(DocumentKind::kJson, "too deep", [](size_t bytes) {
    return "[\"" + repeated("{a,select,other{", bytes) + repeated("}}", bytes / 8) + "\"]";
  });
}

TEST(StringsCostTest, OfYaml) {
  for (const std::string unit :
       {"- a b\n", "a: b c\n", "[", "{a: ", "- &a b\n", "? a\n", "- |\n  a\n", "- é\n", "# a\n",
        "---\n", "- 'a\n\n", "a:\n ", "!a ", "- *a\n"})
    expect_linear_cost(DocumentKind::kYaml, unit, repeats(unit));
  for (const std::string unit :
       {" - one: a\n   other: b\n", " - {one: a, other: b}\n", " a:\n  one: a\n  other: b #\n"})
    expect_linear_cost(DocumentKind::kYaml, unit,
                       [&](size_t bytes) { return "en:\n" + repeated(unit, bytes); });
  expect_linear_cost(DocumentKind::kYaml, "forms on one line", [&](size_t bytes) {
    return "en: [" + repeated("{one: a, other: b},", bytes) + "]\n";
  });
}

TEST(StringsCostTest, OfTables) {
  for (const std::string unit : {"a,b\n", ",", "\"", "\"a\"\"\n\",", "\n", "a\r"})
    expect_linear_cost(DocumentKind::kCsv, unit, repeats(unit),
                       {.source = "en", .target = "de", .columns = "1"});
  for (const std::string unit : {"\"a", "\"", "\"\"\"", "a\n\"\"x\t", "\"a\n", "\"a\t"})
    expect_linear_cost(DocumentKind::kTsv, unit, repeats(unit),
                       {.source = "en", .target = "de", .columns = "1"});
}

TEST(StringsCostTest, OfStringCatalogs) {
  for (const std::string unit :
       {"\"a b\":{},", "\"a\":{\"localizations\":{\"de\":{}}},", "\"a\":{\"b\":[[],[]]},"})
    expect_linear_cost(DocumentKind::kStringCatalog, unit, [&](size_t bytes) {
      return R"({"sourceLanguage":"en","strings":{)" + repeated(unit, bytes) + R"("z":{}}})";
    });
  const std::string form = R"("one":{"stringUnit":{"state":"new","value":"a b"}},)";
  for (const std::string& unit : {form, R"("a":{"plural":{)" + form + R"("other":{}}},)"})
    for (const std::string begin :
         {"", R"("de":{"plural":{"x":{"stringUnit":{"state":"","value":"x"}},)"})
      expect_linear_cost(DocumentKind::kStringCatalog, begin + unit, [&](size_t bytes) {
        const std::string half = repeated(unit, bytes / 2) + R"("other":{}}},)";
        return R"({"sourceLanguage":"en","strings":{"a b":{"localizations":{)" +
               (begin.empty() ? "" : begin + half) + R"("en":{"plural":{)" + half + R"("fr":1}}}})";
      });
}

TEST(StringsCostTest, OfXml) {
  for (const std::string unit :
       {"<string>a b</string>", "<string>a<b>",
        "<plurals><item quantity='one'>a b</item></plurals>", "<item quantity='few'>a b</item>",
        "<!-- a -->", "<string><![CDATA[a]]>b</string>", "<g>", "<string>\\u0041 @</string>"}) {
    expect_linear_cost(DocumentKind::kAndroid, unit, [&](size_t bytes) {
      return "<resources>" + repeated(unit, bytes) + "</resources>";
    });
    expect_linear_cost(DocumentKind::kAndroid, "plural " + unit, [&](size_t bytes) {
      return "<resources><plurals>" + repeated(unit, bytes) + "</plurals></resources>";
    });
  }
  for (const std::string unit : {"<key>one</key><string>a b</string>", "<dict>", "<key>other</key>",
                                 "<key>NSStringLocalizedFormatKey</key><string>a %#@b@</string>"})
    expect_linear_cost(DocumentKind::kStringsdict, unit, [&](size_t bytes) {
      return "<plist><dict>" + repeated(unit, bytes) + "</dict></plist>";
    });
  for (const std::string unit :
       {"<data><value>a b</value></data>", "<value>a b</value>", "<b/>", "<comment/>"})
    expect_linear_cost(DocumentKind::kResx, unit, [&](size_t bytes) {
      return "<root><data>" + repeated(unit, bytes) + "</data></root>";
    });
  for (const std::string unit :
       {"<message numerus='yes'><source>a b</source><translation/></message>", "<source>a</source>",
        "<translation> </translation>", "<numerusform></numerusform>"})
    expect_linear_cost(DocumentKind::kTs, unit, [&](size_t bytes) {
      return "<TS><message>" + repeated(unit, bytes) + "</message></TS>";
    });
}

}  // namespace
}  // namespace dietmt::service
