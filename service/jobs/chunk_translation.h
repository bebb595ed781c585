// One chunk of a job through the translator: lines in, as many lines out, in order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "service/jobs/job.h"

namespace dietmt::service {

/// Translates lines of text, none of them blank, in order. `cancelled` says whether the result is
/// no longer wanted: then whatever is returned or thrown is dropped. Called by several threads.
using TranslateLines = std::function<std::vector<std::string>(
    const JobOptions& options, const std::vector<std::string>& lines,
    const std::function<bool()>& cancelled)>;

/// Lines keep their ends (LF, CR LF or, at the end of a file, none). Blank texts are handed through
/// without asking the translator; so are bad lines, which are reported. Throws what `translate`
/// does, and Error if it gives another number of lines.
ChunkResult translate_chunk(const TakenChunk& chunk, const TranslateLines& translate,
                            const std::function<bool()>& cancelled);

}  // namespace dietmt::service
