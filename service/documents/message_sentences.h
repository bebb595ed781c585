// Messages of ICU MessageFormat with plural, select or choice arguments, as whole sentences.
//
//   You have {n, plural, one {# file} other {# files}} in {folder}.
// has the sentences "You have # file in {folder}." and "You have # files in {folder}.", and its
// translation is written with the argument around them:
//   {n, plural, one {Sie haben # Datei in {folder}.} other {Sie haben # Dateien in {folder}.}}
// Several arguments are nested in the same way, up to kMostSentences sentences. A message of more
// has a sentence for each branch, and one for each text between its arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/message_forms.h"

namespace dietmt::service {

/// Arguments in a text with plurals or choices, also those of Fluent.
enum class Choices {
  kNone,
  kComplete,
  kBroken,  // one has no end, as where a brace is missing
};
Choices choices_in(std::string_view text);

/// Whether a message has arguments such as {0}, as those of java.text.MessageFormat do. Then an
/// apostrophe is written twice.
bool has_numbered_argument(std::string_view message);

class MessageSentences {
 public:
  static constexpr size_t kMostSentences = 48;
  /// A message with more words that begin a choice is not read, to bound the nesting.
  static constexpr size_t kMostChoices = 200;

  /// Adds the sentences of a message to `segments`, equal ones once; placeholders are marks.
  /// nullopt if the text is no message with such an argument.
  static std::optional<MessageSentences> read(std::string_view message, const MessageForms& forms,
                                              std::vector<nmt::MarkedText>& segments);

  /// The numbers of the segments, in order.
  size_t first_segment() const { return first_segment_; }
  size_t size() const { return places_.size(); }

  /// The message with these sentences; the marks are those of the segments. nullopt if one of them
  /// loses a placeholder, or the result is no message with the same arguments.
  std::optional<std::string> with(const std::vector<Translation>& translations,
                                  const std::vector<nmt::MarkedText>& segments) const;

 private:
  friend class SentenceWriter;

  struct Part {
    std::string fixed;
    std::optional<size_t> place = {};  // after it
  };

  std::string of_source(const std::vector<nmt::MarkedText>& segments) const;
  template <typename TextOf>
  std::string filled(const TextOf& text_of) const;
  std::string written(const Translation& translation, const nmt::MarkedText& segment) const;

  size_t first_segment_ = 0;
  std::vector<SegmentPlace> places_;
  std::vector<Part> parts_;
  bool doubles_apostrophes_ = false;
  bool has_choice_format_ = false;
};

}  // namespace dietmt::service
