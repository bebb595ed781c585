#include "training/distributed/meeting_place.h"

#include <ATen/ATen.h>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "common/error.h"

namespace dietmt::training {

struct MeetingPlace::Impl {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

MeetingPlace::MeetingPlace() : impl_(std::make_unique<Impl>()) {
  c10d::TCPStoreOptions options;
  options.port = 0;
  options.isServer = true;
  options.waitWorkers = false;
  try {
    impl_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  } catch (const c10::Error& error) {
    throw Error(std::string("cannot listen on any port of this machine: ") +
                error.what_without_backtrace());
  }
}

MeetingPlace::~MeetingPlace() = default;

int64_t MeetingPlace::port() const { return impl_->store->getPort(); }

}  // namespace dietmt::training
