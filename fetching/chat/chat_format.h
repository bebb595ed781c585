// Requests and answers of OpenAI's chat completions, which many servers understand (llama.cpp,
// vLLM, Ollama): POST URL/chat/completions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetching/chat/chat_prompt.h"

namespace dietmt::fetching {

/// Fields that are not set are left to the server.
struct ChatSettings {
  std::string model = {};
  std::optional<double> temperature = {}, top_p = {};
  std::optional<int64_t> seed = {};
  int64_t max_tokens = 0;  // of an answer; 0: the server's limit
};

/// The URL that requests go to: `url` may be that of the server's API, such as
/// http://localhost:8080/v1, or the full one.
std::string completions_url(const std::string& url);

/// The JSON text that asks for `answers` translations of a line.
std::string chat_request(const ChatSettings& settings, const ChatPrompt& prompt,
                         std::string_view line, int64_t answers);

struct ChatChoice {
  std::string text = {};    // without spaces and line breaks at its ends
  std::string finish = {};  // finish_reason: stop, length, content_filter
  bool is_refused = false;  // the server marks it as a refusal
};

struct ChatAnswer {
  std::vector<ChatChoice> choices = {};
  int64_t input_tokens = 0, output_tokens = 0;  // 0: the server does not count them
};

/// Removes the thoughts of a reasoning model, <think>...</think> at the beginning of an answer,
/// unless the line begins in the same way. Thoughts without an end leave nothing.
void remove_thoughts(std::string_view line, ChatChoice& choice);

/// Throws DataError with the reason if it is not such an answer.
ChatAnswer parse_chat_answer(const std::string& body);

/// What the server says of an error: its message, or the beginning of the body; "" if that is
/// empty.
std::string error_message(const std::string& body);

/// Why a choice is no translation of the line; "" if it is one. `length_ratio`: one of them may
/// have so many times as many characters as the other, and 30 more.
std::string bad_answer(std::string_view line, const ChatChoice& choice, double length_ratio);

}  // namespace dietmt::fetching
