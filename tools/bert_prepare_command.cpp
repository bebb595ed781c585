// dietmt bert prepare: from raw text to text for pre-training.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <optional>

#include "common/error.h"
#include "common/options.h"
#include "common/process.h"
#include "data/pretraining/text_preparation.h"
#include "nmt/translation/line_writer.h"
#include "reporting/progress_bar.h"
#include "tools/commands.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

struct PrepareOptions {
  std::vector<std::string> inputs;
  std::string output, valid;
  int64_t valid_every = 200;
  std::string documents = "empty-line";
  data::PreparationOptions text = {.threads = 0};
};

OptionTable option_table(PrepareOptions& o) {
  OptionTable table(
      "bert prepare", "FILE... --output FILE [--valid FILE]",
      "Prepares raw text for 'bert pretrain': makes punctuation and spaces uniform as Moses does, "
      "leaves out lines that are short, hardly text or there twice, and writes a sentence a line "
      "and an empty line between documents.");
  table.group("Text")
      .add("input", &o.inputs, "FILE...", "raw text, a paragraph a line, plain or compressed",
           {.required = true})
      .add("documents", &o.documents, "",
           "document boundary: an empty line, every line, or a ' = Title = ' line",
           {.choices = {"empty-line", "every-line", "title"}})
      .add("output", &o.output, "FILE", "text for training; FILE.gz is compressed",
           {.required = true})
      .add("valid", &o.valid, "FILE", "text for validation, of documents that --output lacks")
      .add("valid-every", &o.valid_every, "N", "every Nth document goes to --valid",
           {.least = 2, .most = 1e9});
  table.group("Lines")
      .add("language", &o.text.language, "CODE", "rules for sentences and punctuation")
      .add("min-letters", &o.text.min_letters, "N", "leave out lines with fewer letters",
           {.least = 1, .most = 1e6})
      .add("min-letter-share", &o.text.min_letter_share, "P",
           "leave out lines with a smaller share of letters among their characters",
           {.least = 0, .most = 1});
  table.group("Machine").add("threads", &o.text.threads, "N",
                             "threads; 0: one per core; the result does not change",
                             ranges::kThreads);
  table.positional("input").example(
      "dietmt bert prepare wiki.txt.gz books/*.txt --output train.txt --valid valid.txt");
  return table;
}

std::vector<std::string> problems_of(const OptionTable& table, PrepareOptions& o) {
  NamedFiles inputs;
  for (const std::string& input : o.inputs) inputs.emplace_back("--input", input);
  std::vector<std::string> problems = file_output_problems(o.valid, inputs, "--valid");
  inputs.emplace_back("--valid", o.valid);
  for (const std::string& problem : file_output_problems(o.output, inputs))
    problems.push_back(problem);
  if (o.valid.empty() && table.given("valid-every"))
    problems.emplace_back("--valid-every needs --valid");
  if (table.allows("documents")) o.text.boundary = data::parse_document_boundary(o.documents);
  return problems;
}

// Documents with an empty line between them.
class DocumentFile {
 public:
  explicit DocumentFile(const std::string& path) : writer_(path) {}

  void write(int64_t document, std::string_view sentences) {
    if (last_ && *last_ != document) writer_.write("");
    last_ = document;
    writer_.write(sentences.substr(0, sentences.size() - 1));
  }

  bool is_empty() const { return !last_; }
  void commit() { writer_.commit(); }

 private:
  nmt::LineWriter writer_;
  std::optional<int64_t> last_;  // the last document
};

int run(PrepareOptions& o) {
  install_stop_signal();  // so that no temporary file remains
  if (o.text.threads == 0) o.text.threads = usable_cores();
  o.text.directory = std::filesystem::absolute(o.output).parent_path();
  DocumentFile train(o.output);
  std::optional<DocumentFile> valid;
  if (!o.valid.empty()) valid.emplace(o.valid);
  reporting::ProgressBar bar(0);
  int64_t lines = 0;
  const data::PreparationReport report =
      data::prepare_text(o.inputs, o.text, [&](int64_t document, std::string_view sentences) {
        const bool is_held_out = valid && document % o.valid_every == o.valid_every - 1;
        (is_held_out ? *valid : train).write(document, sentences);
        if (++lines % 10'000 == 0) bar.show(lines, "lines kept");
      });
  bar.finish();
  spdlog::info("{}", report.summary());
  if (train.is_empty()) throw DataError("no line is left for " + o.output);
  if (valid && valid->is_empty())
    throw DataError(
        fmt::format("no document is left for {}: there are {} documents, and "
                    "--valid-every is {}",
                    o.valid, report.documents, o.valid_every));
  train.commit();
  if (valid) valid->commit();
  return 0;
}

}  // namespace

int run_bert_prepare(const std::vector<std::string>& arguments) {
  PrepareOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(table, options));
  return run(options);
}

}  // namespace dietmt::tools
