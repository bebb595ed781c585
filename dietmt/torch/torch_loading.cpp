// The models of libdietmt-torch.so: of any kind, on any device.
#include <utility>

#include "common/error.h"
#include "dietmt/model_loading.h"
#include "encoders/device/device.h"
#include "kernels/cpu/instruction_sets.h"
#include "nmt/model/model_files.h"
#include "nmt/tensor_decoding/decoder_loader.h"

namespace dietmt {

std::shared_ptr<const nmt::LoadedDecoder> load_decoder(const std::string& model,
                                                       const TranslatorOptions& o) {
  kernels::chosen_instruction_set();  // reports an invalid DIETMT_INSTRUCTION_SET
  throw_if_any(machine_options(o).problems());
  return std::make_shared<const nmt::LoadedDecoder>(nmt::load_decoder(
      nmt::model_directories({model}),
      nmt::decoder_options(encoders::parse_devices(o.device), o.weights, o.shortlist)));
}

}  // namespace dietmt
