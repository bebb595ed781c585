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

// Statuses of requests sent by `clients` threads. Each sends one, and more while goes_on(number).
template <typename GoesOn, typename Request>
std::map<int, int> statuses(int clients, GoesOn goes_on, Request request) {
  std::vector<std::future<std::map<int, int>>> threads;
  for (int client = 0; client < clients; ++client) {
    threads.push_back(std::async(std::launch::async, [=] {
      std::map<int, int> counts;
      int i = 0;
      do {
        ++counts[request(client, i++)];
        std::this_thread::sleep_for(10ms);  // each request takes a port for a minute
      } while (goes_on(i));
      return counts;
    }));
  }
  std::map<int, int> all;
  for (auto& thread : threads) {
    for (const auto& [status, count] : thread.get()) all[status] += count;
  }
  return all;
}

// A server whose models do no step while the gate is closed.
TestSettings gated(Gate& gate) {
  return {.loader = [&gate](const ModelSpec&) { return fake_model({}, "", &gate); }};
}

TEST(ServiceLoadTest, ParallelClientsGetTheirOwnTranslationsWhateverOthersSend) {
  constexpr int kEach = 30;
  const TestServer server({.step = 50us});
  const std::string poison = text_of(std::vector<int32_t>{FakeDecoder::kPoison});
  std::atomic<int> wrong{0};
  const auto counts = statuses(
      16, [](int sent) { return sent < kEach; },
      [&](int client, int i) {
        if (client == 0) return server.post("/translate", request_for("ab " + poison)).first;
        const std::string digits = std::to_string(client) + "-" + std::to_string(i);
        const auto [status, body] = server.post("/translate", request_for("ab" + digits + ". c"));
        if (body.value("translatedText", "") != "AB" + digits + ". C") ++wrong;
        return status;
      });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counts, (std::map<int, int>{{200, 15 * kEach}, {500, kEach}}));
}

TEST(ServiceLoadTest, OverloadIsRefusedWithATimeToComeBack) {
  Gate gate;
  TestSettings settings = gated(gate);
  settings.registry = {.threads = {.batch_tokens = 40}, .limits = {.max_tokens = 100}};
  TestServer server(std::move(settings));
  const json request = request_for(std::string(30, 'x'));  // 31 tokens
  const auto load = [&] { return server.models().status()[0].load; };
  std::vector<std::future<int>> accepted;
  for (int i = 0; i < 4; ++i) {
    accepted.push_back(
        std::async(std::launch::async, [&] { return server.post("/translate", request).first; }));
    EXPECT_TRUE(soon([&] { return load().decoding_tokens == 31; }));
  }
  EXPECT_TRUE(soon([&] { return load().waiting_tokens == 93; }));
  const auto refused = server.client().Post("/translate", request.dump(), "application/json");
  EXPECT_EQ(refused->status, 429);
  EXPECT_GE(std::stoi(refused->get_header_value("Retry-After")), 1);
  gate.open();
  for (auto& answer : accepted) EXPECT_EQ(answer.get(), 200);
  EXPECT_EQ(server.post("/translate", request).first, 200);
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
  TestSettings settings{.api = {.limits = {.deadline = 3s}}};
  settings.loader = [&](const ModelSpec&) {
    nmt::LoadedDecoder model = fake_model();
    model.source_tokenizer = std::make_shared<const data::Tokenizer>(
        "gated.model", std::make_unique<const GatedSubwords>(prepare));
    return model;
  };
  const TestServer server(std::move(settings));
  std::vector<std::future<int>> answers;
  for (int i = 0; i < cores; ++i) {
    answers.push_back(std::async(
        std::launch::async, [&] { return server.post("/translate", request_for(text)).first; }));
  }
  gate.await(cores);
  EXPECT_EQ(server.post("/translate", request_for("short")).first, 200);
  // One more waits for its turn, until its deadline.
  auto late = std::async(std::launch::async,
                         [&] { return server.post("/translate", request_for(text)).first; });
  EXPECT_EQ(late.wait_for(60s), std::future_status::ready);
  gate.open();
  EXPECT_EQ(late.get(), 504);
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
  Gate gate;
  TestServer server(gated(gate));
  auto left = std::async(std::launch::async, [&] {
    Call call;
    call.content_type = "application/json";
    call.body = request_for("ab").dump();
    call.client_gone = [&] { return gone.load(); };
    try {
      return server.api().routes().front().handler(call).status;  // /translate
    } catch (...) {
      return error_answer(std::current_exception()).status;
    }
  });
  EXPECT_TRUE(soon([&] { return server.models().status()[0].load.decoding_tokens > 0; }));
  gone = true;
  EXPECT_EQ(left.wait_for(60s), std::future_status::ready);
  EXPECT_EQ(server.models().status()[0].load.requests, 0);
  gate.open();
  EXPECT_EQ(left.get(), 499);
}

TEST(ServiceLoadTest, ReloadUnderLoadDropsNothing) {
  std::atomic<int> loads{0};
  const TestServer server(
      {.loader = [&](const ModelSpec&) { return fake_model(100us, std::to_string(++loads)); }});
  server.post("/translate", request_for("a"));
  std::atomic<int> wrong{0}, answered{0};
  std::atomic<bool> done{false};
  auto clients = std::async(std::launch::async, [&] {
    return statuses(
        8, [&](int) { return !done; },
        [&](int, int) {
          const auto [status, body] = server.post("/translate", request_for("abc"));
          if (body.value("translatedText", "").substr(0, 3) != "ABC") ++wrong;
          ++answered;
          return status;
        });
  });
  for (int i = 0; i < 4; ++i) {
    const int before = answered;
    EXPECT_TRUE(soon([&] { return answered >= before + 8; }));
    EXPECT_EQ(server.post("/v1/models/reload", {{"model", "en-de"}}).first, 200);
  }
  done = true;
  const std::map<int, int> counts = clients.get();
  EXPECT_EQ(counts, (std::map<int, int>{{200, answered}}));
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
  Gate gate;
  TestServer server(gated(gate));
  auto running = std::async(std::launch::async,
                            [&] { return server.post("/translate", request_for("xx")).second; });
  EXPECT_TRUE(soon([&] { return server.models().status()[0].load.decoding_tokens > 0; }));
  server.api().drain();
  EXPECT_EQ(server.get("/health").first, 503);
  EXPECT_EQ(server.get("/health").second["status"], "draining");
  EXPECT_EQ(server.post("/translate", request_for("a")).first, 503);
  EXPECT_EQ(server.api().running(), 1);
  gate.open();
  EXPECT_EQ(running.get()["translatedText"], "XX");
  EXPECT_EQ(server.api().running(), 0);
}

}  // namespace
}  // namespace dietmt::service
