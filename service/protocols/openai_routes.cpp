// OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat): translates the
// last message of the user. The model names the languages: en-de or, for any source, auto-de.
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "service/api/sentence_stream.h"
#include "service/protocols/protocol_routes.h"

namespace dietmt::service {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json openai_error(int status, const std::string& message) {
  return {{"error",
           {{"message", message},
            {"type", status < 500 ? "invalid_request_error" : "server_error"},
            {"param", nullptr},
            {"code", nullptr}}}};
}

// A string, or a list of parts; some of them are texts.
std::string content_of(const json& message) {
  const json content = message.value("content", json());
  if (content.is_string()) return content;
  std::string text;
  if (content.is_array())
    for (const json& part : content)
      if (part.is_object() && part.value("type", json()) == "text" &&
          part.value("text", json()).is_string())
        text += part["text"].get<std::string>();
  return text;
}

std::string last_user_message(const json& messages) {
  for (auto message = messages.rbegin(); message != messages.rend(); ++message)
    if (message->is_object() && message->value("role", json()) == "user")
      return content_of(*message);
  throw HttpError::of_option("messages", "messages has no message of the user");
}

struct Completion {
  std::string model;
  std::string id;
  int64_t created = 0;

  ordered_json json(const char* object, const ordered_json& choice) const {
    return {{"id", id},
            {"object", object},
            {"created", created},
            {"model", model},
            {"choices", ordered_json::array({choice})}};
  }
};

TranslationCall chat_call(const std::string& model, std::string text, ServiceContext& service) {
  TranslationCall request{.texts = {std::move(text)}};
  constexpr std::string_view kAny = "auto-";
  if (model.starts_with(kAny)) {
    request.source = kDetect;
    request.target = model.substr(kAny.size());
  } else {
    request.model = model;
  }
  request.options = [&service](const ModelPath& path) {
    return usual_options(path, false, service);
  };
  return request;
}

Answer complete(const Completion& completion, const TranslationCall& request,
                ServiceContext& service, const Patience& patience) {
  const TranslatedText text = translate_call(request, service, patience).front().text;
  int64_t read = 0, written = 0;
  for (const TranslatedSentence& sentence : text.sentences) {
    read += sentence.line.tokens;
    written += sentence.target_tokens;
  }
  ordered_json body = completion.json(
      "chat.completion", {{"index", 0},
                          {"message", {{"role", "assistant"}, {"content", text.joined()}}},
                          {"finish_reason", "stop"}});
  body["usage"] = {
      {"prompt_tokens", read}, {"completion_tokens", written}, {"total_tokens", read + written}};
  return json_answer(body);
}

std::string event(const std::string& data) { return "data: " + data + "\n\n"; }

// Server-sent events: one for each sentence, as soon as it is translated.
class Events {
 public:
  Events(Completion completion, std::unique_ptr<SentenceStream> sentences)
      : completion_(std::move(completion)), sentences_(std::move(sentences)) {}

  std::optional<std::string> next() {
    if (!sentences_) return std::nullopt;
    try {
      if (std::optional<std::string> sentence = sentences_->next())
        return event(chunk({{"content", *sentence}}, nullptr));
    } catch (...) {
      sentences_.reset();
      return event(error_answer(std::current_exception(), openai_error).body);
    }
    sentences_.reset();
    return event(chunk(ordered_json::object(), "stop")) + "data: [DONE]\n\n";
  }

 private:
  std::string chunk(const ordered_json& delta, const ordered_json& reason) const {
    return json_answer(
               completion_.json("chat.completion.chunk",
                                {{"index", 0}, {"delta", delta}, {"finish_reason", reason}}))
        .body;
  }

  const Completion completion_;
  std::unique_ptr<SentenceStream> sentences_;  // null: at the end
};

Answer chat(const Call& call, ServiceContext& service) {
  const Fields fields = Fields::of_json(call);
  const Completion completion{.model = fields.text("model"),
                              .id = "chatcmpl-" + call.request->id,
                              .created = std::chrono::duration_cast<std::chrono::seconds>(
                                             std::chrono::system_clock::now().time_since_epoch())
                                             .count()};
  const TranslationCall request =
      chat_call(completion.model, last_user_message(fields.value("messages")), service);
  const Patience patience = service.patience(call, service.limits.deadline);
  if (!fields.flag_or("stream", false)) return complete(completion, request, service, patience);
  const auto events = std::make_shared<Events>(
      completion, std::make_unique<SentenceStream>(request, service, patience));
  return {.type = "text/event-stream", .pieces = [events] { return events->next(); }};
}

}  // namespace

std::vector<Route> openai_routes(ServiceContext& service) {
  return {{.method = "POST",
           .path = "/v1/chat/completions",
           .handler = [&service](const Call& call) { return chat(call, service); },
           .errors = openai_error}};
}

}  // namespace dietmt::service
