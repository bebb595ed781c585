// The models of `dietmt serve` with LibTorch: of any kind, on any device.
#include <mutex>
#include <optional>

#include "encoders/device/device.h"
#include "inspection/sentence_analysis.h"
#include "nmt/network/model_directory.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tools/served_models.h"

namespace dietmt::tools {
namespace {

// Analyses one sentence at a time. The decoding engine keeps no attention, so the trainable model
// is loaded at its first analysis; the model of the last analysis stays in memory.
class TorchModels : public ServedModels {
 public:
  explicit TorchModels(const ServeOptions& options)
      : device_(encoders::parse_device(options.device)), weights_(options.weights) {
    encoders::allow_graphs(options.cuda_graphs == "auto");
  }

  nmt::LoadedDecoder load(const service::ModelSpec& spec) override {
    {
      const std::lock_guard lock(mutex_);
      if (name_ == spec.name) model_.reset();
    }
    return nmt::load_decoder(nmt::model_directories({spec.directory.string()}),
                             nmt::decoder_options(device_, weights_, spec.shortlist));
  }

  reporting::SentenceAnalysis analyse(const service::ModelSpec& spec,
                                      const service::AnalysisRequest& request) override {
    const std::lock_guard lock(mutex_);
    const nmt::LoadedModel& loaded = model(spec);
    nmt::LanguageChoice languages{.source_tag = spec.source_tag};
    if (!loaded.model->config().languages.empty()) {
      languages.source = spec.source;
      languages.target = spec.target;
    }
    return inspection::analyse_sentence(loaded, request.text, request.translation, languages);
  }

 private:
  // Called with the lock held.
  const nmt::LoadedModel& model(const service::ModelSpec& spec) {
    if (model_ && name_ == spec.name) return *model_;
    model_.reset();
    service::read_for_analysis(
        spec, [this](const nmt::ModelFiles& files) { model_ = nmt::load_model(files); });
    name_ = spec.name;
    return *model_;
  }

  c10::Device device_;
  std::string weights_;
  std::mutex mutex_;  // guards the members below
  std::string name_;
  std::optional<nmt::LoadedModel> model_;
};

}  // namespace

std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>&,
                                            const std::vector<std::string>&) {
  return std::make_unique<TorchModels>(options);
}

}  // namespace dietmt::tools
