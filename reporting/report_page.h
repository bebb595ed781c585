// The frame of a self-contained page: no script, nothing from elsewhere, light and dark.
#pragma once

#include <string>

namespace dietmt::reporting {

/// `title` is plain text, `body` is HTML in the classes of report_style.h.
std::string report_page(const std::string& title, const std::string& body);

}  // namespace dietmt::reporting
