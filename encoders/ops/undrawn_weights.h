// New modules without random numbers in their large matrices.
#pragma once

namespace dietmt::encoders {

/// While it lives, this thread leaves the large matrices of new modules as memory comes, for models
/// whose parameters will all be set: random numbers would take seconds and make all of the memory
/// resident.
class UndrawnWeights {
 public:
  UndrawnWeights();
  ~UndrawnWeights();
  UndrawnWeights(const UndrawnWeights&) = delete;
  UndrawnWeights& operator=(const UndrawnWeights&) = delete;

  static bool applies();

 private:
  bool before_;
};

}  // namespace dietmt::encoders
