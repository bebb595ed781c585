#include "fetching/chat/chat_format.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"

namespace dietmt::fetching {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ChatFormat, CompletesTheUrl) {
  const std::string full = "http://host/v1/chat/completions";
  EXPECT_EQ(completions_url("http://host/v1"), full);
  EXPECT_EQ(completions_url("http://host/v1/"), full);
  EXPECT_EQ(completions_url(full), full);
}

TEST(ChatFormat, SendsOnlyWhatIsSet) {
  const ChatPrompt plain = ChatPrompt::parse("{text}", {}, "prompt");
  EXPECT_EQ(nlohmann::json::parse(chat_request({.model = "m"}, plain, "a \"b\"", 1)),
            nlohmann::json::parse(
                R"({"model": "m", "messages": [{"role": "user", "content": "a \"b\""}]})"));
  const ChatPrompt both = ChatPrompt::parse("S\n---\n{text}", {}, "prompt");
  const ChatSettings settings{
      .model = "m", .temperature = 0.5, .top_p = 0.9, .seed = 7, .max_tokens = 99};
  EXPECT_EQ(nlohmann::json::parse(chat_request(settings, both, "a", 3)),
            nlohmann::json::parse(R"({"model": "m", "messages": [{"role": "system", "content": "S"},
                {"role": "user", "content": "a"}], "n": 3, "temperature": 0.5, "top_p": 0.9,
                "seed": 7, "max_tokens": 99})"));
}

TEST(ChatFormat, ReadsChoicesAndCounts) {
  const ChatAnswer answer = parse_chat_answer(R"({"choices": [
      {"message": {"content": " Ein Hund.\n"}, "finish_reason": "stop"},
      {"message": {"content": null, "refusal": "No."}}],
      "usage": {"prompt_tokens": 12, "completion_tokens": 3}})");
  ASSERT_EQ(answer.choices.size(), 2);
  EXPECT_EQ(answer.choices[0].text, "Ein Hund.");
  EXPECT_EQ(answer.choices[0].finish, "stop");
  EXPECT_TRUE(answer.choices[1].is_refused);
  EXPECT_EQ(answer.input_tokens, 12);
  EXPECT_EQ(answer.output_tokens, 3);
}

TEST(ChatFormat, RemovesThoughtsAtTheBeginning) {
  const auto left = [](std::string_view line, const std::string& text) {
    ChatChoice choice{.text = text};
    remove_thoughts(line, choice);
    return choice.text;
  };
  EXPECT_EQ(left("A dog.", "<think>A dog,\nso\n</think>\n\nEin Hund."), "Ein Hund.");
  EXPECT_EQ(left("A dog.", "<think></think>Ein </think>"), "Ein </think>");
  EXPECT_EQ(left("A dog.", "<think>I wonder whether"), "");
  EXPECT_EQ(left("A dog.", "Ein <think>x</think>"), "Ein <think>x</think>");
  EXPECT_EQ(left(" <think> is a tag", "<think> ist ein Tag</think>"),
            "<think> ist ein Tag</think>");
}

TEST(ChatFormat, RefusesOtherAnswers) {
  for (const char* const body :
       {"", "<html>", "[]", "{}", R"({"choices": []})", R"({"choices": 1})", R"({"choices": [1]})",
        R"({"choices": [{"message": {"content": 1}}]})", R"({"choices": [{"text": "a"}]})",
        R"({"choices": [{"message": {"content": "a")"})
    EXPECT_THROW(parse_chat_answer(body), DataError) << body;
}

TEST(ChatFormat, FindsTheMessageOfAnError) {
  EXPECT_EQ(error_message(R"({"error": {"message": "No such\nmodel"}})"), "No such model");
  EXPECT_EQ(error_message(R"({"error": "wrong key"})"), "wrong key");
  EXPECT_EQ(error_message("Bad gateway\n"), "Bad gateway");
  EXPECT_EQ(error_message(std::string(1000, 'x')).size(), 300);
}

TEST(ChatFormat, NamesWhatIsWrongWithAnAnswer) {
  const std::string line = "A dog runs.";
  const auto problem = [&](const ChatChoice& choice) { return bad_answer(line, choice, 4); };
  EXPECT_THAT(problem({.text = "Ein Hund rennt.", .finish = "stop"}), IsEmpty());
  EXPECT_THAT(problem({.text = "一只狗"}), IsEmpty());
  EXPECT_THAT(problem({}), HasSubstr("empty"));
  EXPECT_THAT(problem({.text = "Ein\nHund"}), HasSubstr("several lines"));
  EXPECT_THAT(problem({.text = "Ein\u2028Hund"}), HasSubstr("several lines"));
  EXPECT_THAT(problem({.text = "Ein Hu", .finish = "length"}), HasSubstr("cut off"));
  EXPECT_THAT(problem({.text = "x", .finish = "content_filter"}), HasSubstr("refusal"));
  EXPECT_THAT(problem({.text = "x", .is_refused = true}), HasSubstr("refusal"));
  EXPECT_THAT(problem({.text = std::string(4 * 11 + 30, 'x')}), IsEmpty());
  EXPECT_EQ(problem({.text = std::string(4 * 11 + 31, 'x')}),
            "the answer has 75 characters, the line 11");
  EXPECT_THAT(bad_answer(std::string(200, 'x'), {.text = "short"}, 4), HasSubstr("the line 200"));
}

}  // namespace
}  // namespace dietmt::fetching
