// dietmt bert: the commands of encoder-only models, and the short one among them.
#include <fmt/format.h>

#include <iostream>

#include "bert/model/model_directory.h"
#include "encoders/bert/bert_config.h"
#include "inspection/parameter_table.h"
#include "tools/bert_model_options.h"
#include "tools/command_list.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

// Counts an encoder's parameters by component.
int run_params(const std::vector<std::string>& arguments) {
  BertModelOptions options;
  int64_t vocabulary = 30'522;
  bool next_sentence = false;
  OptionTable table("bert params", "[--init-from DIR | --preset NAME --position SPEC ...]",
                    "Counts the parameters of an encoder with pooler and masked-LM head, or of the "
                    "model in --init-from, by component. 'positions' is the sum over all position "
                    "and segment encodings.");
  table.add("vocab-size", &vocabulary, "N", "vocabulary size", ranges::kVocabulary)
      .add("next-sentence", &next_sentence, "", "include the next-sentence head");
  bind_bert_model(table, options);
  table.example("dietmt bert params --preset base --position diet-rel");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems = apply_preset(table, options, vocabulary);
  for (const char* name : {"vocab-size", "next-sentence"})
    if (table.changed(name) && !options.init_from.empty())
      problems.push_back(fmt::format("--{} is for a new model: leave out --init-from", name));
  table.check(problems);
  encoders::BertConfig config = options.model;
  config.task_heads = {.masked_lm = true, .next_sentence = next_sentence};
  if (!options.init_from.empty()) {
    interchange::ImportOptions import;
    import.position = options.position;
    config = continued_config(table, options,
                              bert::load_pretrained(options.init_from, import)->config());
  }
  std::cout << inspection::parameter_table(encoders::parameter_counts(config));
  return 0;
}

}  // namespace

int run_bert(const std::vector<std::string>& arguments) {
  const CommandList list{
      "dietmt bert",
      "BERT encoders with any position encoding.",
      {{"prepare", "prepare raw text for pre-training", run_bert_prepare},
       {"pretrain", "pre-train an encoder on raw text", run_bert_pretrain},
       {"finetune", "fine-tune an encoder for a task", run_bert_finetune},
       {"predict", "predict with a fine-tuned encoder", run_bert_predict},
       {"embed", "write hidden states of lines of text", run_bert_embed},
       {"retrieve", "find translations by vectors of sentences", run_bert_retrieve},
       {"import", "convert a Hugging Face model", run_bert_import},
       {"export", "convert a model for Hugging Face", run_bert_export},
       {"params", "count the parameters of an encoder", run_params}},
      "dietmt bert finetune --model bert --task rte --data GLUE --output rte"};
  return list.run(arguments);
}

}  // namespace dietmt::tools
