#include "nmt/translation/translation_stream.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <utility>

#include "common/error.h"
#include "data/text/source_tag.h"
#include "nmt/alignment/placeholders.h"
#include "nmt/search/document_context.h"
#include "nmt/search/term_encoder.h"
#include "nmt/translation/text_lines.h"

namespace dietmt::nmt {
namespace {

void warn_of_choices(const MarkedText& marked, const std::string& where) {
  for (const InlineMark& mark : marked.marks) {
    for (const MarkedPart& part : mark.parts) {
      if (!part.is_markup || !is_choice(part.text)) continue;
      spdlog::warn("{}: the messages inside a plural or select argument stay untranslated", where);
      return;
    }
  }
}

// Lines that are translated together.
struct Window {
  std::vector<TranslatedLine> lines;
  std::vector<TranslationRequest> requests;  // of the lines that have text
  std::vector<size_t> places;                // of the requests among the lines
};

// `first` encodes the lines, `last` the prefixes.
class WindowReader {
 public:
  WindowReader(const PivotModel& first, const PivotModel& last, LineReader& input,
               LineReader* prefixes, const StreamOptions& options)
      : first_(first),
        tag_(first.source_tokenizer, options.source_tag),
        last_(last),
        input_(input),
        prefixes_(prefixes),
        options_(options),
        document_(first.translator.context()),
        max_lines_(options.line_by_line ? 1 : options.first_window_lines) {
    if (options.glossary != nullptr) terms_.emplace(TargetPieces::of(last.target_tokenizer));
    for (const std::string& line : options.earlier) pass(line);
  }

  // The next lines; none at the end of the input.
  Window read() {
    Window window;
    int64_t bytes = 0;
    std::string line;
    while (!stopped_ && std::ssize(window.lines) < max_lines_ && bytes < options_.window_bytes) {
      if (!input_.next(line)) {
        check_end_of_prefixes();
        break;
      }
      bytes += std::ssize(line);
      add(line, window);
    }
    if (!options_.line_by_line) max_lines_ = std::min(2 * max_lines_, options_.window_lines);
    return window;
  }

  // A read() that has begun returns after the next line, from any thread.
  void stop() { stopped_ = true; }

 private:
  void add(std::string& line, Window& window) {
    clean_line(line, input_);
    std::vector<int32_t> prefix = next_prefix();
    TranslatedLine added{.number = input_.line_number(),
                         .source = line,
                         .translations = {},
                         .where = input_.where()};
    if (options_.markup) {
      added.marked = take_out_markup(line);
      warn_of_choices(added.marked, added.where);
    }
    const std::string& text = options_.markup ? added.marked.text : line;
    std::vector<int32_t> ids = encode(text, added);
    const bool has_text = std::ssize(ids) - 1 > tag_.pieces();
    if (has_text) {
      window.requests.push_back({std::move(ids), {}, input_.line_number() - 1});
      window.places.push_back(window.lines.size());
    } else {
      added.translations.resize(1);
      document_.end();
      if (!prefix.empty()) spdlog::warn("{}: has no text, so its prefix is left out", added.where);
    }
    window.lines.push_back(std::move(added));
    if (!has_text) return;
    TranslationRequest& request = window.requests.back();
    const bool is_for_last = options_.before == nullptr;
    if (!is_for_last) document_.next(request, first_.translator.max_source_length());
    request.prefix = std::move(prefix);
    if (terms_) add_terms(text_of(window.lines.back()), window);
    if (is_for_last) document_.next(request, first_.translator.max_source_length());
  }

  // Takes a line only as context.
  void pass(const std::string& line) {
    TranslatedLine none;
    TranslationRequest request;
    request.source = encode(options_.markup ? take_out_markup(line).text : line, none);
    if (std::ssize(request.source) - 1 > tag_.pieces())
      document_.next(request, first_.translator.max_source_length());
    else
      document_.end();
  }

  // What is translated.
  const std::string& text_of(const TranslatedLine& line) const {
    return options_.markup ? line.marked.text : line.source;
  }

  void add_terms(const std::string& text, Window& window) const {
    TranslatedLine& line = window.lines.back();
    line.terms = options_.glossary->find(text);
    if (line.terms.empty()) return;
    TranslationRequest& request = window.requests.back();
    const auto tokens = std::ssize(request.source) - 1 - request.context_tokens;
    const bool may_be_cut = tokens + 1 == first_.translator.max_source_length();
    const auto required =
        may_be_cut
            ? options_.glossary->find(text_of_tokens(first_.source_tokenizer, tag_, text, tokens))
            : line.terms;
    if (!required.empty()) request.constraints = terms_->constraints(required);
  }

  std::vector<int32_t> encode(const std::string& text, TranslatedLine& line) const {
    const int64_t most = first_.translator.max_source_length();
    if (!first_.translator.options().alignment)
      return encode_line(first_.source_tokenizer, tag_.before(text), most, line.where);
    line.pieces = encode_line_with_spans(first_.source_tokenizer, tag_, text, most, line.where);
    return line.pieces.ids;
  }

  std::vector<int32_t> next_prefix() {
    if (prefixes_ == nullptr) return {};
    std::string line;
    if (!prefixes_->next(line)) {
      throw DataError(prefixes_->where() + ": the prefixes end here, but the input has a line " +
                      std::to_string(input_.line_number()));
    }
    clean_line(line, *prefixes_);
    std::vector<int32_t> prefix = encode_line(
        last_.target_tokenizer, line, last_.translator.max_target_length(), prefixes_->where());
    prefix.pop_back();  // end of sentence
    if (std::ranges::count(prefix, last_.target_tokenizer.unknown_id()) > 0)
      spdlog::warn("{}: the vocabulary cannot write all of this prefix", prefixes_->where());
    return prefix;
  }

  void check_end_of_prefixes() {
    std::string line;
    if (prefixes_ == nullptr || !prefixes_->next(line)) return;
    throw DataError(prefixes_->where() +
                    ": this prefix has no line in the input, which ends after " +
                    std::to_string(input_.line_number()) + " lines");
  }

  const PivotModel& first_;
  const data::SourceTag tag_;
  const PivotModel& last_;
  LineReader& input_;
  LineReader* prefixes_;
  const StreamOptions& options_;
  std::optional<TermEncoder> terms_;  // if there is a glossary
  DocumentContext document_;
  int64_t max_lines_;
  std::atomic<bool> stopped_ = false;
};

// Reads the next window while this one is translated: on another thread, or only when it is asked
// for, if lines are translated one by one or the system can start no thread.
class NextWindow {
 public:
  NextWindow(WindowReader& reader, bool ahead)
      : reader_(reader),
        window_(
            std::async(ahead ? std::launch::async | std::launch::deferred : std::launch::deferred,
                       [&reader] { return reader.read(); })) {}
  ~NextWindow() {
    if (window_.valid()) reader_.stop();  // the future waits for its thread
  }
  NextWindow(const NextWindow&) = delete;
  NextWindow& operator=(const NextWindow&) = delete;

  Window get() { return window_.get(); }

 private:
  WindowReader& reader_;
  std::future<Window> window_;
};

// Puts the best translations of `first` in the place of the lines, for `last`. What it makes no
// text of has an empty translation.
void translate_to_pivot(const PivotModel& first, const PivotModel& last, DocumentContext& document,
                        Window& window) {
  std::vector<std::vector<int32_t>> prefixes;
  std::vector<TermConstraints> constraints;
  for (TranslationRequest& request : window.requests) {
    prefixes.push_back(std::exchange(request.prefix, {}));
    constraints.push_back(std::exchange(request.constraints, {}));
  }
  const std::vector<NBest> found = first.translator.translate(window.requests);
  std::vector<TranslationRequest> requests;
  std::vector<size_t> places;
  for (size_t r = 0; r < found.size(); ++r) {
    TranslatedLine& line = window.lines[window.places[r]];
    if (window.places[r] != (r == 0 ? 0 : window.places[r - 1] + 1)) document.end();
    line.pivot = decode_line(first.target_tokenizer, found[r].front().ids);
    std::vector<int32_t> ids =
        encode_line(last.source_tokenizer, line.pivot, last.translator.max_source_length(),
                    "line " + std::to_string(line.number) + ", translated by the first model");
    if (ids.size() == 1) {
      line.translations.resize(1);
      if (!prefixes[r].empty())
        spdlog::warn("{}: the first model translates it into nothing, so its prefix is left out",
                     line.where);
      document.end();
      continue;
    }
    requests.push_back({std::move(ids), std::move(prefixes[r]), window.requests[r].index,
                        std::move(constraints[r])});
    document.next(requests.back(), last.translator.max_source_length());
    places.push_back(window.places[r]);
  }
  const size_t after_last = window.places.empty() ? 0 : window.places.back() + 1;
  if (after_last < window.lines.size()) document.end();
  window.requests = std::move(requests);
  window.places = std::move(places);
}

void translate(const Translator& translator, const StreamOptions& options, Window& window,
               const std::function<void(int64_t)>& progress) {
  std::vector<NBest> found = translator.translate(window.requests, progress);
  if (options.choose) options.choose(found);
  for (size_t r = 0; r < found.size(); ++r)
    window.lines[window.places[r]].translations = std::move(found[r]);
  if (progress) progress(std::ssize(window.lines) - std::ssize(window.requests));
}

}  // namespace

void translate_stream(const Translator& translator, const data::Tokenizer& source_tokenizer,
                      const data::Tokenizer& target_tokenizer, LineReader& input,
                      LineReader* prefixes, const StreamOptions& options,
                      const std::function<bool(std::span<const TranslatedLine>)>& emit,
                      const std::function<void(int64_t)>& progress) {
  const PivotModel last{translator, source_tokenizer, target_tokenizer};
  const PivotModel& first = options.before != nullptr ? *options.before : last;
  WindowReader reader(first, last, input, prefixes, options);
  DocumentContext pivots(translator.context());
  Window window = reader.read();
  while (!window.lines.empty()) {
    NextWindow next(reader, !options.line_by_line);
    if (options.before != nullptr) translate_to_pivot(first, last, pivots, window);
    translate(translator, options, window, progress);
    if (!emit(window.lines)) return;
    window = next.get();
  }
}

}  // namespace dietmt::nmt
