// dietmt-torch: all commands, and decoding of any model on any device.
#include <c10/util/Exception.h>

#include <map>

#include "common/error.h"
#include "encoders/device/device.h"
#include "nmt/batch_decoding/decoder_loader.h"
#include "nmt/engine/stored_weights.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {

DecoderSource decoder_source(const DecodingOptions& o, bool, const std::string&,
                             const std::vector<std::string>&) {
  return [o] {
    return nmt::load_decoder(nmt::model_directories(o.models),
                             {.device = encoders::parse_device(o.device),
                              .weights = nmt::parse_weight_choice(o.weights),
                              .shortlist = o.shortlist});
  };
}

}  // namespace dietmt::tools

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  const std::map<std::string, Command> all = {
      {"tokenizer", run_tokenizer}, {"train", run_train},   {"translate", run_translate},
      {"distill", run_distill},     {"score", run_score},   {"evaluate", run_evaluate},
      {"import", run_import},       {"export", run_export}, {"quantize", run_quantize},
      {"average", run_average},     {"bert", run_bert},     {"inspect", run_inspect},
      {"shortlist", run_shortlist}, {"sample", run_sample},
#ifdef DIETMT_SERVICE
      {"serve", run_serve},
#endif
  };
  return run_program(argc, argv, [&](const std::string& name) -> Command {
    return [&run = all.at(name)](const std::vector<std::string>& arguments) {
      try {
        return run(arguments);
      } catch (const c10::Error& error) {
        throw dietmt::Error(error.what_without_backtrace());
      }
    };
  });
}
