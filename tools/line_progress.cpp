#include "tools/line_progress.h"

#include "nmt/translation/line_tokens.h"

namespace dietmt::tools {

LineProgress::LineProgress(const std::string& text, int64_t done) : done_(done) {
  if (reporting::stderr_is_terminal() && nmt::can_reread(text))
    bar_.emplace(nmt::count_lines(text), done);
}

void LineProgress::add(int64_t lines) {
  done_ += lines;
  if (bar_) bar_->show(done_, "lines");
}

}  // namespace dietmt::tools
