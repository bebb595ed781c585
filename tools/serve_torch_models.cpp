// The models of `dietmt serve` with LibTorch: of any kind, on any device.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <future>
#include <mutex>
#include <thread>

#include "encoders/device/device.h"
#include "inspection/sentence_analysis.h"
#include "nmt/network/model_directory.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tools/learned_metric.h"
#include "tools/served_models.h"

namespace dietmt::tools {
namespace {

// Analyses one sentence at a time. The decoding engine keeps no attention, so each analysis loads
// the trainable model, and memory holds a second copy of a model no longer than that.
LearnedMetric quality_model(const ServeOptions& options) {
  return learned_metric(
      {.directory = options.quality_model,
       .option = "--quality-model",
       .device = options.device.substr(0, options.device.find(',')),
       .threads = std::max<int64_t>(1, std::thread::hardware_concurrency() / 2),  // others decode
       .without_references = "choose one that reads none"},
      "serve", {});
}

class TorchModels : public ServedModels {
 public:
  explicit TorchModels(const ServeOptions& options)
      : devices_(encoders::parse_devices(options.device)), weights_(options.weights) {
    encoders::allow_graphs(options.cuda_graphs == "auto");
    if (options.quality_model.empty()) return;
    // LibTorch keeps a team of threads for each thread that calls it, and requests have many.
    const auto thread = std::make_shared<boost::asio::thread_pool>(1);
    quality_ = std::make_shared<service::QualityEstimates>(
        [thread, model = quality_model(options)](std::span<const service::TranslatedPair> pairs) {
          std::vector<std::string> sources, translations;
          for (const service::TranslatedPair& pair : pairs) {
            sources.push_back(pair.source);
            translations.push_back(pair.translation);
          }
          std::packaged_task<std::vector<double>()> task(
              [&] { return model.quality(sources, translations); });
          std::future<std::vector<double>> scores = task.get_future();
          boost::asio::post(*thread, std::move(task));
          return scores.get();
        });
  }

  std::shared_ptr<service::QualityEstimates> quality() override { return quality_; }

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
  std::shared_ptr<service::QualityEstimates> quality_;
  std::mutex mutex_;  // one analysis at a time
};

}  // namespace

std::unique_ptr<ServedModels> served_models(const ServeOptions& options,
                                            const std::vector<service::ModelSpec>&,
                                            const std::vector<std::string>&) {
  return std::make_unique<TorchModels>(options);
}

}  // namespace dietmt::tools
