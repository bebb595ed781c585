// XML text that is an ICU message with plurals or choices, as Angular writes it into XLIFF: its
// sentences are segments, and elements without text are placeholders in them.
#pragma once

#include <libxml/tree.h>

#include <optional>
#include <string>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/message_forms.h"
#include "service/documents/message_sentences.h"

namespace dietmt::service {

class InlineMessages {
 public:
  InlineMessages(const MessageForms& forms, std::vector<nmt::MarkedText>& segments)
      : forms_(forms), segments_(segments) {}

  /// Whether the content of an element is such a message.
  bool reads(const xmlNode* element) const;

  /// Adds its sentences; false if it is none.
  bool add(xmlNode* element);

  /// Writes the content of all elements. Those whose translations would break the message keep it.
  /// Returns how many sentences these have. Call it once.
  size_t fill(const std::vector<Translation>& translations) const;

 private:
  struct Text {
    std::string message;
    std::vector<xmlNode*> nodes;  // of the elements, by number
  };

  struct Filled {
    xmlNode* element;
    std::vector<xmlNode*> nodes;
    MessageSentences message;
  };

  static std::optional<Text> text_of(const xmlNode* element);
  static void write(const std::string& message, const Filled& filled);

  const MessageForms& forms_;
  std::vector<nmt::MarkedText>& segments_;
  std::vector<Filled> filled_;
};

}  // namespace dietmt::service
