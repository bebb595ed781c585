// MetricX models of Hugging Face's hub.
#pragma once

#include <filesystem>

#include "nmt/metricx/metricx.h"

namespace dietmt::interchange {

/// Whether config.json in `directory` describes such a model: architectures has MT5ForRegression.
bool is_metricx_checkpoint(const std::filesystem::path& directory);

/// `mt5`: a directory with the tokenizer of mT5, spiece.model. The layout comes from the name of
/// `directory`, or that in its config.json, which must contain one of nmt::metricx_layouts(). The
/// score is the logit of the piece <extra_id_10>. Throws CheckpointError or DataError naming the
/// file and what is wrong.
nmt::Metricx import_metricx(const std::filesystem::path& directory,
                            const std::filesystem::path& mt5);

}  // namespace dietmt::interchange
