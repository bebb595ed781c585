// Makes sure that translations contain what nobody wants translated (nmt/alignment/kept_kinds.h).
#pragma once

#include <span>
#include <vector>

#include "nmt/translation/line_coder.h"
#include "nmt/translation/output_guard.h"

namespace dietmt::nmt {

/// A line with its translations.
struct TranslatedPair {
  const LineRequest* line = nullptr;
  std::vector<LineResult>* translations = nullptr;
};

/// Puts symbols back into words whose other characters a translation has (lost_forms.h), then
/// translates the lines whose best translations have lost something of LineOptions::keep again with
/// `again`, without what was lost, and puts it where the word alignment says; if that loses
/// something else, without all that must be kept. Models translate most addresses and placeholders
/// well as parts of their sentences. If `again` finds nothing, the earlier translations stay.
void keep_text(const LineCoder& coder, std::span<const TranslatedPair> lines,
               const SearchOptions& search, const SecondSearch& again);

}  // namespace dietmt::nmt
