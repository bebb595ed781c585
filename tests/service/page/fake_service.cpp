#include "tests/service/page/fake_service.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

#include "service/http/form_reader.h"
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

// The alignment is of each word with the one in its place.
json translation_of(const std::vector<std::string>& words, bool to_german, int64_t rank) {
  std::string text;
  json tokens = json::array();
  json alignment{{"source_tokens", words}, {"weights", json::array()}};
  for (const std::string& word : words) {
    const std::string target = word_for(word, to_german) + (rank > 0 ? std::string(1, '\'') : "");
    text += (text.empty() ? "" : " ") + target;
    const double unsure = target == word ? 1.2 : 0.02;
    tokens.push_back(
        {{"piece", "▁" + target}, {"score", -unsure - 0.4 * static_cast<double>(rank)}});
    alignment["target_tokens"].push_back(target);
    std::vector<double> weights(words.size(), 0.0);
    weights[alignment["weights"].size()] = 1.0;
    alignment["weights"].push_back(weights);
  }
  return {{"text", text},
          {"score", -0.1 - 0.35 * static_cast<double>(rank)},
          {"tokens", tokens},
          {"alignment", alignment}};
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
reporting::HeadMatrices matrices(int64_t layers, int64_t rows, int64_t columns, F value) {
  reporting::HeadMatrices all{layers, 4, rows, columns, {}};
  for (int64_t layer = 0; layer < layers; ++layer)
    for (int64_t head = 0; head < all.heads; ++head)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          all.values.push_back(static_cast<float>(value(layer, head, i, j)));
  return all;
}

reporting::SentenceAnalysis analysis_of(const AnalysisRequest& request) {
  reporting::SentenceAnalysis analysis;
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

Answer answer(const json& body, int status = 200) {
  return {.status = status, .body = body.dump()};
}

// Requires this key unless it is empty. Without a key, accepts only the host of FakeService::url().
RouterSettings settings_of(const std::string& key) {
  if (key.empty()) return {.allowed_hosts = {"plain.example"}};
  return {.admit = [key](const std::string& given, const std::string&) {
    if (given != key) throw HttpError(401, "An API key is needed.");
  }};
}

const json kSettings = {{"charLimit", 500},
                        {"frontendTimeout", 100},
                        {"suggestions", false},
                        {"filesTranslation", true},
                        {"supportedFilesFormat", {".txt", ".odt"}},
                        {"batchJobsFormat", {".txt", ".odt", ".tsv"}},
                        {"language",
                         {{"source", {{"code", "en"}, {"name", "English"}}},
                          {"target", {{"code", "de"}, {"name", "German"}}}}}};

const json kLanguages = {{{"code", "en"}, {"name", "English"}, {"targets", {"en", "de", "cs"}}},
                         {{"code", "de"}, {"name", "German"}, {"targets", {"de", "en"}}}};

}  // namespace

FakeService::FakeService(Options options)
    : options_(std::move(options)), router_(settings_of(options_.key), metrics_) {
  for (Route& route : page_routes()) router_.add(std::move(route));
  router_.add({"POST", "/v1/analyze", [this](const Call& call) {
                 if (options_.is_packed) throw HttpError::of_option("model", "int8 weights");
                 return Answer{.body =
                                   reporting::to_json(analysis_of(parse_analysis_request(call)))};
               }});
  add_translation();
  options_.has_jobs ? add_jobs() : add_documents();
  port_ = server_.listen("127.0.0.1", 0);
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
  router_.add({"GET", "/frontend/settings",
               [this](const Call&) {
                 json settings = kSettings;
                 settings["batchJobs"] = options_.has_jobs;
                 settings["apiKeys"] = settings["keyRequired"] = !options_.key.empty();
                 return answer(settings);
               },
               Key::kNone});
  router_.add({"GET", "/languages", [](const Call&) { return answer(kLanguages); }, Key::kNone});
  router_.add({"POST", "/detect", [](const Call& call) {
                 const std::string text = json::parse(call.body).at("q");
                 const auto has = [&](const char* word) { return text.find(word) != text.npos; };
                 if (has("Print") || has("Привет"))
                   return answer(json::array({{{"language", "rw"}, {"confidence", 42.5}}}));
                 const char* code = has("dům") ? "cs" : has("Haus") || has("Hallo") ? "de" : "en";
                 return answer(json::array({{{"language", code}, {"confidence", 90.0}}}));
               }});
  router_.add({"POST", "/v1/translate", [this](const Call& call) { return translate(call); }});
}

Answer FakeService::translate(const Call& call) {
  const json body = json::parse(call.body);
  const std::string text = body.at("text");
  {
    const std::lock_guard lock(mutex_);
    translated_.push_back(text);
  }
  if (text.find("fail") != std::string::npos)
    throw HttpError(503, "The model cannot be loaded.").with_header("Retry-After", "7");
  if (text.find("slow") != std::string::npos) std::this_thread::sleep_for(std::chrono::seconds(2));
  return answer(
      {{"model", "en-de"},
       {"source", body.at("source")},
       {"target", body.at("target")},
       {"results", {result_of(text, body.at("target") == "de", body.at("nbest"))}},
       {"usage",
        {{"sentences", 1}, {"source_tokens", 3}, {"target_tokens", 3}, {"seconds", 0.04}}}});
}

void FakeService::add_jobs() {
  router_.add({.method = "POST",
               .path = "/v1/jobs",
               .handler = [this](const Call& call) { return upload(call); },
               .is_upload = true});
  router_.add(
      {"GET", "/v1/jobs", [this](const Call& call) { return list(call.parameter("before", "")); }});
  router_.add({"GET", "/v1/jobs/{id}/result", [](const Call&) {
                 return Answer{
                     .body = "Hallo Welt\n",
                     .type = "text/plain",
                     .headers = {{"Content-Disposition", "attachment; filename=\"lines.de.txt\""}}};
               }});
  router_.add(
      {"DELETE", "/v1/jobs/{id}", [this](const Call& call) { return remove(call.path_part); }});
}

Answer FakeService::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto job =
      std::find_if(jobs_.begin(), jobs_.end(), [&](const json& one) { return one["id"] == id; });
  if (job == jobs_.end()) throw HttpError(404, "There is no such job.");
  if ((*job)["state"] == "running") {
    (*job)["state"] = "cancelled";
    return answer(*job);
  }
  jobs_.erase(job);
  return {.status = 204};
}

void FakeService::add_documents() {
  router_.add({.method = "POST",
               .path = "/translate_file",
               .handler = [this](const Call& call) { return translate_file(call); },
               .is_upload = true});
}

// The form of an upload, which is kept.
json FakeService::received(const Call& call) {
  json form;
  const auto begin = [&](const FormPart& part) {
    if (part.name != "file") return PartUse::kKeep;
    form["file"] = part.file_name;
    return PartUse::kSkip;
  };
  for (const auto& [name, value] : read_form(*call.request, 1 << 20, {.begin = begin}))
    form[name] = value;
  const std::lock_guard lock(mutex_);
  uploads_.push_back(form);
  return form;
}

Answer FakeService::translate_file(const Call& call) {
  const json form = received(call);
  if (form["file"] == "wrong.odt") throw HttpError(400, "This is no document.");
  if (form["file"] == "slow.odt") std::this_thread::sleep_for(std::chrono::seconds(2));
  return answer({{"translatedFileUrl", "http://elsewhere.example/download_file/0123.odt"},
                 {"segments", {{"translated", 7}, {"copied", 2}, {"refused", 0}}},
                 {"warnings", {"drawing.emf is not translated"}}});
}

Answer FakeService::upload(const Call& call) {
  const json form = received(call);
  const std::lock_guard lock(mutex_);
  const std::string id = "00000000000000000000000000000" + std::to_string(100 + uploads_.size());
  const size_t second = options_.page_size > 0 ? 0 : uploads_.size();
  const json job = {{"id", id},
                    {"name", form["file"]},
                    {"state", "running"},
                    {"source", form["source"]},
                    {"target", form["target"]},
                    {"lines", form["file"] == "endless.txt" ? 100'000 : 100},
                    {"lines_done", 0},
                    {"bad_lines", 0},
                    {"cut_lines", 0},
                    {"lines_per_second", 41.5},
                    {"seconds_left", 12.0},
                    {"created", "2026-11-21T12:00:0" + std::to_string(second) + "Z"},
                    {"error", nullptr}};
  jobs_.insert(jobs_.begin(), job);
  list_fails_ = form["file"] == "flaky.txt";
  return answer(job, 201);
}

// `before`: the id of the last job on the previous page.
Answer FakeService::list(const std::string& before) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(list_fails_, false)) throw HttpError(503, "The list is not available.");
  for (json& job : jobs_) {
    if (job["state"] != "running") continue;
    job["lines_done"] = std::min(job["lines"].get<int>(), job["lines_done"].get<int>() + 40);
    if (job["lines_done"] == job["lines"]) job["state"] = "done";
  }
  auto begin = jobs_.begin();
  if (!before.empty())
    begin =
        1 + std::find_if(begin, jobs_.end(), [&](const json& one) { return one["id"] == before; });
  const auto left = static_cast<size_t>(jobs_.end() - begin);
  const size_t size = options_.page_size > 0 ? std::min(options_.page_size, left) : left;
  const std::vector<json> page(begin, begin + static_cast<int64_t>(size));
  return answer({{"jobs", page}, {"next", size < left ? page.back()["id"] : json(nullptr)}});
}

}  // namespace dietmt::service
