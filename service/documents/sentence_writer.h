// Writes an ICU message around its sentences, which it collects.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/message_forms.h"
#include "service/documents/message_sentences.h"
#include "service/documents/message_tree.h"

namespace dietmt::service {

class SentenceWriter {
 public:
  /// Adds the sentences to `segments`. Choices are nested if that makes at most so many of them.
  SentenceWriter(const MessageForms& forms, size_t most_sentences,
                 std::vector<nmt::MarkedText>& segments);

  /// nullopt if a sentence cannot be written inside another choice than its own. Call it once.
  std::optional<MessageSentences> write(const Message& message);

 private:
  using Choice = MessageChoice;
  class Spans;

  // What comes after a branch.
  struct Rest {
    const Message* message;
    size_t at;
    const Rest* after;
  };

  void write(const Message& message, const Choice* around);
  void write_nested(Rest rest, const Choice* around);
  template <typename Write>
  void write_branches(const Choice& choice, const Write& write_message);
  void write_sentence(const Choice* around);
  void keep(std::string_view text);
  size_t sentences_of(const Message& message);
  std::string text_of(const MessageItem& item, const Choice* around);
  std::optional<size_t> add_sentence(std::string_view raw, Spans& kept);

  const MessageForms& forms_;
  const size_t most_sentences_;
  std::vector<nmt::MarkedText>& segments_;
  MessageSentences result_;
  bool fails_ = false;
  std::vector<const MessageItem*> sentence_;            // the one being collected
  std::map<const Message*, size_t> counts_;             // sentences_of()
  std::map<std::string, std::optional<size_t>> known_;  // numbers of sentences by their text
};

}  // namespace dietmt::service
