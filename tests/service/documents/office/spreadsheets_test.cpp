// Excel and OpenDocument spreadsheets.
#include "tests/service/documents/office/office_fixture.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SpreadsheetsTest : public OfficeDocumentTest {
 protected:
  // A workbook with these strings, this sheet and perhaps a table.
  std::string excel(const std::string& strings, const std::string& sheet = "",
                    const std::string& table = "") {
    Parts parts = {
        {"xl/workbook.xml",
         "<workbook xmlns=\"u\"><sheet name=\"Sheet one\"/><calcPr/>"
         "</workbook>"},
        {"xl/sharedStrings.xml", "<sst xmlns=\"u\">" + strings + "</sst>"},
        {"xl/worksheets/sheet1.xml", "<worksheet xmlns=\"u\">" + sheet + "</worksheet>"}};
    if (!table.empty())
      parts.emplace_back("xl/tables/table1.xml", "<table xmlns=\"u\">" + table + "</table>");
    return archive(parts);
  }

  static std::string cell(const std::string& text) { return "<si><t>" + text + "</t></si>"; }

  static std::string column(const std::string& name) {
    return "<tableColumn name=\"" + name + "\"/>";
  }

  static std::string sheet_of(const std::string& document) {
    return part(document, "xl/worksheets/sheet1.xml");
  }
};

TEST_F(SpreadsheetsTest, EachCellIsASegment) {
  const std::string sheet =
      "<c t=\"s\"><v>0</v></c><c t=\"inlineStr\"><is><t>inline</t></is></c><c t=\"str\"><f>A1&amp;"
      "\"x\"</f><v>result</v></c><c><v>12.5</v></c>";
  const std::string document = excel(cell("A red dog") + cell("42") +
                                         "<si><r><t>a </t></r><r><rPr><b/></rPr><t>b</t></r>"
                                         "<rPh sb=\"0\" eb=\"1\"><t>reading</t></rPh></si>",
                                     sheet);
  EXPECT_THAT(segments_of(DocumentKind::kXlsx, document),
              ElementsAre("A red dog", "a <g0>b</g0>", "inline"));
  const std::string result = bracketed(DocumentKind::kXlsx, document);
  const std::string strings = part(result, "xl/sharedStrings.xml");
  EXPECT_THAT(strings, HasSubstr("<si><t>[A red dog]</t></si>"));
  EXPECT_THAT(strings, HasSubstr("<si><t>42</t></si>"));
  EXPECT_THAT(strings, HasSubstr("<r><rPr><b/></rPr><t xml:space=\"preserve\">b</t></r>"));
  EXPECT_THAT(sheet_of(result), HasSubstr("<is><t>[inline]</t></is>"));
  EXPECT_THAT(sheet_of(result), HasSubstr("<f>A1&amp;\"x\"</f><v>result</v>"));
  EXPECT_THAT(part(result, "xl/workbook.xml"),
              HasSubstr("<sheet name=\"Sheet one\"/><calcPr fullCalcOnLoad=\"1\"/>"));
}

TEST_F(SpreadsheetsTest, LineEndsOfWindowsAreNoText) {
  EXPECT_THAT(segments_of(DocumentKind::kXlsx, excel(cell("one_x000D_\ntwo") + cell("_x000D_a"))),
              ElementsAre("one\ntwo", "a"));
}

// Excel repairs a file in which they differ.
TEST_F(SpreadsheetsTest, HeaderCellsEqualTheNamesOfTheirColumns) {
  const auto both = [&](const std::string& cells, const std::string& columns,
                        const std::string& sheet = "") {
    const std::string result = bracketed(DocumentKind::kXlsx, excel(cells, sheet, columns));
    return std::pair(part(result, "xl/sharedStrings.xml"), part(result, "xl/tables/table1.xml"));
  };
  const auto [cells, columns] =
      both(cell("Sales") + cell("City"), column("Sales") + column("City"));
  EXPECT_THAT(cells, HasSubstr("[Sales]"));
  EXPECT_THAT(columns, HasSubstr("name=\"[Sales]\"/><tableColumn name=\"[City]\""));

  // A formula mentions one, another has two formats, and one a line break.
  const auto [kept_cells, kept_columns] = both(
      cell("Sales") + cell("Town") + "<si><r><t>Ci</t></r><r><t>ty</t></r></si>" + cell("a\nb"),
      column("Sales") + column("City") + column("Town") + column("a_x000a_b"),
      "<c><f>SUM(Table1[sales])</f></c>");
  EXPECT_THAT(kept_cells, HasSubstr("<t>Sales</t>"));
  EXPECT_THAT(kept_cells, HasSubstr("<t>a\nb</t>"));
  EXPECT_THAT(kept_cells, HasSubstr("<r><t>Ci</t></r><r><t>ty</t></r>"));
  for (const std::string name : {"Sales", "City", "[Town]", "a_x000a_b"})
    EXPECT_THAT(kept_columns, HasSubstr("name=\"" + name + "\""));
}

TEST_F(SpreadsheetsTest, ColumnsWithOneTranslationKeepTheirNames) {
  const std::string document = excel(cell("Nation") + cell("Country") + cell("text"), "",
                                     column("Nation") + column("Country"));
  const auto opened = open_document(DocumentKind::kXlsx, document, {"en", "de"});
  ASSERT_EQ(opened->segments().size(), 3U);
  const std::string result = opened->translated({{{"Land"}}, {{"land"}}, {{"Text"}}});
  EXPECT_EQ(opened->refused(), 2U);
  EXPECT_THAT(part(result, "xl/tables/table1.xml"),
              HasSubstr("name=\"Nation\"/><tableColumn name=\"Country\""));
  EXPECT_THAT(part(result, "xl/sharedStrings.xml"), HasSubstr(">Country<"));
  EXPECT_THAT(part(result, "xl/sharedStrings.xml"), HasSubstr(">Text<"));
}

TEST_F(SpreadsheetsTest, HeadersAndFootersKeepTheirCodes) {
  const auto header = [](const std::string& text) {
    return "<headerFooter><oddHeader>" + text + "</oddHeader></headerFooter>";
  };
  const std::string document =
      excel("", header("&amp;L&amp;\"Arial,Bold\"&amp;12Sales &amp;&amp; costs&amp;CPage &amp;P of "
                       "&amp;N&amp;R&amp;D"));
  ASSERT_THAT(segments_of(DocumentKind::kXlsx, document),
              ElementsAre("Sales & costs", "Page <g0/> of <g1/>"));
  EXPECT_THAT(sheet_of(translated(DocumentKind::kXlsx, document, {"1 & 2", "<g1/>, <g0/>"})),
              HasSubstr(header("&amp;L&amp;\"Arial,Bold\"&amp;12 1 &amp;&amp; 2&amp;C&amp;N, "
                               "&amp;P&amp;R&amp;D")));
  EXPECT_THAT(sheet_of(translated(DocumentKind::kXlsx, document, {"x", "lost"})),
              HasSubstr("&amp;Clost&amp;P&amp;N&amp;R"));
  const auto opened = open_document(DocumentKind::kXlsx, document, {"en", "de"});
  const std::string result = opened->translated({{{std::string(300, 'x')}}, {{"y"}}});
  EXPECT_EQ(opened->refused(), 1U);
  EXPECT_EQ(sheet_of(result), sheet_of(unchanged(DocumentKind::kXlsx, document)));
  for (const std::string text : {"&amp;", "&amp;\"Arial", "&amp;K12", "&amp;L&amp;12"})
    EXPECT_THAT(segments_of(DocumentKind::kXlsx, excel("", header(text))), IsEmpty()) << text;
}

TEST_F(SpreadsheetsTest, ChoicesAndFiltersEqualTheirCells) {
  const std::string sheet =
      "<autoFilter><filters><filter val=\"Yes\"/></filters></autoFilter><dataValidation "
      "promptTitle=\"Answer\" prompt=\"Choose one\"><formula1>\"Yes,No, \"\"Maybe\"\"\"</formula1>"
      "</dataValidation><dataValidation><formula1>$A$1:$A$3</formula1></dataValidation>";
  const std::string document = excel(cell("Yes"), sheet);
  ASSERT_THAT(segments_of(DocumentKind::kXlsx, document),
              ElementsAre("Yes", "Answer", "Choose one", "No", "\"Maybe\""));
  const auto filled = [&](const std::string& no, const std::string& answer) {
    return sheet_of(
        translated(DocumentKind::kXlsx, document, {"Ja", answer, "Eins", no, "\"Vielleicht\""}));
  };
  EXPECT_THAT(filled("Nein", "Antwort"),
              HasSubstr("<filter val=\"Ja\"/></filters></autoFilter><dataValidation "
                        "promptTitle=\"Antwort\" prompt=\"Eins\"><formula1>\"Ja,Nein, "
                        "\"\"Vielleicht\"\"\"</formula1>"));
  EXPECT_THAT(filled("Nein, nie", std::string(40, 'x')),
              HasSubstr("promptTitle=\"Answer\" prompt=\"Eins\"><formula1>\"Yes,No, "));
}

TEST_F(SpreadsheetsTest, CommentsAndDrawingsAreTranslated) {
  Parts parts = {{"xl/workbook.xml", "<workbook/>"},
                 {"xl/comments1.xml",
                  "<c xmlns=\"u\"><comment><text><r><t>remark</t></r></text>"
                  "</comment></c>"},
                 {"xl/threadedComments/threadedComment1.xml",
                  "<c xmlns=\"u\"><threadedComment><text>reply</text></threadedComment></c>"},
                 {"xl/drawings/drawing1.xml", "<c xmlns=\"u\"><cNvPr descr=\"A dog\"/></c>"}};
  EXPECT_THAT(segments_of(DocumentKind::kXlsx, archive(parts)),
              ElementsAre("remark", "reply", "A dog"));
}

TEST_F(SpreadsheetsTest, SheetsRunInTheDirectionOfTheTarget) {
  const std::string document = excel(cell("a"), "<sheetViews><sheetView/></sheetViews>");
  EXPECT_THAT(sheet_of(bracketed(DocumentKind::kXlsx, document, {"en", "he"})),
              HasSubstr("<sheetView rightToLeft=\"1\"/>"));
  EXPECT_EQ(sheet_of(bracketed(DocumentKind::kXlsx, document)), sheet_of(document));
}

TEST_F(SpreadsheetsTest, OpenDocumentSpreadsheets) {
  const auto cell_of = [](const std::string& attributes, const std::string& text) {
    return "<b:table-cell " + attributes + "><t:p>" + text + "</t:p></b:table-cell>";
  };
  const std::string document =
      archive({{"mimetype", "application/vnd.oasis.opendocument.spreadsheet"},
               {"content.xml",
                "<o:c xmlns:o=\"urn:o\" xmlns:b=\"urn:b\" xmlns:t=\"urn:t\"><b:content-validation "
                "b:condition=\"of:cell-content-is-in-list(&quot;Yes&quot;;&quot;No&quot;)\"/>"
                "<b:table b:name=\"Sheet one\">" +
                    cell_of("o:value-type=\"string\" o:string-value=\"Yes\"", "Yes") +
                    cell_of("o:value-type=\"date\"", "May 1") +
                    cell_of("b:formula=\"of:=[.A1]\" o:value-type=\"string\"", "Yes it is") +
                    "</b:table></o:c>"}});
  EXPECT_THAT(segments_of(DocumentKind::kOds, document), ElementsAre("Yes", "No"));
  const std::string xml = part(bracketed(DocumentKind::kOds, document), "content.xml");
  EXPECT_THAT(xml, HasSubstr("is-in-list(&quot;[Yes]&quot;;&quot;[No]&quot;)"));
  EXPECT_THAT(xml, HasSubstr("o:string-value=\"[Yes]\"><t:p>[Yes]</t:p>"));
  EXPECT_THAT(xml, HasSubstr("<b:table b:name=\"Sheet one\">"));
  EXPECT_THAT(xml, HasSubstr("<t:p>May 1</t:p>"));
  EXPECT_THAT(xml, HasSubstr("<t:p>Yes it is</t:p>"));
}

}  // namespace
}  // namespace dietmt::service
