#include "tests/counting_device/counting_device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "encoders/device/device.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/fused_kernels.h"
#include "tests/counting_device/launch_log.h"
#include "tests/counting_device/operators.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

c10::Stream stream_of(c10::StreamId id, c10::Device device) {
  return c10::Stream(c10::Stream::UNSAFE, device, id);
}

/// One device with two streams: the default one and one for recordings.
struct Guard : c10::impl::NoOpDeviceGuardImpl<c10::kPrivateUse1> {
  c10::Device exchangeDevice(c10::Device) const override { return getDevice(); }
  c10::Device getDevice() const override { return {c10::kPrivateUse1, 0}; }
  c10::Stream getStream(c10::Device) const noexcept override {
    return stream_of(current_stream(), getDevice());
  }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_of(0, getDevice()); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getDefaultStream(device);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return getDefaultStream(device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const noexcept override {
    return stream_of(exchange_stream(stream.id()), getDevice());
  }
  // Work is complete when a call returns, so events never wait. They know their stream.
  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    if (*event == nullptr) *event = new c10::StreamId;
    *static_cast<c10::StreamId*>(*event) = stream.id();
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event != nullptr) require_no_join(*static_cast<c10::StreamId*>(event), stream.id());
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<c10::StreamId*>(event);
  }
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override { log_wait("synchronize an event"); }
  void synchronizeStream(const c10::Stream&) const override { log_wait("synchronize a stream"); }
  void synchronizeDevice(const c10::DeviceIndex) const override {
    log_wait("synchronize the device");
  }
};

struct Hooks : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
  bool isPinnedPtr(const void* data) const override { return is_pinned(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_allocator(); }
  at::Device getDeviceFromPtr(void*) const override { return {c10::kPrivateUse1, 0}; }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    return at::detail::getDefaultCPUGenerator();
  }
};

void use_kernels(const kernels::DeviceKernels& kernels) {
  encoders::register_device_backend(c10::kPrivateUse1, {&kernels, recorded_graphs});
}

c10::Device install() {
  c10::register_privateuse1_backend("counting");
  install_allocators();
  report_reads_of_device_memory();
  c10::impl::registerDeviceGuard(c10::kPrivateUse1, new Guard);
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  register_operators();
  register_autocast();
  use_kernels(fused_kernels());
  return {c10::kPrivateUse1, 0};
}

}  // namespace

c10::Device counting_device() {
  static const c10::Device device = install();
  return device;
}

OtherKernels::OtherKernels(const kernels::DeviceKernels& kernels) {
  counting_device();
  use_kernels(kernels);
}

OtherKernels::~OtherKernels() { use_kernels(fused_kernels()); }

void move_to_device(torch::nn::Module& module) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const auto move = [](const at::Tensor& tensor) {
    const at::Tensor moved = tensor.to(counting_device());
    tensor.unsafeGetTensorImpl()->shallow_copy_from(moved.getIntrusivePtr());
  };
  for (const at::Tensor& parameter : module.parameters()) move(parameter);
  for (const at::Tensor& buffer : module.buffers()) move(buffer);
}

}  // namespace dietmt::counting
