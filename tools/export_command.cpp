// dietmt export, dietmt bert export: model directories as other programs read them.
#include <filesystem>

#include "bert/model/model_directory.h"
#include "bert/prediction/task_description.h"
#include "common/atomic_file.h"
#include "common/options.h"
#include "interchange/ctranslate2/ctranslate2_export.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "interchange/huggingface/marianmt.h"
#include "interchange/marian/marian_export.h"
#include "storage/checkpoint.h"
#include "tools/commands.h"

namespace dietmt::tools {

int run_export(const std::vector<std::string>& arguments) {
  std::string from, format, output_directory;
  OptionTable table("export", "[--model] DIR --to FORMAT --output DIR",
                    "Converts a translation model for another program. ctranslate2: CTranslate2 "
                    "4.8, in fp32; huggingface: MarianMT of Hugging Face's transformers; marian: "
                    "marian-decoder, for models trained with --marian. Features that the program "
                    "does not support are an error.");
  table
      .add("model", &from, "DIR",
           "model directory, or output directory of train (its best checkpoint)",
           {.required = true})
      .add("to", &format, "", "format to write",
           {.required = true, .choices = {"ctranslate2", "huggingface", "marian"}})
      .add("output", &output_directory, "DIR", "directory to write",
           {.required = true, .is_new = true});
  table.positional("model").example("dietmt export model --to ctranslate2 --output model-ct2");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();

  const nmt::LoadedModel model = nmt::load_model(from);
  AtomicDirectory output(output_directory);
  if (format == "ctranslate2")
    interchange::export_ctranslate2(output.path(), model);
  else if (format == "marian")
    interchange::export_marian(output.path(), model);
  else
    interchange::export_marianmt(output.path(), model);
  output.commit();
  return 0;
}

int run_bert_export(const std::vector<std::string>& arguments) {
  std::string from, output_directory;
  OptionTable table("bert export", "[--model] DIR --output DIR",
                    "Converts a BERT model for Hugging Face's transformers, which support the "
                    "position encodings learned, relative-key and relative-key-query.");
  table
      .add("model", &from, "DIR",
           "model directory, or output directory of a training run (its best checkpoint)",
           {.required = true})
      .add("output", &output_directory, "DIR", "directory to write",
           {.required = true, .is_new = true});
  table.positional("model").example("dietmt bert export bert --output bert-huggingface");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  table.check();

  const auto model = bert::load_bert(from);
  const std::filesystem::path directory = storage::resolve_model_directory(from);
  const auto tokenizer = data::load_bert_tokenizer(directory);
  std::vector<std::string> labels;
  const encoders::BertHeads& heads = model->config().task_heads;
  if (heads.classes + heads.tags > 1 && std::filesystem::exists(directory / "task.json"))
    labels = bert::read_task(directory).task.target.labels;
  AtomicDirectory output(output_directory);
  interchange::export_huggingface(output.path(), *model, tokenizer.get(), labels);
  output.commit();
  return 0;
}

}  // namespace dietmt::tools
