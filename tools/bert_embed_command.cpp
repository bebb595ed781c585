// dietmt bert embed: hidden states of lines of text as NumPy arrays.
#include <spdlog/spdlog.h>

#include <algorithm>

#include "bert/embedding/embedding_writer.h"
#include "bert/model/model_directory.h"
#include "common/error.h"
#include "common/numbers.h"
#include "common/options.h"
#include "common/text_io.h"
#include "encoders/device/device.h"
#include "nmt/translation/line_tokens.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"
#include "tools/output_problems.h"

namespace dietmt::tools {
namespace {

struct EmbedOptions {
  std::string model;
  std::string input = "-";
  std::string output;
  bool pairs = false;
  std::string layer = "last";
  std::string pool = "none";
  int64_t max_length = 512;
  std::string device = "cpu";
  int64_t threads = 0;
  bert::EmbeddingOptions embedding;
};

OptionTable option_table(EmbedOptions& o) {
  OptionTable table("bert embed", "--model DIR --output FILE.npy [[--input] FILE]",
                    "Writes the hidden states of each line of text as a NumPy array of fp32, in "
                    "the order of the lines. An empty line is [CLS] [SEP]. Warnings name each line "
                    "that is cut or repaired.");
  table.group("Text")
      .add("model", &o.model, "DIR",
           "model directory, or output directory of a training run (its best checkpoint)",
           {.required = true})
      .add("input", &o.input, "FILE", "text: plain, compressed or - (standard input)")
      .add("pairs", &o.pairs, "", "each line is a pair of texts separated by a tab")
      .add("max-length", &o.max_length, "N",
           "longest line in tokens, with [CLS] and [SEP]; longer lines are cut",
           {.least = 3, .most = 100'000});
  table.group("Result")
      .add("output", &o.output, "FILE.npy", "array [rows, D]; the file appears when it is complete",
           {.required = true})
      .add("layer", &o.layer, "N|last|all",
           "layer to read; 0: the embeddings; all: an array [L + 1, rows, D]")
      .add("pool", &o.pool, "",
           "none: one row per token, with the first row of each line in FILE.offsets.npy; cls: "
           "one row per line, the state of [CLS]; mean: the mean over all tokens of the line",
           {.choices = {"none", "cls", "mean"}});
  table.group("Machine")
      .add("device", &o.device, "NAME", "cpu, cuda or cuda:I")
      .add("threads", &o.threads, "N", "threads; 0: one per core", ranges::kThreads)
      .add("batch-tokens", &o.embedding.batch_tokens, "N",
           "batch size in tokens; changes speed and memory, not results", ranges::kBatchTokens);
  table.positional("input")
      .basics({"input", "max-length", "pool", "layer"})
      .example("dietmt bert embed --model bert --input lines.txt --pool mean --output lines.npy");
  return table;
}

std::vector<std::string> problems_of(const EmbedOptions& o) {
  if (!o.output.empty() && !o.output.ends_with(".npy"))
    return {"--output " + o.output + " must end with .npy"};
  return output_problems(o.output, {{"--input", o.input}});
}

// --layer for a model with this many layers; none: all.
std::optional<int64_t> parse_layer(const std::string& text, int64_t layers) {
  if (text == "all") return std::nullopt;
  if (text == "last") return layers;
  if (const auto layer = number_in<int64_t>(text)) return layer;
  throw ConfigError("--layer is '" + text + "'; it must be a number, last or all");
}

void require_match(const encoders::Bert& model, const data::BertTokenizer& tokenizer,
                   const EmbedOptions& options) {
  const encoders::BertConfig& config = model.config();
  if (tokenizer.vocabulary_size() > config.vocabulary)
    throw ConfigError("the tokenizer has " + std::to_string(tokenizer.vocabulary_size()) +
                      " pieces, but the model has only " + std::to_string(config.vocabulary));
  const bool has_pairs = config.segments > 1 || tokenizer.special().separators > 1;
  if (options.pairs && !has_pairs)
    throw ConfigError("--pairs needs a model with two segments; this one has only one");
}

// Lines as inputs of the model.
class InputReader {
 public:
  InputReader(const EmbedOptions& options, const data::BertTokenizer& tokenizer, int64_t max_length)
      : lines_(nmt::open_text(options.input)),
        tokenizer_(tokenizer),
        pairs_(options.pairs),
        max_length_(max_length) {}

  /// Nothing at the end of the text.
  std::optional<data::EncoderInput> next() {
    if (!lines_.next(line_)) return std::nullopt;
    nmt::clean_line(line_, lines_);
    const size_t tab = pairs_ ? line_.find('\t') : std::string::npos;
    data::EncoderInput input = tab == std::string::npos ? one_text() : two_texts(tab);
    if (input.cut > 0) {
      spdlog::warn("{}: {} tokens, cut to {}", lines_.where(), std::ssize(input.ids) + input.cut,
                   input.ids.size());
    }
    return input;
  }

 private:
  data::EncoderInput one_text() const {
    return data::encoder_input(tokenizer_.encode(line_).ids, {}, tokenizer_.special(), max_length_);
  }

  data::EncoderInput two_texts(size_t tab) const {
    const std::string_view line = line_;
    if (line.find('\t', tab + 1) != std::string::npos)
      throw DataError(lines_.where() + ": a second tab; with --pairs a line has two texts");
    const auto first = tokenizer_.encode(line.substr(0, tab)).ids;
    const auto second = tokenizer_.encode(line.substr(tab + 1)).ids;
    return data::encoder_input(first, second, tokenizer_.special(), max_length_);
  }

  LineReader lines_;
  std::string line_;
  const data::BertTokenizer& tokenizer_;
  bool pairs_;
  int64_t max_length_;
};

}  // namespace

int run_bert_embed(const std::vector<std::string>& arguments) {
  EmbedOptions options;
  OptionTable table = option_table(options);
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check(problems_of(options));
  options.embedding.pooling = bert::parse_pooling(options.pool);
  encoders::set_threads(options.threads);

  const auto model = bert::load_bert(options.model, encoders::parse_device(options.device));
  const auto tokenizer = data::load_bert_tokenizer(storage::resolve_model_directory(options.model));
  require_match(*model, *tokenizer, options);
  const int64_t longest = model->encoder().max_length();
  if (table.given("max-length") && options.max_length > longest)
    throw ConfigError("--max-length is " + std::to_string(options.max_length) +
                      ", but the model's longest input has " + std::to_string(longest) + " tokens");
  options.embedding.layer = parse_layer(options.layer, model->config().layers);

  InputReader inputs(options, *tokenizer, std::min(options.max_length, longest));
  bert::EmbeddingWriter writer(*model, options.embedding, options.output);
  while (const auto input = inputs.next()) writer.add(*input);
  writer.commit();
  spdlog::info("{}: {} lines, {} tokens", options.output, writer.inputs(), writer.tokens());
  return 0;
}

}  // namespace dietmt::tools
