// dietmt bert: the commands of encoder-only models.
#include <iostream>

#include "common/error.h"
#include "tools/commands.h"

namespace dietmt::tools {
namespace {

struct BertCommand {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>&);
};

constexpr BertCommand kBertCommands[] = {
    {"pretrain", "train an encoder on raw text", run_bert_pretrain},
    {"finetune", "train an encoder for a task, with the papers' protocol", run_bert_finetune},
    {"predict", "predictions of a fine-tuned encoder", run_bert_predict},
    {"embed", "write hidden states of lines of text", run_bert_embed},
    {"import", "make a model of one of Hugging Face's transformers", run_bert_import},
    {"export", "write a model for Hugging Face's transformers", run_bert_export},
    {"params", "count the parameters of an encoder", run_bert_params},
};

std::string usage() {
  std::string text = "usage: dietmt bert COMMAND [options]\n\nCommands:\n";
  for (const BertCommand& command : kBertCommands) {
    const std::string name = command.name;
    text += "  " + name + std::string(12 - name.size(), ' ') + command.summary + '\n';
  }
  return text + "\n'dietmt bert COMMAND --help' describes a command.\n";
}

}  // namespace

int run_bert(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw ConfigError("a command is missing\n\n" + usage());
  if (arguments[0] == "--help" || arguments[0] == "-h") {
    std::cout << usage();
    return 0;
  }
  for (const BertCommand& command : kBertCommands)
    if (arguments[0] == command.name) return command.run({arguments.begin() + 1, arguments.end()});
  throw ConfigError("'" + arguments[0] +
                    "' is not a command of dietmt bert; see dietmt bert --help");
}

}  // namespace dietmt::tools
