// Translates one chunk of a job, line by line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/api/line_translation.h"
#include "service/documents/placeholders.h"
#include "service/jobs/job.h"

namespace dietmt::service {

/// Translates lines in order (service/documents/placeholders.h). A blank line has an empty text and
/// ends a document. After `cancelled` has returned true, the result or exception is ignored.
/// Thread-safe.
using TranslateLines =
    std::function<TranslatedLines(const JobOptions& options, const ConnectedTexts& lines,
                                  const std::function<bool()>& cancelled)>;

/// Preserves line ends, copies blank and bad lines unchanged, keeps the placeholders of documents,
/// and reports bad lines and lines that were cut. Throws what `translate` throws, and Error if that
/// returns a different number of lines.
ChunkResult translate_chunk(const TakenChunk& chunk, const TranslateLines& translate,
                            const std::function<bool()>& cancelled);

}  // namespace dietmt::service
