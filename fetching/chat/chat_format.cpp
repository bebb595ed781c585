#include "fetching/chat/chat_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/json_fields.h"
#include "common/text_io.h"
#include "common/trimmed.h"
#include "common/utf8.h"

namespace dietmt::fetching {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

ChatChoice choice_of(const nlohmann::json& entry) {
  const nlohmann::json& message = object_field(entry, "message");
  ChatChoice choice;
  choice.text =
      trimmed(replace_invalid_utf8(field_or<std::string>(message, "content", "")), kSpaces);
  choice.finish = field_or<std::string>(entry, "finish_reason", "");
  choice.is_refused = !field_or<std::string>(message, "refusal", "").empty();
  return choice;
}

bool has_line_break(std::string_view text) {
  for (const std::string_view end : {"\n", "\r", "\u0085", "\u2028", "\u2029"})
    if (text.find(end) != text.npos) return true;
  return false;
}

int64_t characters_in(std::string_view text) {
  return std::ranges::count_if(text, [](char byte) { return !continues_character(byte); });
}

}  // namespace

std::string completions_url(const std::string& url) {
  constexpr std::string_view kPath = "/chat/completions";
  std::string_view base = url;
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + std::string(base.ends_with(kPath) ? "" : kPath);
}

std::string chat_request(const ChatSettings& settings, const ChatPrompt& prompt,
                         std::string_view line, int64_t answers) {
  auto messages = nlohmann::ordered_json::array();
  if (!prompt.system().empty())
    messages.push_back({{"role", "system"}, {"content", prompt.system()}});
  messages.push_back({{"role", "user"}, {"content", prompt.user(line)}});
  nlohmann::ordered_json request{{"model", settings.model}, {"messages", std::move(messages)}};
  if (answers > 1) request["n"] = answers;
  if (settings.temperature) request["temperature"] = *settings.temperature;
  if (settings.top_p) request["top_p"] = *settings.top_p;
  if (settings.seed) request["seed"] = *settings.seed;
  if (settings.max_tokens > 0) request["max_tokens"] = settings.max_tokens;
  return request.dump();
}

void remove_thoughts(std::string_view line, ChatChoice& choice) {
  constexpr std::string_view kBegin = "<think>", kEnd = "</think>";
  if (!choice.text.starts_with(kBegin) || trimmed(line, kSpaces).starts_with(kBegin)) return;
  const size_t end = choice.text.find(kEnd);
  if (end == std::string::npos)
    choice.text.clear();
  else
    choice.text = trimmed(std::string_view(choice.text).substr(end + kEnd.size()), kSpaces);
}

ChatAnswer parse_chat_answer(const std::string& body) {
  try {
    const nlohmann::json all = parse_json(body);
    const nlohmann::json& choices = any_field(all, "choices");
    if (!choices.is_array() || choices.empty()) throw DataError("choices is no list, or empty");
    ChatAnswer answer;
    for (const nlohmann::json& entry : choices) answer.choices.push_back(choice_of(entry));
    if (all.contains("usage") && all["usage"].is_object()) {
      answer.input_tokens = field_or<int64_t>(all["usage"], "prompt_tokens", 0);
      answer.output_tokens = field_or<int64_t>(all["usage"], "completion_tokens", 0);
    }
    return answer;
  } catch (const Error& error) {
    throw DataError(error.what());
  } catch (const nlohmann::json::exception& error) {
    throw DataError(json_problem(error));
  }
}

std::string error_message(const std::string& body) {
  constexpr size_t kMost = 300;
  std::string message = body;
  try {
    const nlohmann::json all = parse_json(body);
    const nlohmann::json& error = any_field(all, "error");
    message =
        error.is_string() ? error.get<std::string>() : field_or<std::string>(error, "message", "");
  } catch (const std::exception&) {  // some servers answer with plain text or HTML
  }
  message = replace_invalid_utf8(message);
  if (message.size() > kMost) message.resize(cut_length(message, kMost));
  std::ranges::replace_if(
      message, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return std::string(trimmed(message, kSpaces));
}

std::string bad_answer(std::string_view line, const ChatChoice& choice, double length_ratio) {
  constexpr double kMore = 30;
  if (choice.is_refused || choice.finish == "content_filter") return "the answer is a refusal";
  if (choice.finish == "length") return "the answer is cut off by a limit on its tokens";
  if (choice.text.empty()) return "the answer is empty";
  if (has_line_break(choice.text)) return "the answer has several lines";
  const auto source = static_cast<double>(characters_in(line));
  const auto target = static_cast<double>(characters_in(choice.text));
  if (std::max(source, target) > length_ratio * std::min(source, target) + kMore)
    return fmt::format("the answer has {} characters, the line {}", target, source);
  return "";
}

}  // namespace dietmt::fetching
