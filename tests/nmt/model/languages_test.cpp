#include "nmt/model/languages.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::nmt {
namespace {

ModelLanguages nllb() {
  return {.pieces = {{"en", "eng_Latn"}, {"zh-Hant", "zho_Hant"}},
          .source_before_source = true,
          .target_before_target = true};
}

ModelLanguages madlad() {
  return {.pieces = {{"de", "<2de>"}, {"fr", "<2fr>"}}, .target_before_source = true};
}

ModelLanguages bart() { return {.always = {"<s>", "</s>"}}; }

TEST(ModelLanguagesTest, TagsOfALine) {
  const LanguageTags both = nllb().tags({.source = "English", .target = "zh-TW"});
  EXPECT_EQ(both.source, "eng_Latn");
  EXPECT_EQ(both.target, "zho_Hant");
  const LanguageTags before = madlad().tags({.source = "en", .target = "fra"});
  EXPECT_EQ(before.source, "<2fr>");
  EXPECT_EQ(before.target, "");
  EXPECT_EQ(madlad().tags({.source_tag = "<2xx>"}).source, "<2xx>") << "what was asked for";
  EXPECT_EQ(ModelLanguages().tags({.source_tag = "<bt>"}).source, "<bt>");
}

TEST(ModelLanguagesTest, WhatIsMissingIsNamed) {
  const auto failure = [](const ModelLanguages& languages, const LanguageChoice& choice) {
    try {
      languages.tags(choice);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(failure(nllb(), {.target = "en"}),
            "the model has 2 languages, so the source language is needed: en, zh-Hant");
  EXPECT_EQ(failure(madlad(), {.source = "de"}),
            "the model has 2 languages, so the target language is needed: de, fr");
  EXPECT_EQ(failure(madlad(), {.target = "it"}),
            "the model does not have the target language 'it'; it has de, fr");
  EXPECT_EQ(failure({}, {.target = "it"}),
            "the model has one pair of languages, so none can be chosen");
}

TEST(ModelLanguagesTest, OfOnePairMayBeginAllSentences) {
  EXPECT_EQ(bart().tags({}), (LanguageTags{"<s>", "</s>"}));
  EXPECT_TRUE(bart().empty());
  EXPECT_THROW(bart().tags({.target = "de"}), DataError);
  EXPECT_THROW(bart().tags({.source_tag = "<bt>"}), DataError);
}

TEST(ModelLanguagesTest, ATextMayNameItsLanguage) {
  EXPECT_TRUE(madlad().is_named_in("<2de> a house"));
  EXPECT_FALSE(madlad().is_named_in("a <2de> house"));
  EXPECT_FALSE(nllb().is_named_in("eng_Latn a house"));
}

TEST(ModelLanguagesTest, TheSecondPieceOfALanguageKeepsItsWholeCode) {
  ModelLanguages languages;
  languages.add("cmn_Hans", ">>cmn_Hans<<");
  languages.add("zho", ">>zho<<");
  EXPECT_EQ(languages.pieces.at("zh"), ">>cmn_Hans<<");
  EXPECT_EQ(languages.pieces.at("zho"), ">>zho<<");
}

TEST(ModelLanguagesTest, AreStored) {
  for (const ModelLanguages& languages : {nllb(), madlad(), bart()})
    EXPECT_EQ(ModelLanguages::from_json(languages.to_json()), languages);
  nlohmann::json both = nllb().to_json();
  both["before_source"] = {"source", "target"};
  EXPECT_THROW(ModelLanguages::from_json(both), CheckpointError);
  nlohmann::json wrong = nllb().to_json();
  wrong["before_target"] = {"both"};
  EXPECT_THROW(ModelLanguages::from_json(wrong), CheckpointError);
  wrong["pieces"] = {"en"};
  EXPECT_THROW(ModelLanguages::from_json(wrong), CheckpointError);
  wrong = nllb().to_json();
  wrong["before_target"] = {"source"};
  EXPECT_THROW(ModelLanguages::from_json(wrong), CheckpointError);
}

}  // namespace
}  // namespace dietmt::nmt
