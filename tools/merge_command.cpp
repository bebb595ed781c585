// dietmt merge: an adapter and the model next to it as a new model directory.
#include <spdlog/spdlog.h>

#include "common/atomic_file.h"
#include "common/options.h"
#include "nmt/network/model_directory.h"
#include "tools/commands.h"
#include "tools/named_weights.h"

namespace dietmt::tools {

int run_merge(const std::vector<std::string>& arguments) {
  std::string adapter, output;
  OptionTable table(
      "merge", "[--adapter] FILE --output DIR",
      "Merges an adapter of train --lora-rank or --adapter-size into the model that it "
      "was trained from, and writes the result as a new model directory.");
  table.group("Models")
      .add("adapter", &adapter, "FILE",
           "NAME.adapter, in the directory of the model that it was trained from",
           {.required = true})
      .add("output", &output, "DIR", "model directory to write",
           {.required = true, .is_new = true});
  table.positional("adapter").example("dietmt merge model/medicine.adapter --output medicine");
  if (table.parse(arguments) == OptionTable::Outcome::kDone) return 0;
  std::vector<std::string> problems;
  if (!adapter.empty() && !nmt::is_adapter(adapter))
    problems.push_back("--adapter: " + adapter + " is not a file NAME.adapter");
  table.check(problems);

  const nmt::LoadedModel merged = nmt::load_model(adapter);
  AtomicDirectory directory(output);
  nmt::write_model(directory.path(), merged.model->config(), weights_of(*merged.model),
                   *merged.source_tokenizer, *merged.target_tokenizer);
  directory.commit();
  spdlog::info("wrote {}: {} merged into {}", output, adapter, merged.directory.string());
  return 0;
}

}  // namespace dietmt::tools
