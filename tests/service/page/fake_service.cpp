#include "tests/service/page/fake_service.h"

#include <chrono>
#include <cmath>
#include <map>
#include <sstream>

#include "service/page/analysis.h"
#include "service/page/page.h"

namespace dietmt::service {
namespace {

using nlohmann::json;

const std::map<std::string, std::string>& dictionary() {
  static const std::map<std::string, std::string> kWords = {
      {"Hello", "Hallo"}, {"world", "Welt"},   {"the", "das"},     {"The", "Das"},
      {"house", "Haus"},  {"is", "ist"},       {"small", "klein"}, {"green", "grün"},
      {"and", "und"},     {"garden", "Garten"}};
  return kWords;
}

std::string word_for(const std::string& word, bool to_german) {
  for (const auto& [english, german] : dictionary()) {
    if ((to_german ? english : german) == word) return to_german ? german : english;
  }
  return word;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

json translation_of(const std::vector<std::string>& words, bool to_german, int64_t rank) {
  std::string text;
  json tokens = json::array();
  for (const std::string& word : words) {
    const std::string target = word_for(word, to_german) + (rank > 0 ? std::string(1, '\'') : "");
    text += (text.empty() ? "" : " ") + target;
    const double unsure = target == word ? 1.2 : 0.02;
    tokens.push_back(
        {{"piece", "▁" + target}, {"score", -unsure - 0.4 * static_cast<double>(rank)}});
  }
  return {{"text", text}, {"score", -0.1 - 0.35 * static_cast<double>(rank)}, {"tokens", tokens}};
}

// Each line is a sentence.
json result_of(const std::string& text, bool to_german, int64_t nbest) {
  json sentences = json::array();
  std::string whole, before;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); before = "\n") {
    const std::vector<std::string> words = words_of(line);
    json translations = json::array();
    for (int64_t rank = 0; rank < nbest; ++rank)
      translations.push_back(translation_of(words, to_german, rank));
    whole += before + translations[0]["text"].get<std::string>();
    sentences.push_back({{"before", before},
                         {"source", line},
                         {"source_tokens", words.size() + 1},
                         {"cut_tokens", 0},
                         {"translations", translations}});
  }
  return {{"text", whole}, {"sentences", sentences}, {"after", ""}, {"cut", false}};
}

template <typename F>
HeadMatrices matrices(int64_t layers, int64_t rows, int64_t columns, F value) {
  HeadMatrices all{layers, 4, rows, columns, {}};
  for (int64_t layer = 0; layer < layers; ++layer)
    for (int64_t head = 0; head < all.heads; ++head)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          all.values.push_back(static_cast<float>(value(layer, head, i, j)));
  return all;
}

Analysis analysis_of(const AnalysisRequest& request) {
  Analysis analysis;
  analysis.model = request.source + "-" + request.target;
  for (const std::string& word : words_of(request.text))
    analysis.source_tokens.push_back("▁" + word);
  for (const std::string& word : words_of(request.translation))
    analysis.target_tokens.push_back("▁" + word);
  analysis.source_tokens.push_back("</s>");
  analysis.target_tokens.push_back("</s>");
  const int64_t s = std::ssize(analysis.source_tokens), t = std::ssize(analysis.target_tokens);
  const auto near = [](int64_t, int64_t head, int64_t i, int64_t j) {
    return std::exp(-std::abs(static_cast<double>(i - j)) * static_cast<double>(head + 1));
  };
  const auto past = [&](int64_t layer, int64_t head, int64_t i, int64_t j) {
    return j <= i ? near(layer, head, i, j) : 0.0;
  };
  const auto wave = [](int64_t, int64_t head, int64_t i, int64_t j) {
    return std::cos(0.7 * static_cast<double>(i - j)) * static_cast<double>(head + 1);
  };
  analysis.encoder_attention = matrices(2, s, s, near);
  analysis.decoder_attention = matrices(2, t, t, past);
  analysis.cross_attention = matrices(2, t, s, near);
  analysis.encoder_positions = matrices(2, s, s, wave);
  return analysis;
}

void answer(httplib::Response& response, const json& body, int status = 200) {
  response.status = status;
  response.set_content(body.dump(), "application/json");
}

const json kSettings = {{"charLimit", 500},
                        {"frontendTimeout", 100},
                        {"suggestions", false},
                        {"filesTranslation", false},
                        {"batchJobs", true},
                        {"supportedFilesFormat", json::array()},
                        {"language",
                         {{"source", {{"code", "en"}, {"name", "English"}}},
                          {"target", {{"code", "de"}, {"name", "German"}}}}}};

const json kLanguages = {{{"code", "en"}, {"name", "English"}, {"targets", {"en", "de", "cs"}}},
                         {{"code", "de"}, {"name", "German"}, {"targets", {"de", "en"}}}};

}  // namespace

FakeService::FakeService(Options options) : options_(std::move(options)) {
  server_.set_keep_alive_max_count(1);  // else stop() waits for idle connections
  register_page(server_);
  server_.Post("/v1/analyze", [](const auto& request, auto& response) {
    response.set_content(analysis_json(analysis_of(parse_analysis_request(request.body))),
                         "application/json");
  });
  server_.set_pre_routing_handler([this](const auto& request, auto& response) {
    const bool is_open = !request.path.starts_with("/v1/");
    if (is_open || options_.key.empty() || request.get_header_value("X-API-Key") == options_.key)
      return httplib::Server::HandlerResponse::Unhandled;
    answer(response, {{"error", "An API key is needed."}}, 401);
    return httplib::Server::HandlerResponse::Handled;
  });
  add_translation();
  add_jobs();
  port_ = server_.bind_to_any_port("127.0.0.1");
  thread_ = std::thread([this] { server_.listen_after_bind(); });
}

FakeService::~FakeService() {
  server_.stop();
  thread_.join();
}

std::vector<std::string> FakeService::translated() const {
  const std::lock_guard lock(mutex_);
  return translated_;
}

std::vector<json> FakeService::uploads() const {
  const std::lock_guard lock(mutex_);
  return uploads_;
}

void FakeService::add_translation() {
  server_.Get("/frontend/settings", [this](const auto&, auto& response) {
    json settings = kSettings;
    settings["apiKeys"] = settings["keyRequired"] = !options_.key.empty();
    answer(response, settings);
  });
  server_.Get("/languages", [](const auto&, auto& response) { answer(response, kLanguages); });
  server_.Post("/v1/translate",
               [this](const auto& request, auto& response) { translate(request, response); });
}

void FakeService::translate(const httplib::Request& request, httplib::Response& response) {
  const json body = json::parse(request.body);
  const std::string text = body.at("text");
  {
    const std::lock_guard lock(mutex_);
    translated_.push_back(text);
  }
  if (text.find("fail") != std::string::npos) {
    response.set_header("Retry-After", "7");
    return answer(response, {{"error", "The model cannot be loaded."}}, 503);
  }
  if (text.find("slow") != std::string::npos) std::this_thread::sleep_for(std::chrono::seconds(2));
  answer(response,
         {{"model", "en-de"},
          {"source", body.at("source")},
          {"target", body.at("target")},
          {"results", {result_of(text, body.at("target") == "de", body.at("nbest"))}},
          {"usage",
           {{"sentences", 1}, {"source_tokens", 3}, {"target_tokens", 3}, {"seconds", 0.04}}}});
}

void FakeService::add_jobs() {
  server_.Post("/v1/jobs",
               [this](const auto& request, auto& response) { upload(request, response); });
  server_.Get("/v1/jobs", [this](const auto&, auto& response) {
    answer(response, {{"jobs", listed_jobs()}, {"next", nullptr}});
  });
  server_.Get(R"(/v1/jobs/(\w+)/result)", [](const auto&, auto& response) {
    response.set_header("Content-Disposition", "attachment; filename=\"lines.de.txt\"");
    response.set_content("Hallo Welt\n", "text/plain");
  });
  server_.Delete(R"(/v1/jobs/(\w+))", [this](const auto& request, auto& response) {
    const std::lock_guard lock(mutex_);
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if ((*job)["id"] != request.matches[1].str()) continue;
      if ((*job)["state"] == "running") {
        (*job)["state"] = "cancelled";
        return answer(response, *job);
      }
      jobs_.erase(job);
      response.status = 204;
      return;
    }
    answer(response, {{"error", "There is no such job."}}, 404);
  });
}

void FakeService::upload(const httplib::Request& request, httplib::Response& response) {
  json form;
  for (const auto& [name, part] : request.files)
    form[name] = name == "file" ? json(part.filename) : json(part.content);
  const std::lock_guard lock(mutex_);
  uploads_.push_back(form);
  const std::string id = "00000000000000000000000000000" + std::to_string(100 + uploads_.size());
  const json job = {{"id", id},
                    {"name", form["file"]},
                    {"state", "running"},
                    {"source", form["source"]},
                    {"target", form["target"]},
                    {"lines", form["file"] == "endless.txt" ? 100'000 : 100},
                    {"lines_done", 0},
                    {"bad_lines", 0},
                    {"lines_per_second", 41.5},
                    {"seconds_left", 12.0},
                    {"created", "2026-11-21T12:00:0" + std::to_string(uploads_.size()) + "Z"},
                    {"error", nullptr}};
  jobs_.insert(jobs_.begin(), job);
  answer(response, job, 201);
}

json FakeService::listed_jobs() {
  const std::lock_guard lock(mutex_);
  for (json& job : jobs_) {
    if (job["state"] != "running") continue;
    job["lines_done"] = std::min(job["lines"].get<int>(), job["lines_done"].get<int>() + 40);
    if (job["lines_done"] == job["lines"]) job["state"] = "done";
  }
  return jobs_;
}

}  // namespace dietmt::service
