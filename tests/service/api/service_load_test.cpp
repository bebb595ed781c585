// The service under load: many clients, overload, slow answers, reloads, shutdown.
#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <map>
#include <thread>

#include "tests/common/soon.h"
#include "tests/service/api/test_server.h"
#include "tests/service/gate.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;

json request_for(const std::string& text) {
  return {{"q", text}, {"source", "en"}, {"target", "de"}};
}

// Statuses of requests sent by `clients` threads for a while, at least one each.
template <typename Request>
std::map<int, int> statuses(int clients, std::chrono::milliseconds duration, Request request) {
  std::vector<std::future<std::map<int, int>>> threads;
  const auto end = std::chrono::steady_clock::now() + duration;
  for (int client = 0; client < clients; ++client) {
    threads.push_back(std::async(std::launch::async, [=] {
      std::map<int, int> counts;
      int i = 0;
      do {
        ++counts[request(client, i++)];
        std::this_thread::sleep_for(10ms);  // each request takes a port for a minute
      } while (std::chrono::steady_clock::now() < end);
      return counts;
    }));
  }
  std::map<int, int> all;
  for (auto& thread : threads) {
    for (const auto& [status, count] : thread.get()) all[status] += count;
  }
  return all;
}

TEST(ServiceLoadTest, ParallelClientsGetTheirOwnTranslationsWhateverOthersSend) {
  const TestServer server({.step = 50us});
  const std::string poison = text_of(std::vector<int32_t>{FakeDecoder::kPoison});
  std::atomic<int> wrong{0};
  const auto counts = statuses(16, 1s, [&](int client, int i) {
    if (client == 0) return server.post("/translate", request_for("ab " + poison)).first;
    const std::string digits = std::to_string(client) + "-" + std::to_string(i);
    const auto [status, body] = server.post("/translate", request_for("ab" + digits + ". c"));
    if (body.value("translatedText", "") != "AB" + digits + ". C") ++wrong;
    return status;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_GE(counts.at(200), 15);
  EXPECT_GT(counts.at(500), 0);
}

TEST(ServiceLoadTest, OverloadIsRefusedWithATimeToComeBack) {
  const TestServer server(
      {.registry = {.threads = {.batch_tokens = 40}, .limits = {.max_tokens = 100}}, .step = 1ms});
  std::atomic<int> without_time{0};
  const auto counts = statuses(24, 1500ms, [&](int, int) {
    const auto result = server.client().Post("/translate", request_for(std::string(30, 'x')).dump(),
                                             "application/json");
    if (!result) return 0;
    if (result->status == 429 && std::stoi(result->get_header_value("Retry-After")) < 1)
      ++without_time;
    return result->status;
  });
  EXPECT_EQ(counts.size(), 2U);
  EXPECT_GT(counts.at(200), 0);
  EXPECT_GT(counts.at(429), 0);
  EXPECT_EQ(without_time, 0);
  EXPECT_EQ(server.post("/translate", request_for("a")).first, 200);
}

TEST(ServiceLoadTest, AShortRequestPassesALongOne) {
  TestServer server({.registry = {.threads = {.batch_tokens = 100}, .limits = {.turn_tokens = 100}},
                     .step = 200us});
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "A sentence of words.\n";
  auto large = std::async(std::launch::async,
                          [&] { return server.post("/translate", request_for(text)).first; });
  ASSERT_TRUE(soon([&] { return server.models().status()[0].load.decoding_tokens > 0; }));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.post("/translate", request_for("ab")).first, 200);
  EXPECT_EQ(large.wait_for(0s), std::future_status::timeout);
  EXPECT_EQ(large.get(), 200);
}

// Calls a function with each text before it is split into pieces.
class GatedSubwords : public data::CharacterSubwords {
 public:
  explicit GatedSubwords(std::function<void(std::string_view)> prepare)
      : prepare_(std::move(prepare)) {}
  std::vector<int32_t> encode(std::string_view text) const override {
    prepare_(text);
    return CharacterSubwords::encode(text.substr(0, 100));
  }

 private:
  const std::function<void(std::string_view)> prepare_;
};

TEST(ServiceLoadTest, LongRequestsArePreparedOneForEachCore) {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::string text(5000, 'x');
  Gate gate;
  std::atomic<int> prepared = 0, most = 0;
  const auto prepare = [&](std::string_view sentence) {
    if (sentence.size() < text.size()) return;
    const int now = ++prepared;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    gate.wait();
    --prepared;
  };
  const TestServer server({.loader = [&](const ModelSpec&) {
    nmt::LoadedDecoder model = fake_model();
    model.source_tokenizer = std::make_shared<const data::Tokenizer>(
        "gated.model", std::make_unique<const GatedSubwords>(prepare));
    return model;
  }});
  std::vector<std::future<int>> answers;
  for (int i = 0; i < cores + 3; ++i) {
    answers.push_back(std::async(
        std::launch::async, [&] { return server.post("/translate", request_for(text)).first; }));
  }
  gate.await(cores);
  EXPECT_EQ(server.post("/translate", request_for("short")).first, 200);
  gate.open();
  for (auto& answer : answers) EXPECT_EQ(answer.get(), 200);
  EXPECT_EQ(most, cores);
}

TEST(ServiceLoadTest, PastItsDeadlineARequestIs504) {
  TestServer server({.api = {.limits = {.deadline = 5000ms}}, .step = 200ms});
  const std::string slow(190, 'x');  // 38 seconds
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(server.post("/translate", request_for(slow)).first, 504);
  EXPECT_EQ(
      server.post("/v1/translate", {{"text", slow}, {"model", "en-de"}, {"deadline_ms", 50}}).first,
      504);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s) << "it was translated to its end";
  EXPECT_EQ(server.post("/translate", request_for("a")).first, 200);
  EXPECT_EQ(server.models().status()[0].load.decoding_tokens, 0);
}

TEST(ServiceLoadTest, TheDeadlineCountsFromTheArrivalOfTheRequest) {
  TestServer server({.api = {.limits = {.deadline = 60s}}, .step = 20ms});
  HttpRequest request;
  Call call;
  call.content_type = "application/json";
  call.body = request_for("a").dump();
  call.request = &request;
  const auto status = [&](std::chrono::milliseconds age) {
    request.arrived = std::chrono::steady_clock::now() - age;
    try {
      return server.api().routes().front().handler(call).status;  // /translate
    } catch (...) {
      return error_answer(std::current_exception()).status;
    }
  };
  EXPECT_EQ(status(0ms), 200);
  EXPECT_EQ(status(60'001ms), 504);
}

TEST(ServiceLoadTest, AClientThatLeftIsNotTranslatedFor) {
  std::atomic<bool> gone{false};
  TestServer server({.step = 20ms});
  auto left = std::async(std::launch::async, [&] {
    Call call;
    call.content_type = "application/json";
    call.body = request_for(std::string(150, 'x')).dump();
    call.client_gone = [&] { return gone.load(); };
    try {
      return server.api().routes().front().handler(call).status;  // /translate
    } catch (...) {
      return error_answer(std::current_exception()).status;
    }
  });
  while (server.models().status()[0].load.decoding_tokens == 0) std::this_thread::sleep_for(1ms);
  gone = true;
  EXPECT_EQ(left.get(), 499);
  EXPECT_EQ(server.models().status()[0].load.requests, 0);
}

TEST(ServiceLoadTest, ReloadUnderLoadDropsNothing) {
  std::atomic<int> loads{0};
  const TestServer server(
      {.loader = [&](const ModelSpec&) { return fake_model(100us, std::to_string(++loads)); }});
  server.post("/translate", request_for("a"));
  std::atomic<int> wrong{0};
  auto clients = std::async(std::launch::async, [&] {
    return statuses(8, 1s, [&](int, int) {
      const auto [status, body] = server.post("/translate", request_for("abc"));
      if (body.value("translatedText", "").substr(0, 3) != "ABC") ++wrong;
      return status;
    });
  });
  for (int i = 0; i < 4; ++i) {
    std::this_thread::sleep_for(150ms);
    EXPECT_EQ(server.post("/v1/models/reload", {{"model", "en-de"}}).first, 200);
  }
  const auto counts = clients.get();
  EXPECT_EQ(counts.size(), 1U);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(server.post("/translate", request_for("a")).second["translatedText"], "A5");
}

TEST(ServiceLoadTest, AModelThatCannotBeReadIs503AndOthersServe) {
  const TestServer server({.loader = [](const ModelSpec& spec) -> nmt::LoadedDecoder {
    if (spec.source == "en") throw Error("first/model.safetensors: no such file");
    return fake_model();
  }});
  const auto result =
      server.client().Post("/translate", request_for("a").dump(), "application/json");
  EXPECT_EQ(result->status, 503);
  EXPECT_TRUE(result->has_header("Retry-After"));
  EXPECT_THAT(result->body, HasSubstr("model 'en-de' cannot be loaded"));
  EXPECT_EQ(server.post("/translate", {{"q", "a"}, {"source", "de"}, {"target", "en"}}).first, 200);
  const json models = server.get("/v1/models").second["models"];
  EXPECT_EQ(models[0]["state"], "failed");
  EXPECT_EQ(models[0]["error"], "first/model.safetensors: no such file");
  EXPECT_EQ(models[1]["state"], "ready");
  EXPECT_EQ(models[2]["state"], "not_loaded");
  EXPECT_EQ(server.post("/v1/models/reload", {{"model", "en-de"}}).first, 503);
}

TEST(ServiceLoadTest, DrainingFinishesWhatRuns) {
  TestServer server({.step = 50ms});
  auto running = std::async(std::launch::async, [&] {
    return server.post("/translate", request_for(std::string(60, 'x'))).second;
  });
  while (server.models().status()[0].load.decoding_tokens == 0) std::this_thread::sleep_for(1ms);
  server.api().drain();
  EXPECT_EQ(server.get("/health").first, 503);
  EXPECT_EQ(server.get("/health").second["status"], "draining");
  EXPECT_EQ(server.post("/translate", request_for("a")).first, 503);
  EXPECT_EQ(server.api().running(), 1);
  EXPECT_EQ(running.get()["translatedText"], std::string(60, 'X'));
  EXPECT_EQ(server.api().running(), 0);
}

}  // namespace
}  // namespace dietmt::service
