#include "service/api/fields.h"

#include <gmock/gmock.h>

#include "service/http/url.h"

namespace dietmt::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Call json_call(const std::string& body) {
  Call call;
  call.content_type = "application/json";
  call.body = body;
  return call;
}

Call form_call(const std::string& body) {
  Call call;
  call.content_type = "application/x-www-form-urlencoded";
  call.body = body;
  return call;
}

// "STATUS OPTION MESSAGE" of the exception that `action` throws.
template <typename Action>
std::string problem_of(Action action) {
  try {
    action();
    return "none";
  } catch (const HttpError& error) {
    return std::to_string(error.status()) + " " + error.option() + " " + error.what();
  }
}

TEST(FieldsTest, FormsAreDecoded) {
  EXPECT_THAT(parse_form("q=a+b%21&x=%C3%A4&empty=&alone&&bad=%zz%4"),
              ElementsAre(Pair("q", "a b!"), Pair("x", "ä"), Pair("empty", ""), Pair("alone", ""),
                          Pair("bad", "%zz%4")));
  const Fields fields(form_call("q=one&q=two&q=three&alternatives=2"));
  EXPECT_THAT(fields.texts("q"), ElementsAre("one", "two", "three"));
  EXPECT_EQ(fields.integer_or("alternatives", 0, 0, 9), 2);
}

TEST(FieldsTest, TheQueryHasFieldsToo) {
  Call call = json_call(R"({"q": "body"})");
  call.query = {{"q", "query"}, {"source", "en"}};
  const Fields fields(call);
  EXPECT_EQ(fields.text("q"), "body");
  EXPECT_EQ(fields.text("source"), "en");
  EXPECT_FALSE(Fields::of_json(call).has("source"));
}

TEST(FieldsTest, StringsStandForNumbersAndFlags) {
  const std::string body = R"({"n": "2", "yes": "true", "no": "0", "bad": "2x"})";
  const Fields fields(json_call(body));
  EXPECT_EQ(fields.integer_or("n", 0, 0, 9), 2);
  EXPECT_TRUE(fields.flag_or("yes", false));
  EXPECT_FALSE(fields.flag_or("no", true));
  EXPECT_THAT(problem_of([&] { fields.integer_or("bad", 0, 0, 9); }), HasSubstr("400 bad"));
  const Fields strict = Fields::of_json(json_call(body));
  EXPECT_THAT(problem_of([&] { strict.integer_or("n", 0, 0, 9); }), HasSubstr("400 n"));
  EXPECT_THAT(problem_of([&] { strict.flag_or("yes", false); }), HasSubstr("400 yes"));
}

TEST(FieldsTest, BadJsonIsToldWithItsPlace) {
  EXPECT_THAT(problem_of([] { Fields(json_call("{\"q\": \n oops}")); }),
              HasSubstr("400  the body is not valid JSON: parse error at line 2, column"));
  EXPECT_THAT(problem_of([] { Fields(json_call("{\"n\": 1e999}")); }), HasSubstr("400"));
  EXPECT_THAT(problem_of([] { Fields(json_call("[1]")); }),
              HasSubstr("400  the body is not a JSON object"));
}

TEST(FieldsTest, DeepNestingIsNoDanger) {
  EXPECT_THAT(problem_of([] { Fields(json_call(std::string(1'000'000, '['))); }), HasSubstr("413"));
  const std::string deep = "{\"q\":" + std::string(99'000, '[') + std::string(99'000, ']') + "}";
  EXPECT_THAT(problem_of([&] { Fields(json_call(deep)).texts("q"); }), HasSubstr("400 q"));
}

TEST(FieldsTest, ValuesAreBounded) {
  const auto repeated = [](const std::string& text, int64_t times) {
    std::string all;
    for (int64_t i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string problem = "413  the body has too many values";
  const auto texts = [&](int64_t count) {
    return json_call(R"({"text": [)" + repeated(R"("[\"{,",)", count - 1) + R"("a"]})");
  };
  EXPECT_EQ(problem_of([&] { Fields fields(texts(kMaxValues - 2)); }), "none");
  EXPECT_EQ(problem_of([&] { Fields fields(texts(kMaxValues - 1)); }), problem);
  EXPECT_EQ(problem_of([&] { Fields fields(json_call(repeated("{\"a\":", kMaxValues + 1))); }),
            problem);
  EXPECT_EQ(problem_of([&] { Fields fields(form_call(repeated("a&", kMaxValues - 1))); }), "none");
  EXPECT_EQ(problem_of([&] { Fields fields(form_call(repeated("a&", kMaxValues))); }), problem);
}

TEST(FieldsTest, TextThatIsNotUtf8IsRefused) {
  EXPECT_EQ(problem_of([] { Fields(json_call("{\"q\": \"\xFF\"}")); }),
            "400  the body is not valid UTF-8 at byte 8");
  EXPECT_EQ(problem_of([] { Fields(form_call("q=a%FF")); }),
            "400  field 'q' is not valid UTF-8 at byte 2");
  EXPECT_THAT(problem_of([] { Fields(json_call(R"({"q": "\ud800"})")); }), HasSubstr("400"));
}

TEST(FieldsTest, OtherTypesOfBodies) {
  Call call = json_call("<q/>");
  call.content_type = "text/xml";
  EXPECT_EQ(problem_of([&] { Fields fields(call); }),
            "415  the body must be JSON or a form; its Content-Type is 'text/xml'");
  EXPECT_THAT(problem_of([] { Fields::of_json(form_call("q=1")); }), HasSubstr("415"));
  EXPECT_FALSE(Fields(json_call("")).has("q"));
}

// As curl -d and fetch() send it without a header field.
TEST(FieldsTest, JsonOfAnotherTypeIsToldTheRightOne) {
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded"}) {
    Call call = json_call(" {\"q\": \"a=b\"}");
    call.content_type = type;
    for (const auto& read : std::vector<std::function<void()>>{[&] { Fields fields(call); },
                                                               [&] { Fields::of_json(call); }})
      EXPECT_THAT(problem_of(read),
                  AllOf(HasSubstr("415"), HasSubstr(*type == 0 ? "missing" : type),
                        HasSubstr("send Content-Type: application/json")));
  }
}

TEST(FieldsTest, AWrongTypeNamesItsField) {
  const Fields fields(json_call(R"({"q": 1, "b": "yes", "n": 2.5, "x": null, "big": 1e30})"));
  EXPECT_EQ(problem_of([&] { fields.texts("q"); }),
            "400 q q must be a string or a list of strings");
  const Call key = json_call(R"({"q": "a", "api_key": 1})");
  EXPECT_EQ(problem_of([&] { Fields both(key); }), "400 api_key api_key must be a string");
  EXPECT_EQ(problem_of([&] { Fields::of_json(key); }), "400 api_key api_key must be a string");
  EXPECT_EQ(problem_of([&] { fields.flag_or("b", true); }), "400 b b must be true or false");
  EXPECT_EQ(problem_of([&] { fields.integer_or("n", 1, 0, 5); }),
            "400 n n must be a whole number from 0 to 5");
  EXPECT_THAT(problem_of([&] { fields.integer_or("big", 1, 0, 5); }), HasSubstr("400 big"));
  EXPECT_EQ(Fields(json_call(R"({"n": 2.0})")).integer_or("n", 1, 0, 5), 2);
  EXPECT_EQ(problem_of([&] { fields.text("x"); }), "400 x Invalid request: missing x parameter");
  EXPECT_EQ(problem_of([&] {
              fields.allow_only({"q", "b", "n", "big"});
            }),
            "400 x x is not a field of this request");
}

std::string search_problem(const std::string& json) {
  return problem_of([&] { search_options(Fields(json_call(json)), {}); });
}

TEST(DecodingFieldsTest, AModelHasItsOwnDefaultsWithinTheLimits) {
  const ServiceLimits limits{.beam = 8};
  const nmt::SearchDefaults own = {{"beam", 12}, {"length_penalty", 0.5}};
  EXPECT_EQ(default_search(limits, own).beam, 8);
  EXPECT_EQ(search_options(Fields(json_call("{}")), limits, own).length_penalty, 0.5);
  const nmt::SearchOptions asked =
      search_options(Fields(json_call(R"({"beam": 5, "length_penalty": 1})")), limits, own);
  EXPECT_EQ(asked.beam, 5);
  EXPECT_EQ(asked.length_penalty, 1.0);
}

TEST(DecodingFieldsTest, AllOptionsAreRead) {
  const nmt::SearchOptions options = search_options(
      Fields(json_call(R"({"beam": 4, "nbest": 3, "length_penalty": 0.6, "length_norm": "gnmt",
                           "max_length_factor": 1.5, "max_length_offset": 7, "min_length": 2,
                           "no_repeat_ngram": 3, "repetition_penalty": 1.2,
                           "max_source_length": 99, "sample": true, "top_k": 10, "top_p": 0.9,
                           "temperature": 0.7, "seed": 12})")),
      {});
  EXPECT_EQ(options.beam, 4);
  EXPECT_EQ(options.nbest, 3);
  EXPECT_EQ(options.length_penalty, 0.6);
  EXPECT_EQ(options.length_norm, "gnmt");
  EXPECT_EQ(options.max_length_factor, 1.5);
  EXPECT_EQ(options.max_length_offset, 7);
  EXPECT_EQ(options.min_length, 2);
  EXPECT_EQ(options.no_repeat_ngram, 3);
  EXPECT_EQ(options.repetition_penalty, 1.2);
  EXPECT_EQ(options.max_source_length, 99);
  EXPECT_TRUE(options.sample);
  EXPECT_EQ(options.top_k, 10);
  EXPECT_EQ(options.top_p, 0.9);
  EXPECT_EQ(options.temperature, 0.7);
  EXPECT_EQ(options.seed, 12);
  EXPECT_EQ(search_options(Fields(json_call(R"({"patience": 2.5})")), {}).patience, 2.5);
  const nmt::SearchOptions diverse =
      search_options(Fields(json_call(R"({"beam": 6, "diverse_groups": 3, "diversity_strength": 0.2,
                                   "coverage_penalty": 0.3})")),
                     {});
  EXPECT_EQ(diverse.diverse_groups, 3);
  EXPECT_EQ(diverse.diversity_strength, 0.2);
  EXPECT_EQ(diverse.coverage_penalty, 0.3);
}

TEST(DecodingFieldsTest, ProblemsNameTheOption) {
  EXPECT_EQ(search_problem("{}"), "none");
  EXPECT_EQ(search_problem(R"({"beam": 0})"), "400 beam beam must be a whole number from 1 to 32");
  EXPECT_EQ(search_problem(R"({"beam": 2, "nbest": 3})"),
            "400 nbest nbest must not be larger than beam");
  EXPECT_EQ(search_problem(R"({"top_p": 2, "sample": true})"),
            "400 top_p top_p is 2; it must be above 0 and at most 1");
  EXPECT_EQ(search_problem(R"({"top_k": 5})"),
            "400 top_k top_k, top_p, epsilon and temperature need sample");
  EXPECT_EQ(search_problem(R"({"length_norm": "none"})"),
            "400 length_norm length_norm is 'none'; it must be power or gnmt");
  EXPECT_EQ(search_problem(R"({"length_penalty": -1})"),
            "400 length_penalty length_penalty is -1; it must be from 0 to 10");
  EXPECT_EQ(search_problem(R"({"max_length_factor": 10.5})"),
            "400 max_length_factor max_length_factor is 10.5; it must be from 0 to 10");
  EXPECT_EQ(search_problem(R"({"no_repeat_ngram": 10001})"),
            "400 no_repeat_ngram no_repeat_ngram must be a whole number from 0 to 10000");
  EXPECT_EQ(search_problem(R"({"repetition_penalty": 0})"),
            "400 repetition_penalty repetition_penalty is 0; it must be from 0.01 to 100");
  EXPECT_EQ(search_problem(R"({"patience": 2, "sample": true})"),
            "400 patience patience is for beam search: leave out sample");
  EXPECT_EQ(search_problem(R"({"nbest": 5, "patience": 0.5})"),
            "400 nbest nbest must not be larger than beam * patience");
  EXPECT_EQ(search_problem(R"({"beam": 5, "diverse_groups": 2})"),
            "400 beam beam 5 is not divisible by diverse_groups 2");
  EXPECT_EQ(search_problem(R"({"beam": 4, "diverse_groups": 2, "sample": true})"),
            "400 diverse_groups diverse_groups is for beam search: leave out sample");
  EXPECT_EQ(search_problem(R"({"diversity_strength": 1})"),
            "400 diversity_strength diversity_strength needs diverse_groups 2 or more");
}

}  // namespace
}  // namespace dietmt::service
