// A part of an office document while it is open.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <vector>

#include "service/documents/office/coded_texts.h"
#include "service/documents/office/plain_values.h"
#include "service/documents/office/styled_segments.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {

struct OfficePart {
  std::string name;
  XmlTree tree;
  StyledSegments texts;
  PlainValues values;
  CodedTexts codes;
  std::vector<xmlNode*> units = {};  // elements added around what moves as a whole
};

bool has_text(const OfficePart& part);

/// Puts the translations into the tree. Returns how many texts stay because their translation does
/// not fit.
size_t fill(const OfficePart& part, const std::vector<Translation>& translations);

}  // namespace dietmt::service
