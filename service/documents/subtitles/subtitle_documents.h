// Subtitles: only their text is translated, and times stay.
#pragma once

#include <memory>
#include <string_view>

#include "service/documents/document.h"

namespace dietmt::service {

/// SubRip, as players read it.
std::unique_ptr<Document> open_srt(std::string_view bytes, const DocumentOptions& options);
std::unique_ptr<Document> open_vtt(std::string_view bytes, const DocumentOptions& options);
/// Advanced SubStation Alpha and its predecessor.
std::unique_ptr<Document> open_ass(std::string_view bytes, const DocumentOptions& options);

}  // namespace dietmt::service
