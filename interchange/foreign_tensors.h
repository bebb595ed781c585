// The tensors of another program's model on their way into ours.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interchange/layer_names.h"
#include "nmt/network/translation_model.h"

namespace dietmt::interchange {

using TensorsByName = std::map<std::string, at::Tensor>;

/// Tensors by their names there; which of them were taken is kept in mind.
class ForeignTensors {
 public:
  /// `where` names their file in errors.
  ForeignTensors(std::filesystem::path where, TensorsByName tensors);

  bool contains(const std::string& name) const { return tensors_.contains(name); }

  /// In fp32. Throws CheckpointError naming the file and the tensor if it is not there.
  at::Tensor take(const std::string& name);

  /// The first of `names` that is there; all of them count as taken. Throws as take() does.
  at::Tensor take_first(const std::vector<std::string>& names);

  /// Our parameters of the rows. Throws as take() does, or if shapes do not fit together.
  TensorsByName take_all(const std::vector<Correspondence>& rows);

  /// Names in one warning what was not taken.
  void warn_of_others() const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::filesystem::path where_;
  TensorsByName tensors_;
  std::set<std::string> taken_;
};

/// Sets all parameters of `model`. Throws CheckpointError naming `where` and a parameter that
/// `values` lack or have in another shape.
void set_parameters(nmt::TranslationModel& model, const TensorsByName& values,
                    const std::filesystem::path& where);

}  // namespace dietmt::interchange
