// What TMX and XLIFF share: source and target side by side. Units without a translation get one, a
// copy of the source with its inline codes.
#pragma once

#include <libxml/tree.h>

#include <string_view>
#include <vector>

#include "service/documents/document.h"
#include "service/documents/document_bytes.h"
#include "service/documents/inline_codes.h"
#include "service/documents/inline_messages.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {

bool is_blank(const xmlNode* node);

/// Whether text inside an element is translated, given whether that around it is.
bool is_translated(const xmlNode* element, bool is_around);

/// Puts a copy in the place of a node.
void replace(xmlNode* old, xmlNode* copy);

/// The characters of a source or target, without those of inline codes.
size_t length_of(xmlNode* text);

class BilingualDocument : public Document {
 public:
  std::string translated(const std::vector<Translation>& translations) override;

 protected:
  BilingualDocument(std::string_view bytes, const DocumentOptions& options,
                    const DocumentLimits& limits)
      : tree_(bytes, limits),
        options_(options),
        form_(form_of(bytes)),
        forms_(options.source, options.target) {}

  xmlNode* root() const { return tree_.root(); }
  const DocumentOptions& options() const { return options_; }

  /// Sets the language of a source's copy, if it names its language.
  void set_language(xmlNode* target) const;

  /// Whether a source stays: a choice of an ICU message has no end, or is around inline elements
  /// with text. Counts such sources.
  bool stays(const xmlNode* source);

  /// Adds the text of a target that is still a copy of its source.
  void add_text(xmlNode* target, bool translates);

  /// Call it after the last text.
  void finish() { leave_out_choices(unread_messages_); }

 private:
  /// Called when all targets have their text.
  virtual void check_targets() {}
  virtual bool keeps_lines(const xmlNode* element) const = 0;

  void add_text_of_codes(xmlNode* element, bool translates);

  XmlTree tree_;
  DocumentOptions options_;
  TextForm form_;
  MessageForms forms_;
  InlineMessages messages_{forms_, segments_};
  InlineSegments texts_{segments_};
  size_t unread_messages_ = 0;
};

}  // namespace dietmt::service
