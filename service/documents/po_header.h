// The header of a gettext catalogue: its charset, language and plural forms.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "service/documents/po_messages.h"

namespace dietmt::service {

struct PoHeader {
  /// The number of msgstr in a message with a plural; 0: as many as each message has.
  size_t plural_forms = 0;
};

/// Completes the header of a template for the target language: the charset UTF-8, the language and
/// its plural forms, no fuzzy flag. Throws DataError naming the line for a catalogue in another
/// language.
PoHeader complete_po_header(const PoMessage& header, const std::string& target,
                            std::vector<std::string>& lines);

}  // namespace dietmt::service
