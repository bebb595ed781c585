#include "nmt/translation/translation_stream.h"

#include <algorithm>

#include "common/error.h"
#include "data/text/source_tag.h"
#include "nmt/translation/text_lines.h"

namespace dietmt::nmt {
namespace {

// Lines read and not yet translated.
class Window {
 public:
  Window(const Translator& translator, const data::Tokenizer& source_tokenizer,
         const data::Tokenizer& target_tokenizer, LineReader& input, LineReader* prefixes,
         const std::string& source_tag)
      : translator_(translator),
        source_tokenizer_(source_tokenizer),
        tag_(source_tokenizer, source_tag),
        target_tokenizer_(target_tokenizer),
        input_(input),
        prefixes_(prefixes) {}

  // Reads the next lines; false at the end of the input.
  bool read(int64_t max_lines, int64_t max_bytes) {
    lines_.clear();
    requests_.clear();
    places_.clear();
    int64_t bytes = 0;
    std::string line;
    while (static_cast<int64_t>(lines_.size()) < max_lines && bytes < max_bytes &&
           input_.next(line)) {
      bytes += static_cast<int64_t>(line.size());
      add(line);
    }
    return !lines_.empty();
  }

  const std::vector<TranslatedLine>& translate(const std::function<void(int64_t)>& progress) {
    std::vector<NBest> found = translator_.translate(requests_, progress);
    for (size_t r = 0; r < found.size(); ++r) lines_[places_[r]].translations = std::move(found[r]);
    if (progress) progress(static_cast<int64_t>(lines_.size() - requests_.size()));
    return lines_;
  }

 private:
  void add(std::string& line) {
    const std::string where = input_.where();
    clean_line(line, where);
    std::vector<int32_t> prefix = next_prefix();
    std::vector<int32_t> ids =
        encode_line(source_tokenizer_, tag_.before(line), translator_.max_source_length(), where);
    const bool has_text = std::ssize(ids) - 1 > tag_.pieces();
    if (has_text) {
      requests_.push_back({std::move(ids), std::move(prefix), input_.line_number() - 1});
      places_.push_back(lines_.size());
    }
    lines_.push_back({input_.line_number(), line, has_text ? NBest{} : NBest(1)});
  }

  std::vector<int32_t> next_prefix() {
    if (prefixes_ == nullptr) return {};
    std::string line;
    if (!prefixes_->next(line)) {
      throw DataError(prefixes_->where() + ": the prefixes end here, but the input has a line " +
                      std::to_string(input_.line_number()));
    }
    clean_line(line, prefixes_->where());
    std::vector<int32_t> prefix =
        encode_line(target_tokenizer_, line, translator_.max_target_length(), prefixes_->where());
    prefix.pop_back();  // end of sentence
    return prefix;
  }

  const Translator& translator_;
  const data::Tokenizer& source_tokenizer_;
  const data::SourceTag tag_;
  const data::Tokenizer& target_tokenizer_;
  LineReader& input_;
  LineReader* prefixes_;
  std::vector<TranslatedLine> lines_;
  std::vector<TranslationRequest> requests_;
  std::vector<size_t> places_;  // of the requests among the lines
};

}  // namespace

void translate_stream(const Translator& translator, const data::Tokenizer& source_tokenizer,
                      const data::Tokenizer& target_tokenizer, LineReader& input,
                      LineReader* prefixes, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress) {
  Window window(translator, source_tokenizer, target_tokenizer, input, prefixes,
                options.source_tag);
  int64_t limit = options.line_by_line ? 1 : options.first_window_lines;
  while (window.read(limit, options.window_bytes)) {
    if (!emit(window.translate(progress))) return;
    if (!options.line_by_line) limit = std::min(2 * limit, options.window_lines);
  }
}

}  // namespace dietmt::nmt
