#include "service/api/text_translator.h"

#include <gmock/gmock.h>

#include "service/scheduling/scheduling_errors.h"
#include "tests/service/fake_decoder.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;

// Counts the texts that it decodes.
class CountedSubwords : public data::CharacterSubwords {
 public:
  explicit CountedSubwords(int& decoded) : decoded_(decoded) {}
  std::string decode(std::span<const int32_t> ids) const override {
    ++decoded_;
    return CharacterSubwords::decode(ids);
  }

 private:
  int& decoded_;
};

// Decoding and placing markup also count as work for a request.
TEST(TextTranslatorTest, NoFurtherSentenceIsDecodedForAClientThatLeft) {
  const ModelSpec spec = {"en-de", "en", "de", "first"};
  int decoded = 0;
  ModelRegistry models({spec},
                       [&](const ModelSpec&) {
                         nmt::LoadedDecoder model = fake_model(0us);
                         model.target_tokenizer = std::make_shared<const data::Tokenizer>(
                             "counted.model", std::make_unique<const CountedSubwords>(decoded));
                         return model;
                       },
                       {});
  const ServedPath path = acquire(models, {&spec}, {});
  EXPECT_EQ(translate_texts(path, {"a", "b", "c"}, {}, {}).size(), 3U);
  EXPECT_EQ(decoded, 3);
  decoded = 0;
  const Patience patience{.client_gone = [&] { return decoded > 0; }};
  EXPECT_THROW(translate_texts(path, {"a", "b", "c"}, {}, patience), ClientGone);
  EXPECT_EQ(decoded, 1);
}

TEST(TextTranslatorTest, SentencesThatTheSourceWritesTogetherAreParted) {
  TranslatedText text;
  for (const char* translation : {"One.", "Two."}) {
    text.sentences.emplace_back();
    text.sentences.back().translations.push_back({.text = translation});
  }
  using Texts = std::vector<std::string>;
  EXPECT_EQ(text.joined(), "One. Two.");
  EXPECT_EQ(text.by_sentence(), Texts({"One.", " Two."}));
  EXPECT_EQ(text.by_sentence("Zero."), Texts({" One.", " Two."}));
}

}  // namespace
}  // namespace dietmt::service
