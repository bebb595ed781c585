// Turns the exceptions of the other folders into those of the public headers.
#pragma once

#include <system_error>

#include "common/checks.h"
#include "common/error.h"
#include "dietmt/error.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt {

/// Returns work(). Messages name options as the public structs do. std::bad_alloc passes through.
template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw UsageError(with_field_names(error.what()));
  } catch (const CheckpointError& error) {
    throw ModelError(error.what());
  } catch (const DataError& error) {
    throw InputError(error.what());
  } catch (const service::ClientGone&) {
    throw Cancelled("the translation was cancelled");
  } catch (const Error& error) {
    throw Exception(error.what());
  } catch (const std::system_error& error) {  // from files and threads
    throw Exception(error.what());
  }
}

/// Like guarded(), for reading a model: failures other than wrong options become ModelError.
template <typename Work>
auto guarded_loading(const Work& work) {
  try {
    return guarded(work);
  } catch (const UsageError&) {
    throw;
  } catch (const Exception& error) {
    throw ModelError(error.what());
  }
}

}  // namespace dietmt
