#include "service/documents/message_sentences.h"

#include <algorithm>

#include "common/ascii.h"
#include "nmt/alignment/placeholder_syntax.h"
#include "nmt/alignment/placeholders.h"
#include "service/documents/message_tree.h"
#include "service/documents/placeholders.h"
#include "service/documents/sentence_writer.h"

namespace dietmt::service {

namespace {

bool begins_choice(std::string_view text) {
  for (size_t at = text.find('{'); at < text.size(); at = text.find('{', at + 1))
    if (nmt::selects(text.substr(at))) return true;
  return false;
}

}  // namespace

Choices choices_in(std::string_view text) {
  Choices found = Choices::kNone;
  for (const std::string_view one : nmt::placeholders_in(text)) {
    if (!nmt::is_choice(one)) continue;
    const auto before = static_cast<size_t>(one.data() - text.data());
    if (begins_choice(text.substr(0, before))) return Choices::kBroken;
    text.remove_prefix(before + one.size());
    found = Choices::kComplete;
  }
  return begins_choice(text) ? Choices::kBroken : found;
}

bool has_numbered_argument(std::string_view message) {
  for (size_t at = message.find('{'); at < message.size(); at = message.find('{', at + 1))
    if (at + 1 < message.size() && is_ascii_digit(message[at + 1])) return true;
  return false;
}

std::optional<MessageSentences> MessageSentences::read(std::string_view message,
                                                       const MessageForms& forms,
                                                       std::vector<nmt::MarkedText>& segments) {
  const std::optional<Message> tree = message_tree(message, kMostChoices);
  if (!tree || !has_choice(*tree)) return std::nullopt;
  const size_t size = segments.size();
  for (const size_t most_sentences : {kMostSentences, size_t{0}}) {
    segments.resize(size);
    auto found = SentenceWriter(forms, most_sentences, segments).write(*tree);
    if (!found) continue;
    found->doubles_apostrophes_ =
        message.find("''") != message.npos ||
        (message.find('\'') == message.npos && has_numbered_argument(message));
    if (message_arguments(found->of_source(segments), kMostChoices * kMostSentences)) return found;
  }
  segments.resize(size);
  return std::nullopt;
}

std::optional<std::string> MessageSentences::with(
    const std::vector<Translation>& translations,
    const std::vector<nmt::MarkedText>& segments) const {
  for (size_t i = first_segment_; i < first_segment_ + places_.size(); ++i) {
    if (!keeps_placeholders(translations[i], segments[i]) ||
        !keeps_order(translations[i], segments[i]))
      return std::nullopt;
    const std::string text = plain_text(translations[i]);
    for (const char sign : std::string_view("#|"))
      if (std::ranges::count(text, sign) > std::ranges::count(segments[i].text, sign))
        return std::nullopt;
  }
  std::string message = filled([&](size_t i) { return written(translations[i], segments[i]); });
  const auto arguments = message_arguments(message, kMostChoices * kMostSentences);
  if (!arguments ||
      arguments != message_arguments(of_source(segments), kMostChoices * kMostSentences))
    return std::nullopt;
  return message;
}

std::string MessageSentences::of_source(const std::vector<nmt::MarkedText>& segments) const {
  return filled([&](size_t i) { return written(in_source_order(segments[i]), segments[i]); });
}

template <typename TextOf>
std::string MessageSentences::filled(const TextOf& text_of) const {
  std::string message;
  for (const auto& [fixed, place] : parts_) {
    message += fixed;
    if (place)
      message += places_[*place].before + text_of(places_[*place].segment) + places_[*place].after;
  }
  return message;
}

// An apostrophe before a brace or another sign would begin a quote, and Java reads messages in
// choices twice, so that a typographer's apostrophe is the one that all programs show.
std::string MessageSentences::written(const Translation& translation,
                                      const nmt::MarkedText& segment) const {
  std::string result;
  for (const nmt::MarkedPart& part : translation) {
    if (part.mark >= 0) {
      result += segment.marks[static_cast<size_t>(part.mark)].parts.front().text;
      continue;
    }
    for (size_t i = 0; i < part.text.size(); ++i) {
      const bool is_last = i + 1 == part.text.size();
      if (part.text[i] != '\'')
        result += part.text[i];
      else if (has_choice_format_)
        result += "\u2019";
      else if (doubles_apostrophes_)
        result += "''";
      else
        result +=
            is_last || std::string_view("'{}#|").find(part.text[i + 1]) != std::string_view::npos
                ? "\u2019"
                : "'";
    }
  }
  return result;
}

}  // namespace dietmt::service
