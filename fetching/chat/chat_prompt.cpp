#include "fetching/chat/chat_prompt.h"

#include "common/error.h"
#include "common/trimmed.h"

namespace dietmt::fetching {
namespace {

constexpr std::string_view kText = "{text}";
constexpr std::string_view kBlanks = " \t\r\n";

std::string with_language(std::string content, std::string_view place, const std::string& language,
                          const std::string& name, const std::string& option) {
  for (size_t at = content.find(place); at != content.npos; at = content.find(place, at)) {
    if (language.empty())
      throw ConfigError(name + " has " + std::string(place) + ": add " + option);
    content.replace(at, place.size(), language);
    at += language.size();
  }
  return content;
}

// Where the first line `---` begins; npos: there is none.
size_t rule_in(std::string_view content) {
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find('\n', begin), content.size());
    if (trimmed(content.substr(begin, end - begin), kBlanks) == "---") return begin;
    begin = end + 1;
  }
  return content.npos;
}

}  // namespace

ChatPrompt ChatPrompt::usual(const PromptLanguages& languages) {
  return parse(
      "You are a professional translator. You answer with the translation only: no notes, no "
      "quotation marks around it, no line breaks.\n---\nTranslate this text from "
      "{source_language} into {target_language}:\n\n{text}",
      languages, "the usual prompt");
}

ChatPrompt ChatPrompt::parse(const std::string& content, const PromptLanguages& languages,
                             const std::string& name) {
  std::string all =
      with_language(content, "{source_language}", languages.source, name, "--source-language");
  all = with_language(all, "{target_language}", languages.target, name, "--target-language");
  ChatPrompt prompt;
  std::string_view user = all;
  if (const size_t rule = rule_in(all); rule != all.npos) {
    prompt.system_ = trimmed(user.substr(0, rule), kBlanks);
    user.remove_prefix(std::min(user.find('\n', rule), user.size()));
  }
  user = trimmed(user, kBlanks);
  const size_t place = user.find(kText);
  if (place == user.npos)
    throw ConfigError(name + " lacks {text}, the place of the line to translate");
  prompt.before_ = user.substr(0, place);
  prompt.after_ = user.substr(place + kText.size());
  return prompt;
}

std::string ChatPrompt::user(std::string_view text) const {
  return before_ + std::string(text) + after_;
}

}  // namespace dietmt::fetching
