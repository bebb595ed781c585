// The behaviour of the page.
#include <gmock/gmock.h>

#include "tests/common/soon.h"
#include "tests/service/page/page_browser_fixture.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(PageBrowserTest, TypedTextIsTranslatedWithoutShiftingThePage) {
  open();
  browser_->value(
      "void (window.shift = 0, new PerformanceObserver(list => { for (const e of "
      "list.getEntries()) window.shift += e.value; }).observe({type: 'layout-shift', buffered: "
      "true}))");
  browser_->type("#text", "Hello world");
  ASSERT_TRUE(wait_for_text("translation", "Hallo Welt"));
  EXPECT_EQ(text_of("count"), "11 of 500 characters");
  EXPECT_EQ(browser_->value("document.getElementById('translation').lang"), "de");
  EXPECT_EQ(browser_->value("document.getElementById('problem').hidden"), true);
  EXPECT_LT(browser_->value("window.shift").get<double>(), 0.01);
  browser_->click("#clear");
  EXPECT_TRUE(browser_->wait_for("document.getElementById('translation').textContent === ''"));
  EXPECT_EQ(browser_->value("document.getElementById('closer-content').hidden"), true);
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(PageBrowserTest, AnOutdatedTranslationNeverAppears) {
  open();
  browser_->type("#text", "slow house");
  ASSERT_TRUE(browser_->wait_for("document.getElementById('status').textContent !== ''"));
  ASSERT_TRUE(soon([&] { return !service_->translated().empty(); }));
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "Hello");
  ASSERT_TRUE(wait_for_text("translation", "Hallo"));
  browser_->value("new Promise(done => setTimeout(done, 2500))");  // the slow answer has come
  EXPECT_EQ(text_of("translation"), "Hallo");
  EXPECT_THAT(service_->translated(), ElementsAre("slow house", "Hello"));
}

TEST_F(PageBrowserTest, ErrorsAreShownPlainlyAndGoAway) {
  open();
  browser_->type("#text", "fail");
  ASSERT_TRUE(wait_for_text("problem-text", "The model cannot be loaded. Try again in 7 s."));
  EXPECT_EQ(browser_->value("document.getElementById('problem').hidden"), false);
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", std::string(501, 'x'));
  ASSERT_TRUE(wait_for_text("problem-text", "The text is too long: 501 characters"));
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "Hello");
  ASSERT_TRUE(wait_for_text("translation", "Hallo"));
  EXPECT_EQ(browser_->value("document.getElementById('problem').hidden"), true);
  service_.reset();
  browser_->type("#text", " world");
  EXPECT_TRUE(wait_for_text("problem-text", "The server cannot be reached."));
}

TEST_F(PageBrowserTest, LanguagesAreSwapped) {
  open();
  EXPECT_EQ(browser_->value("[...document.getElementById('target').options].map(o => o.value)"),
            json({"de", "cs"}));
  browser_->type("#text", "house");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  browser_->click("#swap");
  ASSERT_TRUE(wait_for_text("translation", "house"));
  EXPECT_EQ(property("text", "value"), "Haus");
  EXPECT_EQ(property("source", "value"), "de");
  browser_->click("#swap");
  select("target", "cs");
  EXPECT_EQ(property("swap", "disabled"), true);
  EXPECT_EQ(property("swap", "title"), "No model translates Czech to English.");
  EXPECT_EQ(text_of("swap-reason"), "No model translates Czech to English.");
  select("target", "de");
  EXPECT_EQ(property("swap", "title"), "Swap languages and texts");
  EXPECT_EQ(text_of("swap-reason"), "");
}

TEST_F(PageBrowserTest, SwappingExchangesTheTextsAndLosesNone) {
  open();
  browser_->type("#text", "house");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  browser_->value("void document.getElementById('swap').click()");
  EXPECT_EQ(property("text", "value"), "Haus");
  EXPECT_EQ(text_of("translation"), "house") << "at once, before the server has answered";
  ASSERT_TRUE(browser_->wait_for("document.getElementById('translation').className === ''"));
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "slow Hallo");
  browser_->value("void document.getElementById('swap').click()");
  EXPECT_EQ(property("text", "value"), "slow Hallo") << "the translation is still that of Haus";
}

TEST_F(PageBrowserTest, TheLanguageIsDetected) {
  open();
  select("source", "auto");
  EXPECT_EQ(property("swap", "title"), "The language of the text is not known yet.");
  select("target", "en");
  browser_->type("#text", "Haus");
  ASSERT_TRUE(wait_for_text("translation", "house"));
  EXPECT_EQ(property("source", "selectedOptions[0].textContent"), "Detected: German");
  EXPECT_EQ(property("text", "lang"), "de");
  browser_->click("#swap");
  EXPECT_EQ(property("source", "value"), "en");
  EXPECT_EQ(property("target", "value"), "de");
  select("source", "auto");
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "dům");
  EXPECT_TRUE(wait_for_text("problem-text",
                            "The text seems to be Czech, which this server does not "
                            "translate to German."));
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "Print");
  EXPECT_TRUE(wait_for_text("translation", "Print"));
  EXPECT_EQ(property("source", "selectedOptions[0].textContent"), "Detected: English");
  browser_->value("document.getElementById('text').select()");
  browser_->type("#text", "Привет OK");
  EXPECT_TRUE(wait_for_text("problem-text",
                            "The text seems to be Kinyarwanda, which this server does not "
                            "translate to German."));
}

TEST_F(PageBrowserTest, DisabledControlsSayWhy) {
  open();
  EXPECT_EQ(browser_->value("[...document.querySelectorAll('button, select, input')].filter(e => "
                            "e.disabled && !e.title).map(e => e.id)"),
            json::array());
  EXPECT_EQ(property("copy", "title"), "There is no translation.");
  browser_->type("#text", "house");
  ASSERT_TRUE(wait_for_text("translation", "Haus"));
  EXPECT_EQ(property("copy", "title"), "");
}

TEST_F(PageBrowserTest, TheTranslationIsCopiedOverHttpFromAnotherHostToo) {
  for (const std::string host : {"127.0.0.1", "plain.example"}) {
    open({}, {}, host);
    ASSERT_EQ(browser_->value("Boolean(navigator.clipboard)"), host == "127.0.0.1");
    browser_->type("#text", "green house");
    ASSERT_TRUE(wait_for_text("translation", "grün Haus"));
    browser_->click("#copy");
    ASSERT_TRUE(wait_for_text("status", "Copied")) << text_of("status");
    browser_->value("document.getElementById('text').select()");
    browser_->paste("#text");
    EXPECT_TRUE(browser_->wait_for("document.getElementById('text').value === 'grün Haus'"))
        << host;
  }
}

TEST_F(PageBrowserTest, AlternativesShowTheirScoresAndPieces) {
  open();
  browser_->type("#text", "the house is\nHello unknown");
  ASSERT_TRUE(wait_for_text("translation", "das Haus ist\nHallo unknown"));
  open_closer_look();
  EXPECT_EQ(browser_->value("document.querySelectorAll('#alternatives button').length"), 5);
  EXPECT_THAT(text_of("alternatives"), HasSubstr("-0.100das Haus ist"));
  EXPECT_THAT(text_of("pieces"), HasSubstr("␣das0.98␣Haus0.98"));
  browser_->click("#alternatives li:nth-child(2) button");
  ASSERT_TRUE(wait_for_text("pieces", "␣das'0.66"));
  EXPECT_EQ(browser_->value(
                "document.querySelectorAll('#alternatives button[aria-pressed=true]').length"),
            1);
  EXPECT_EQ(text_of("translation"), "das' Haus' ist'\nHallo unknown") << "what was chosen";
  select("sentence", "1");
  EXPECT_THAT(text_of("pieces"), HasSubstr("␣unknown0.30"));
  select("sentence", "0");
  EXPECT_THAT(text_of("pieces"), HasSubstr("␣das'0.66")) << "the choice is kept";
}

TEST_F(PageBrowserTest, AttentionIsDrawnAndReadByKeyboard) {
  open();
  browser_->type("#text", "the house is small");
  ASSERT_TRUE(wait_for_text("translation", "das Haus ist klein"));
  open_closer_look();
  browser_->click("#map-form button");
  ASSERT_TRUE(browser_->wait_for("document.querySelector('#map table')"));
  EXPECT_EQ(browser_->value("document.querySelectorAll('#map tbody td').length"), 25);
  EXPECT_EQ(browser_->value("document.querySelectorAll('#map-kind option').length"), 4)
      << "this model has no positions in the decoder";
  browser_->value(
      "{ const h = document.getElementById('map-head'); h.value = '1'; h.dispatchEvent(new "
      "Event('change')); document.querySelector('#map tbody td').focus(); }");
  EXPECT_EQ(text_of("map-value"), "␣das to ␣the: 1.000");
  browser_->press("ArrowRight", 39);
  EXPECT_EQ(text_of("map-value"), "␣das to ␣house: 0.135");
  browser_->press("ArrowDown", 40);
  EXPECT_EQ(text_of("map-value"), "␣Haus to ␣house: 1.000");
  select("map-kind", "position.encoder");
  EXPECT_THAT(browser_->value("document.querySelector('#map tbody td:nth-child(5)').ariaLabel")
                  .get<std::string>(),
              HasSubstr("␣the to ␣small: -"));
  select("map-kind", "attention.decoder");
  EXPECT_EQ(
      browser_->value("[...document.querySelectorAll('#map th')].map(e => e.textContent)"),
      json({"<s>", "␣das", "␣Haus", "␣ist", "␣klein", "␣das", "␣Haus", "␣ist", "␣klein", "</s>"}))
      << "columns are what a query has read, rows what it predicts";
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(PageBrowserTest, PackedModelsShowTheAttentionThatTheirTranslationsHave) {
  open({}, {.key = "", .is_packed = true});
  browser_->type("#text", "the house is");
  ASSERT_TRUE(wait_for_text("translation", "das Haus ist"));
  open_closer_look();
  browser_->click("#alternatives li:nth-child(2) button");
  browser_->click("#map-form button");
  ASSERT_TRUE(browser_->wait_for("document.querySelector('#map table')"));
  EXPECT_EQ(browser_->value("[...document.querySelectorAll('#map th')].map(e => e.textContent)"),
            json({"the", "house", "is", "das'", "Haus'", "ist'"}))
      << "of the chosen translation";
  EXPECT_EQ(browser_->value("[...document.querySelectorAll('#map-kind option')].map(o => o.text)"),
            json({"attention to the source"}));
  EXPECT_TRUE(property("problem", "hidden").get<bool>());
}

TEST_F(PageBrowserTest, AFileBecomesAJobWithProgress) {
  open();
  EXPECT_TRUE(browser_->wait_for("!document.getElementById('files').hidden"));
  browser_->choose_file("#file", write("lines.tsv", "Hello world\n"));
  ASSERT_TRUE(wait_for_text("jobs", "of 100 lines"));
  EXPECT_THAT(text_of("jobs"), HasSubstr("lines.tsv"));
  EXPECT_THAT(text_of("jobs"), HasSubstr("Cancel"));
  EXPECT_TRUE(wait_for_text("jobs", "Done"));
  EXPECT_EQ(browser_->value("document.querySelector('#jobs progress').value"), 100);
  EXPECT_THAT(text_of("jobs"), HasSubstr("Download"));
  ASSERT_EQ(service_->uploads().size(), 1u);
  const json form = service_->uploads()[0];
  EXPECT_EQ(form["file"], "lines.tsv");
  EXPECT_EQ(form["source"], "en");
  EXPECT_EQ(form["column"], "1");
  EXPECT_EQ(json::parse(form["options"].get<std::string>()), json({{"beam", 5}}));
  browser_->click("#jobs .actions button:last-child");  // Remove
  EXPECT_TRUE(browser_->wait_for("document.querySelectorAll('#jobs li').length === 0"));
  EXPECT_THAT(browser_->complaints(), IsEmpty());
}

TEST_F(PageBrowserTest, AFailedPollIsNotTheLast) {
  open();
  browser_->choose_file("#file", write("lines.txt", "Hello\n"));
  ASSERT_TRUE(wait_for_text("jobs", "of 100 lines"));
  browser_->choose_file("#file", write("flaky.txt", "Hello\n"));
  ASSERT_TRUE(wait_for_text("problem-text", "The list is not available."));
  EXPECT_TRUE(wait_for_text("jobs", "Done"));
}

TEST_F(PageBrowserTest, OlderJobsOfTheSameSecondStay) {
  open({}, {.key = "", .page_size = 2});
  const auto shows = [](int count) {
    return browser_->wait_for("document.querySelectorAll('#jobs li').length === " +
                              std::to_string(count));
  };
  for (const char* name : {"a.txt", "b.txt", "c.txt"}) {
    browser_->choose_file("#file", write(name, "Hello\n"));
    ASSERT_TRUE(wait_for_text("jobs", name));
  }
  EXPECT_TRUE(browser_->wait_for("document.querySelector('#jobs li').textContent.includes('Done')"))
      << "the list was read again";
  EXPECT_TRUE(shows(3));
  browser_->click("#jobs li:last-child .actions button:last-child");  // the job is done by now
  EXPECT_TRUE(shows(2));
}

TEST_F(PageBrowserTest, FilesThatCannotBeTranslatedAreNotSent) {
  open();
  EXPECT_EQ(text_of("formats"), "txt, odt, tsv");
  browser_->choose_file("#file", write("empty.txt", ""));
  EXPECT_TRUE(wait_for_text("problem-text", "empty.txt: the file is empty."));
  browser_->choose_file("#file", write("picture.png", "x"));
  EXPECT_TRUE(wait_for_text("problem-text",
                            "picture.png: the server does not translate files of "
                            "this kind. It takes .txt, .odt, .tsv."));
  EXPECT_TRUE(service_->uploads().empty());
  browser_->choose_file("#file", write("letter.ODT.gz", "x"));
  ASSERT_TRUE(browser_->wait_for("document.querySelectorAll('#jobs li').length === 1"));
  const json form = service_->uploads().at(0);
  EXPECT_EQ(form["source"], "en");
  EXPECT_FALSE(form.contains("column")) << "only tsv has columns";
}

const FakeService::Options kWithoutJobs{.key = "", .has_jobs = false};

TEST_F(PageBrowserTest, TheServerFindsTheLanguageOfAFile) {
  open();
  select("source", "auto");
  browser_->choose_file("#file", write("some.txt", "x"));
  ASSERT_TRUE(wait_for_text("jobs", "some.txt"));
  EXPECT_EQ(service_->uploads().at(0)["source"], "auto");
}

TEST_F(PageBrowserTest, WithoutJobsADocumentIsTranslatedAtOnce) {
  open({}, kWithoutJobs);
  EXPECT_TRUE(browser_->wait_for("!document.getElementById('files').hidden"));
  EXPECT_EQ(text_of("formats"), "txt, odt");
  browser_->choose_file("#file", write("letter.odt", "Hello world\n"));
  ASSERT_TRUE(wait_for_text("documents", "Done · 7 texts translated · 2 stay as they are"));
  EXPECT_THAT(text_of("documents"), HasSubstr("1 warning"));
  EXPECT_THAT(text_of("documents"), HasSubstr("drawing.emf is not translated"));
  EXPECT_EQ(browser_->value("document.querySelector('#documents a').pathname"),
            "/download_file/0123.odt");
  EXPECT_EQ(browser_->value("document.querySelector('#documents a').download"),
            "translated-letter.odt");
  ASSERT_EQ(service_->uploads().size(), 1U);
  EXPECT_EQ(service_->uploads()[0],
            json({{"file", "letter.odt"}, {"source", "en"}, {"target", "de"}}));
  browser_->choose_file("#file", write("wrong.odt", "x"));
  ASSERT_TRUE(wait_for_text("documents", "This is no document."));
  browser_->choose_file("#file", write("lines.tsv", "x"));
  EXPECT_TRUE(wait_for_text("problem-text", "lines.tsv: the server does not translate files"));
  browser_->click("#documents li:last-child button");  // Remove
  EXPECT_TRUE(browser_->wait_for("document.querySelectorAll('#documents li').length === 1"));
}

TEST_F(PageBrowserTest, ADocumentIsCancelled) {
  open({}, kWithoutJobs);
  browser_->choose_file("#file", write("slow.odt", "Hello\n"));
  ASSERT_TRUE(wait_for_text("documents", "Translating"));
  browser_->click("#documents button");
  EXPECT_TRUE(wait_for_text("documents", "Cancelled"));
}

TEST_F(PageBrowserTest, AJobIsCancelledAndItsButtonsKeepTheFocus) {
  open();
  browser_->choose_file("#file", write("endless.txt", "Hello\n"));
  ASSERT_TRUE(wait_for_text("jobs", "Cancel"));
  browser_->value("document.querySelector('#jobs button').focus()");
  browser_->choose_file("#file", write("second.txt", "Hello\n"));
  ASSERT_TRUE(browser_->wait_for("document.querySelectorAll('#jobs li').length === 2"));
  EXPECT_EQ(browser_->value("document.activeElement.ariaLabel"), "Cancel endless.txt");
  browser_->press("Enter", 13);
  browser_->click("#jobs li:last-child button");
  EXPECT_TRUE(wait_for_text("jobs", "Cancelled"));
  EXPECT_THAT(text_of("jobs"), HasSubstr("Download what is done"));
}

TEST_F(PageBrowserTest, AMissingKeyIsAskedFor) {
  open({}, {.key = "secret"});
  EXPECT_EQ(browser_->value("document.getElementById('key-box').open"), true);
  browser_->type("#text", "Hello");
  ASSERT_TRUE(wait_for_text("problem-text", "An API key is needed. Enter an API key"));
  browser_->type("#key", "secret");
  browser_->click("#key-form button");
  EXPECT_TRUE(wait_for_text("translation", "Hallo"));
  EXPECT_EQ(browser_->value("document.getElementById('problem').hidden"), true);
}

}  // namespace
}  // namespace dietmt::service
