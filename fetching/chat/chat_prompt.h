// What a chat model is asked for one line of text.
#pragma once

#include <string>
#include <string_view>

namespace dietmt::fetching {

/// Names of languages, as the prompt says them; empty: not given.
struct PromptLanguages {
  std::string source = {}, target = {};
};

/// A template with {text} where the line goes, and {source_language} and {target_language}. If a
/// line of it is `---`, what is before it is the system message.
class ChatPrompt {
 public:
  /// Asks for nothing but the translation, on one line. Throws ConfigError if a language is
  /// missing.
  static ChatPrompt usual(const PromptLanguages& languages);

  /// Throws ConfigError with `name` if there is no {text}, or a language that is not given.
  static ChatPrompt parse(const std::string& content, const PromptLanguages& languages,
                          const std::string& name);

  const std::string& system() const { return system_; }  // empty: none
  std::string user(std::string_view text) const;

 private:
  std::string system_, before_, after_;
};

}  // namespace dietmt::fetching
