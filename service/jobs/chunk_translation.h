// Translates one chunk of a job: as many lines out as in, in order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/line_translation.h"
#include "service/documents/placeholders.h"
#include "service/jobs/job.h"

namespace dietmt::service {

/// Translates lines of text in order (service/documents/placeholders.h); a blank line has an empty
/// text and ends a document. Once `cancelled` has returned true, the caller drops the result or the
/// exception. Several threads call it at once.
using TranslateLines =
    std::function<TranslatedLines(const JobOptions& options, const ConnectedTexts& lines,
                                  const std::function<bool()>& cancelled)>;

/// Lines keep their line ends (LF, CR LF or, at the end of a file, none). Copies blank lines and
/// bad lines unchanged and reports the bad ones, and those that were cut. Keeps the placeholders of
/// a document's segments. Throws the exceptions of `translate`, and Error if it returns a different
/// number of lines.
ChunkResult translate_chunk(const TakenChunk& chunk, const TranslateLines& translate,
                            const std::function<bool()>& cancelled);

}  // namespace dietmt::service
