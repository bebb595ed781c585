// Glossaries of clients, on both databases.
#include "service/jobs/client_glossaries.h"

#include <gmock/gmock.h>

#include <optional>

#include "service/api/call.h"
#include "tests/service/jobs/job_queue_fixture.h"

namespace dietmt::service {
namespace {

using testing::HasSubstr;

class ClientGlossariesTest : public JobQueueTest {
 protected:
  void SetUp() override {
    JobQueueTest::SetUp();
    if (IsSkipped()) return;
    queue_.emplace(make_queue());
    glossaries_.emplace(queue_->database());
  }

  static NewDictionary dictionary(const std::string& source, const std::string& target,
                                  const std::string& lines) {
    return {source, target, data::terms_of_lines(lines, "entries")};
  }

  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
      return "none";
    } catch (const HttpError& error) {
      return std::to_string(error.status()) + " " + error.what();
    }
  }

  // `count` terms of six characters each.
  static NewDictionary many(int64_t count, const std::string& target = "de") {
    NewDictionary all{"en", target, {}};
    for (int64_t i = 0; i < count; ++i) all.terms.push_back({std::to_string(100'000 + i), {"x"}});
    return all;
  }

  std::optional<JobQueue> queue_;
  std::optional<ClientGlossaries> glossaries_;
};

TEST_P(ClientGlossariesTest, OutliveTheServer) {
  const std::string id =
      glossaries_->create("a", "pets", {dictionary("en", "de", "dog\tHund|Dackel\ncat\tKatze")}).id;
  JobQueue restarted = make_queue();
  ClientGlossaries again(restarted.database());
  const GlossaryInfo info = again.info("a", id);
  EXPECT_EQ(info.name, "pets");
  EXPECT_GT(info.created, 0);
  ASSERT_EQ(info.dictionaries.size(), 1U);
  EXPECT_EQ(info.dictionaries[0].terms, 2);
  EXPECT_EQ(again.lines("a", id, "en", "de"), "dog\tHund|Dackel\ncat\tKatze");
  EXPECT_EQ(again.find("a", id, "en", "de").glossary->find("the dog").at(0)->target_text(),
            "Hund|Dackel");
  again.remove("a", id);
  EXPECT_TRUE(again.list("a").empty());
  EXPECT_EQ(count(restarted, "dietmt_dictionaries"), 0);
}

TEST_P(ClientGlossariesTest, BelongToAKey) {
  const std::string id = glossaries_->create("a", "pets", {dictionary("en", "de", "dog\tHund")}).id;
  const std::string unknown = "404 Glossary not found: there is no glossary '" + id + "'";
  EXPECT_TRUE(glossaries_->list("b").empty());
  EXPECT_FALSE(glossaries_->find("b", id, "en", "de").is_known);
  EXPECT_EQ(error_of([&] { glossaries_->info("b", id); }), unknown);
  EXPECT_EQ(error_of([&] { glossaries_->lines("b", id, "en", "de"); }), unknown);
  EXPECT_EQ(error_of([&] { glossaries_->remove("b", id); }), unknown);
  EXPECT_EQ(error_of([&] { glossaries_->update("b", id, "x", {}); }), unknown);
  EXPECT_EQ(error_of([&] { glossaries_->replace("b", id, dictionary("en", "de", "a\tb")); }),
            unknown);
  EXPECT_EQ(error_of([&] { glossaries_->remove_dictionary("b", id, "en", "de"); }), unknown);
  EXPECT_EQ(glossaries_->info("a", id).name, "pets");
  EXPECT_THAT(error_of([&] { glossaries_->info("a", std::string("\0", 1)); }), HasSubstr("404"));
}

TEST_P(ClientGlossariesTest, AnUpdateAddsAndReplacesTerms) {
  const std::string id =
      glossaries_->create("", "pets", {dictionary("en", "de", "dog\tHund\ncat\tKatze")}).id;
  const auto term_of = [&](const char* line, const char* target = "de") -> std::string {
    const auto found = glossaries_->find("", id, "en", target).glossary->find(line);
    return found.empty() ? "" : found[0]->target_text();
  };
  EXPECT_EQ(term_of("dog"), "Hund");
  const GlossaryInfo info = glossaries_->update(
      "", id, "animals",
      {dictionary("en", "de", "dog\tDackel\nbird\tVogel"), dictionary("en", "fr", "dog\tchien")});
  EXPECT_EQ(info.name, "animals");
  EXPECT_EQ(info.dictionaries.size(), 2U);
  EXPECT_EQ(glossaries_->lines("", id, "en", "de"), "dog\tDackel\ncat\tKatze\nbird\tVogel");
  EXPECT_EQ(term_of("dog"), "Dackel");
  EXPECT_EQ(term_of("dog", "fr"), "chien");
  glossaries_->replace("", id, dictionary("en", "de", "dog\tPudel"));
  EXPECT_EQ(glossaries_->lines("", id, "en", "de"), "dog\tPudel");
  EXPECT_EQ(term_of("dog"), "Pudel");
  EXPECT_EQ(term_of("cat"), "");
  glossaries_->remove_dictionary("", id, "en", "de");
  EXPECT_EQ(error_of([&] { glossaries_->remove_dictionary("", id, "en", "de"); }),
            "404 Dictionary not found: the glossary '" + id + "' has none for en-de");
  const GlossaryStore::Found found = glossaries_->find("", id, "en", "de");
  EXPECT_TRUE(found.is_known);
  EXPECT_EQ(found.glossary, nullptr);
}

TEST_P(ClientGlossariesTest, ALanguageHasAllItsVariants) {
  const std::string id =
      glossaries_
          ->create("", "x",
                   {dictionary("en", "pt", "dog\tall"), dictionary("en", "pt-br", "dog\tbr"),
                    dictionary("en", "zh-hant", "dog\thant"), dictionary("en-gb", "de", "dog\tde")})
          .id;
  const auto term_of = [&](const char* source, const char* target) -> std::string {
    const auto found = glossaries_->find("", id, source, target).glossary;
    return found ? found->terms().at(0).target_text() : "none";
  };
  EXPECT_EQ(term_of("en", "pt"), "br");  // the language without a region is usually this one
  EXPECT_EQ(term_of("en", "pt_PT"), "all");
  EXPECT_EQ(term_of("en", "pt_BR"), "br");
  EXPECT_EQ(term_of("en", "zh_Hans"), "none");
  EXPECT_EQ(term_of("en", "zh_Hant"), "hant");
  EXPECT_EQ(term_of("en", "de"), "de");
  EXPECT_EQ(term_of("fr", "de"), "none");
}

TEST_P(ClientGlossariesTest, LimitsAreNamed) {
  const std::string id = glossaries_->create("", "x", {many(60'000)}).id;
  const std::string too_many = "413 the glossary would have 120000 terms; the limit is 100000";
  EXPECT_EQ(error_of([&] { glossaries_->update("", id, "", {many(60'000, "fr")}); }), too_many);
  EXPECT_EQ(glossaries_->info("", id).dictionaries.size(), 1U);  // nothing was stored
  NewDictionary large{"en", "fr", {}};
  for (int i = 0; i < 27'000; ++i)
    large.terms.push_back({std::to_string(i), {std::string(200, 'x'), std::string(200, 'y')}});
  EXPECT_THAT(error_of([&] { glossaries_->replace("", id, large); }),
              HasSubstr("bytes of terms; the limit is 10485760"));
  queue_->database().execute(
      "WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 999) "
      "INSERT INTO dietmt_glossaries (id, owner, name, created) SELECT 'id ' || i, '', 'x', i "
      "FROM numbers");
  EXPECT_EQ(error_of([&] { glossaries_->create("", "x", {many(1)}); }),
            "456 this server would have 1001 glossaries; the limit is 1000");
  EXPECT_EQ(error_of([&] { glossaries_->create("another", "x", {many(1)}); }), "none");
}

// Those in use are in memory, as many terms as fit.
TEST_P(ClientGlossariesTest, AGlossaryIsNotReadAgainForEachRequest) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(glossaries_->create("", "x", {many(50'000)}).id);
  const auto find = [&](size_t i) { return glossaries_->find("", ids[i], "en", "de").glossary; };
  const data::Glossary* const first = find(0).get();
  EXPECT_EQ(find(0).get(), first);
  std::weak_ptr<const data::Glossary> last_used = find(0);
  for (size_t i = 1; i < 4; ++i) find(i);
  EXPECT_FALSE(last_used.expired());
  find(4);
  EXPECT_TRUE(last_used.expired());
}

INSTANTIATE_TEST_SUITE_P(Databases, ClientGlossariesTest, both_databases(), database_name);

}  // namespace
}  // namespace dietmt::service
