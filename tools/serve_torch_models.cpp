// The models of `dietmt serve` with LibTorch: of any kind, on any device.
#include <mutex>

#include "encoders/device/device.h"
#include "inspection/sentence_analysis.h"
#include "nmt/network/model_directory.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tools/served_models.h"

namespace dietmt::tools {
namespace {

// Analyses one sentence at a time. The decoding engine keeps no attention, so each analysis loads
// the trainable model, and memory holds a second copy of a model no longer than that.
class TorchModels : public ServedModels {
 public:
  explicit TorchModels(const ServeOptions& options)
      : devices_(encoders::parse_devices(options.device)), weights_(options.weights) {
    encoders::allow_graphs(options.cuda_graphs == "auto");
  }

  nmt::LoadedDecoder load(const service::ModelSpec& spec) override {
    return nmt::load_decoder(nmt::model_directories({spec.directory.string()}),
                             nmt::decoder_options(devices_, weights_, spec.shortlist));
  }

  reporting::SentenceAnalysis analyse(const service::ModelSpec& spec,
                                      const service::AnalysisRequest& request) override {
    const std::lock_guard lock(mutex_);
    nmt::LoadedModel loaded;
    service::read_for_analysis(
        spec, [&](const nmt::ModelFiles& files) { loaded = nmt::load_model(files); });
    nmt::LanguageChoice languages{.source_tag = spec.source_tag};
    if (!loaded.model->config().languages.empty()) {
      languages.source = spec.source;
      languages.target = spec.target;
    }
    return inspection::analyse_sentence(loaded, request.text, request.translation, languages);
  }

 private:
  std::vector<c10::Device> devices_;
  std::string weights_;
  std::mutex mutex_;  // one analysis at a time
};

}  // namespace

std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>&,
                                            const std::vector<std::string>&) {
  return std::make_unique<TorchModels>(options);
}

}  // namespace dietmt::tools
