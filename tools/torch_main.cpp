// dietmt-torch: all commands, and decoding of any model on any device.
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>

#include <map>
#include <string>

#include "common/error.h"
#include "encoders/device/device.h"
#include "nmt/packing/engine_models.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tools/commands.h"
#include "tools/decoding_options.h"

namespace dietmt::tools {

DecoderSource decoder_source(const DecodingOptions& o, const std::string&,
                             const std::vector<std::string>&) {
  return [o] {
    encoders::allow_graphs(o.cuda_graphs == "auto");
    return nmt::load_decoder(
        nmt::model_directories(o.models),
        nmt::decoder_options(encoders::parse_devices(o.device), o.weights, o.shortlist));
  };
}

Quantizer quantizer(const nmt::ModelFiles&, const std::vector<std::string>&) {
  return {nmt::write_quantized,
          [](const std::string& directory) { return nmt::load_decoder({directory}, {}); }};
}

}  // namespace dietmt::tools

namespace {

// Without LibTorch's own words for a failed allocation, which name its sources.
[[noreturn]] void rethrow(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  const size_t bytes = text.find("you tried to allocate ");
  if (bytes == std::string::npos) throw dietmt::Error(text);
  throw dietmt::Error("out of memory: " + text.substr(bytes, text.find(" bytes", bytes) - bytes) +
                      " bytes; choose a smaller model or smaller batches");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dietmt::tools;
  FLAGS_caffe2_use_fatal_for_enforce = false;  // a failed allocation is an error, not an abort
  const std::map<std::string, Command> all = {
      {"tokenizer", run_tokenizer},
      {"train", run_train},
      {"translate", run_translate},
      {"distill", run_distill},
      {"score", run_score},
      {"evaluate", run_evaluate},
      {"import", run_import},
      {"export", run_export},
      {"quantize", run_quantize},
      {"average", run_average},
      {"bert", run_bert},
      {"inspect", run_inspect},
      {"shortlist", run_shortlist},
      {"merge", run_merge},
      {"align", run_align},
      {"rerank", run_rerank},
      {"vocabulary", run_vocabulary},
#ifdef DIETMT_SERVICE
      {"serve", run_serve},
#endif
  };
  return run_program(argc, argv, [&](const std::string& name) -> Command {
    const auto found = all.find(name);
    if (found == all.end())
      return [name](const std::vector<std::string>& arguments) -> int {
        run_own_program(name, arguments);
      };
    return [&run = found->second](const std::vector<std::string>& arguments) {
      try {
        return run(arguments);
      } catch (const c10::Error& error) {
        rethrow(error);
      }
    };
  });
}
