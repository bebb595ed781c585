// dietmt import, dietmt bert import: models of other programs as model directories.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "bert/comet/comet_directory.h"
#include "bert/model/model_directory.h"
#include "bert/prediction/task_description.h"
#include "common/error.h"
#include "common/files.h"
#include "common/options.h"
#include "interchange/comet/comet_checkpoint.h"
#include "interchange/ctranslate2/ctranslate2_import.h"
#include "interchange/fairseq/fairseq_import.h"
#include "interchange/fairseq/tupe_import.h"
#include "interchange/foreign_model.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/metricx.h"
#include "interchange/huggingface/translation_models.h"
#include "interchange/joeynmt/joeynmt_import.h"
#include "interchange/marian/marian.h"
#include "interchange/marian/marian_int8.h"
#include "interchange/opennmt/opennmt_import.h"
#include "interchange/sockeye/sockeye_import.h"
#include "tools/commands.h"
#include "tools/model_options.h"
#include "tools/named_weights.h"

namespace dietmt::tools {
namespace fs = std::filesystem;
namespace {

struct ImportOptions {
  std::string from;
  std::string vocabularies;
  std::string pieces;
  std::string shortlist;
  std::string encoder;
  std::string output;
};

// Names of models on Hugging Face look like directories.
std::string source_problem(const std::string& from, const std::string& command) {
  if (from.empty()) return {};
  if (fs::exists(from)) return interchange::import_problem(from, command);
  return "--from " + from +
         ": no such directory; 'dietmt models fetch' downloads models (docs/interchange.md)";
}

// One or two files, separated by a comma.
std::vector<fs::path> split_files(const std::string& files) {
  if (files.empty()) return {};
  const size_t comma = std::min(files.find(','), files.size());
  std::vector<fs::path> both = {files.substr(0, comma)};
  if (comma < files.size()) both.emplace_back(files.substr(comma + 1));
  return both;
}

bool is_marian_file(const ImportOptions& o) {
  const fs::path extension = fs::path(o.from).extension();
  return extension == ".npz" || extension == ".bin";
}

bool is_numbered(const fs::path& vocabulary) { return vocabulary.extension() != ".spm"; }

// Marian's files; none if --from is a directory of MarianMT.
std::optional<interchange::MarianFiles> marian_files(const ImportOptions& o) {
  if (is_marian_file(o))
    return interchange::MarianFiles{o.from, split_files(o.vocabularies), split_files(o.pieces),
                                    o.shortlist};
  if (!fs::is_directory(o.from) || fs::exists(fs::path(o.from) / "config.json")) return {};
  return interchange::find_marian_files(o.from);
}

void write_imported(const fs::path& directory, const nmt::LoadedModel& imported) {
  const data::Tokenizer& source = *imported.source_tokenizer;
  const data::Tokenizer& target = *imported.target_tokenizer;
  const bool one_tokenizer = source.serialized() == target.serialized();
  nmt::write_model(directory, imported.model->config(), weights_of(*imported.model), source,
                   one_tokenizer ? source : target);
  spdlog::info("{} parameters", parameter_count(*imported.model));
}

bool is_ctranslate2(const ImportOptions& o) {
  return !o.from.empty() && interchange::is_ctranslate2(o.from);
}

bool is_fairseq(const ImportOptions& o) {
  return !o.from.empty() && interchange::is_fairseq(o.from);
}

bool is_opennmt(const ImportOptions& o) {
  return !o.from.empty() && interchange::is_opennmt(o.from);
}

bool is_joeynmt(const ImportOptions& o) {
  return !o.from.empty() && interchange::is_joeynmt(o.from);
}

bool is_sockeye(const ImportOptions& o) {
  return !o.from.empty() && interchange::is_sockeye(o.from);
}

// Whether --pieces may replace the files that split text.
bool takes_pieces(const ImportOptions& o) {
  return is_ctranslate2(o) || is_fairseq(o) || is_joeynmt(o) || is_opennmt(o) || is_sockeye(o);
}

bool is_comet(const ImportOptions& o) {
  return fs::is_directory(o.from) && interchange::is_comet_checkpoint(o.from);
}

void import_comet_into(const fs::path& directory, const ImportOptions& o) {
  const auto tokenizer = data::load_bert_tokenizer(o.encoder);
  const auto model = interchange::import_comet(o.from, o.encoder);
  bert::write_comet(directory, *model, *tokenizer);
  spdlog::info("{} parameters", parameter_count(*model));
}

bool is_metricx(const ImportOptions& o) {
  return fs::is_directory(o.from) && interchange::is_metricx_checkpoint(o.from);
}

void import_metricx_into(const fs::path& directory, const ImportOptions& o) {
  const nmt::Metricx metric = interchange::import_metricx(o.from, o.encoder);
  nmt::write_metricx(directory, metric);
  spdlog::info("{} parameters, layout {}", parameter_count(*metric.model), metric.layout.name);
}

void import_into(const fs::path& directory, const ImportOptions& o) {
  if (is_comet(o)) return import_comet_into(directory, o);
  if (is_metricx(o)) return import_metricx_into(directory, o);
  if (is_ctranslate2(o))
    return write_imported(directory,
                          interchange::import_ctranslate2(o.from, split_files(o.pieces)));
  if (is_fairseq(o))
    return write_imported(directory, interchange::import_fairseq(o.from, split_files(o.pieces)));
  if (is_joeynmt(o))
    return write_imported(directory, interchange::import_joeynmt(o.from, split_files(o.pieces)));
  if (is_opennmt(o))
    return write_imported(directory, interchange::import_opennmt(o.from, split_files(o.pieces)));
  if (is_sockeye(o))
    return write_imported(directory, interchange::import_sockeye(o.from, split_files(o.pieces)));
  const std::optional<interchange::MarianFiles> files = marian_files(o);
  if (!files) return write_imported(directory, interchange::import_translation_model(o.from));
  if (!files->pieces.empty() && std::ranges::none_of(files->vocabularies, is_numbered))
    throw ConfigError("--pieces is for a .yml vocabulary");
  if (files->weights.extension() == ".bin") {
    const interchange::MarianBinary weights(files->weights);
    if (weights.has_integers()) {
      interchange::import_marian_int8(weights, *files, directory);
      return spdlog::info("int8 weights{}",
                          files->shortlist.empty() ? "" : " and the shortlist of the model");
    }
  }
  if (!o.shortlist.empty())
    throw ConfigError("--shortlist is for int8 weights, and " + o.from + " has others");
  if (!files->shortlist.empty())
    spdlog::warn("{} is left out: it is for int8 weights", files->shortlist.string());
  write_imported(directory, interchange::import_marian(*files));
}

}  // namespace

int run_import(const std::vector<std::string>& arguments) {
  ImportOptions o;
  OptionTable table(
      "import", "[--from] DIR|FILE --output DIR",
      "Converts a translation model of Hugging Face (MarianMT, such as OPUS-MT; "
      "M2M-100, NLLB-200, BART, mBART, T5, MADLAD-400), a fairseq, OpenNMT-py, eole, "
      "JoeyNMT, Sockeye, Marian or CTranslate2 model, an Argos package or a COMET or "
      "MetricX metric into a model directory: full weights in fp32, or int8 weights, such as "
      "those of Firefox's models, as they are.");
  table
      .add("from", &o.from, "DIR|FILE",
           "directory with config.json, model.safetensors or pytorch_model.bin, and the files of "
           "its tokenizer; Firefox's directory with model*.bin, vocab*.spm and "
           "lex*.bin; Marian's .npz or .bin file; fairseq's .pt file or its directory with "
           "dict.*.txt; OpenNMT-py's .pt file; eole's directory with config.json, vocab.json and "
           "model.00.safetensors; JoeyNMT's directory with config.yaml, best.ckpt, src_vocab.txt "
           "and trg_vocab.txt; Sockeye's directory with config, params.best, vocab.src.0.json and "
           "vocab.trg.0.json; CTranslate2's directory with model.bin; Argos's .argosmodel; or "
           "COMET's directory with hparams.yaml and checkpoints/model.ckpt",
           {.required = true})
      .add("vocabulary", &o.vocabularies, "FILE[,FILE]",
           "Marian's vocabulary, .spm or .yml; two files if source and target differ")
      .add("pieces", &o.pieces, "FILE[,FILE]",
           "sentencepiece models that split text into the pieces of a .yml vocabulary, or of a "
           "CTranslate2, fairseq, OpenNMT-py, eole, JoeyNMT or Sockeye model without its own; for "
           "the last five also the merges of subword-nmt")
      .add("shortlist", &o.shortlist, "FILE",
           "Marian's binary lexical shortlist (lex*.bin) for int8 weights; copied into the "
           "new directory as shortlist.bin")
      .add("encoder", &o.encoder, "DIR",
           "directory with config.json and sentencepiece.bpe.model of the XLM-R that COMET was "
           "trained from, or with spiece.model of mT5 for MetricX; its weights are not needed")
      .add("output", &o.output, "DIR", "model directory to write",
           {.required = true, .is_new = true});
  table.positional("from").example("dietmt import opus-mt-en-de --output en-de");
  table.example("dietmt import firefox/enpt --output en-pt");
  table.example("dietmt import translate-en_de-1_0.argosmodel --output en-de");
  table.example("dietmt import wmt22-comet-da --encoder xlm-roberta-large --output comet");
  table.example("dietmt import metricx-24-hybrid-large-v2p6 --encoder mt5-large --output metricx");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  const bool has_pieces = !o.pieces.empty() && !takes_pieces(o);
  if (!o.from.empty() && !is_marian_file(o) &&
      (has_pieces || !o.vocabularies.empty() || !o.shortlist.empty())) {
    problems.emplace_back(
        "--vocabulary and --shortlist need Marian's .npz or .bin in --from, and --pieces needs "
        "that or a CTranslate2, fairseq, OpenNMT-py, eole, JoeyNMT or Sockeye model; other "
        "directories have their own");
  }
  if (const std::string problem = source_problem(o.from, "import"); !problem.empty())
    problems = {problem};
  else if (!o.from.empty() && !fs::is_directory(o.from) && !is_marian_file(o) && !takes_pieces(o))
    problems.push_back("--from " + o.from +
                       " is neither a directory nor a .npz, .bin, .pt or .argosmodel file");
  if (is_comet(o) && o.encoder.empty())
    problems.push_back("--from " + o.from +
                       " is a COMET checkpoint: give --encoder DIR, the XLM-R it was trained from");
  if (is_metricx(o) && o.encoder.empty())
    problems.push_back("--from " + o.from +
                       " is a MetricX model: give --encoder DIR, the mT5 with its spiece.model");
  if (!is_comet(o) && !is_metricx(o) && !o.encoder.empty())
    problems.emplace_back("--encoder needs a COMET or MetricX checkpoint in --from");
  table.check(problems);

  AtomicDirectory output(o.output);
  import_into(output.path(), o);
  output.commit();
  return 0;
}

namespace {

bool is_number(const std::string& column) {
  return !column.empty() && column.find_first_not_of("0123456789") == column.npos;
}

// What `bert predict` needs besides a classifier's weights. Without names, columns are numbers.
void write_task_of_classifier(const fs::path& output, const fs::path& from,
                              const encoders::BertConfig& config, data::TableLayout layout) {
  bert::TaskDescription description;
  data::Task& task = description.task;
  task.name = "imported";
  const encoders::BertHeads& heads = config.task_heads;
  const std::vector<std::string> labels =
      interchange::class_labels(from / "config.json", heads.classes + heads.tags);
  const bool regression = labels.empty();
  task.target.kind = regression ? data::TaskKind::kRegression : data::TaskKind::kClassification;
  task.target.labels = labels;
  task.metrics = {regression ? "pearson" : "accuracy"};
  layout.header = !is_number(layout.first);
  layout.max_columns = 0;
  if (heads.tags > 0) {
    task.target.kind = data::TaskKind::kTags;
    task.metrics = {"f1", "accuracy"};
  } else {
    task.layouts = {layout};
  }
  description.max_length = std::min<int64_t>(config.max_positions, 512);
  bert::write_task(output, description);
}

}  // namespace

int run_bert_import(const std::vector<std::string>& arguments) {
  std::string from, output_directory, tokenizer_path, position;
  data::TableLayout layout;
  layout.first = "1";
  int64_t seed = 1;
  OptionTable table("bert import", "[--from] DIR --output DIR",
                    "Converts a BERT or XLM-R of Hugging Face, with all its heads, or a checkpoint "
                    "of TUPE's authors into a model directory in fp32.");
  table
      .add("from", &from, "DIR",
           "directory with config.json and model.safetensors or pytorch_model.bin, or TUPE's .pt "
           "file",
           {.required = true})
      .add("output", &output_directory, "DIR", "model directory to write",
           {.required = true, .is_new = true})
      .add("tokenizer", &tokenizer_path, "PATH",
           "vocab.txt, tokenizer.model, sentencepiece.bpe.model or a directory with one of them; "
           "default: that in --from")
      .add("position", &position, "SPEC",
           "replace the model's position encoding; 'dietmt train --position help' lists them")
      .add("seed", &seed, "N", "random seed of a new position encoding", ranges::kSeed);
  table.group("Files that 'bert predict' classifies with the model")
      .add("first", &layout.first, "COLUMN",
           "column of the text in tab-separated files: its name in the header, or its number in "
           "files without header")
      .add("second", &layout.second, "COLUMN", "column of the second text of a pair")
      .add("label", &layout.label, "COLUMN", "column of the label, if there is one");
  table.positional("from").example("dietmt bert import bert-base-uncased --output bert");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  const bool is_tupe = fs::is_regular_file(from) && fs::path(from).extension() == ".pt";
  std::vector<std::string> problems;
  if (const std::string problem = source_problem(from, "bert import"); !problem.empty() && !is_tupe)
    problems.push_back(problem);
  if (is_tupe && !position.empty())
    problems.emplace_back(
        "--position needs a model of Hugging Face: import the checkpoint as it "
        "is, and give --position with --init-from");
  table.check(problems);

  std::unique_ptr<data::BertTokenizer> tokenizer;
  if (!is_tupe || !tokenizer_path.empty())
    tokenizer = data::load_bert_tokenizer(tokenizer_path.empty() ? from : tokenizer_path);
  const auto model =
      is_tupe ? interchange::import_tupe(from)
              : interchange::import_huggingface(
                    from, {.position = position, .heads = {}, .seed = static_cast<uint64_t>(seed)});
  if (!tokenizer)
    spdlog::warn("{}: there is no tokenizer; inspect and embeddings of pieces work without", from);
  AtomicDirectory output(output_directory);
  bert::write_bert(output.path(), model->config(), weights_of(*model), tokenizer.get());
  if (model->config().task_heads.classes + model->config().task_heads.tags > 0)
    write_task_of_classifier(output.path(), from, model->config(), layout);
  output.commit();
  spdlog::info("{}: {} parameters, position encoding {}", output_directory, parameter_count(*model),
               model->config().position_and_segments());
  return 0;
}

}  // namespace dietmt::tools
